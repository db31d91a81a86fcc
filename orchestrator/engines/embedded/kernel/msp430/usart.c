/* SPDX-License-Identifier: Apache-2.0 */
#include "msp430/usart.h"

#include "msp430/dma.h"
#include "msp430/events.h"
#include "msp430/special.h"

enum { UCTL, UTCTL, URCTL, UMCTL, UBR0, UBR1, URXBUF, UTXBUF };
enum { FIRST_ADDRESS = 0x70, REGISTERS = 8, EMPTY = 0x01, START_EDGE = 0x08, SPI = 0x04, NONE = -1 };

static const int32_t SENT_FLAG[USARTS] = {0x80, 0x20}, RECEIVED_FLAG[USARTS] = {0x40, 0x10};
static const uint8_t RECEIVED_INTERRUPT[USARTS] = {9, 3};

static void
set_flag(struct usart *usart, const int32_t flags[USARTS], enum dma_trigger first, enum dma_trigger second)
{
  special_set_flags(usart->mcu, usart->number, flags[usart->number]);
  dma_triggered(usart->mcu, usart->number == 0 ? first : second);
}

static void
set_sent_flag(struct usart *usart)
{
  set_flag(usart, SENT_FLAG, DMA_USART0_SENT, DMA_USART1_SENT);
}

/* The shift register is empty, or the first byte gets into it. */
static void
sent(struct msp430_event *event, int64_t time)
{
  struct usart *usart = MSP430_AROUND(event, struct usart, sent);
  struct msp430 *mcu = usart->mcu;

  if(usart->transmitting) {
    if(usart->shifted_byte != NONE && mcu->board->usart_sent != NULL) {
      mcu->board->usart_sent(mcu->context, usart->number, (unsigned)usart->shifted_byte);
    }
    if(usart->next_byte == NONE) {
      usart->transmit_control |= EMPTY;
      usart->transmitting = false;
      usart->shifted_byte = NONE;
    }
  }
  if(usart->next_byte != NONE) {
    usart->shifted_byte = usart->next_byte;
    usart->next_byte = NONE;
    usart->transmitting = true;
    set_sent_flag(usart);
    msp430_at_cycle(mcu, event, time + usart->cycles_per_byte + 1);
  }
}

static void
received(struct msp430_event *event, int64_t time)
{
  struct usart *usart = MSP430_AROUND(event, struct usart, received);

  (void)time;
  usart->receiving = false;
  usart->receive_buffer = usart->next_received;
  set_flag(usart, RECEIVED_FLAG, DMA_USART0_RECEIVED, DMA_USART1_RECEIVED);
}

void
usart_init(struct msp430 *mcu)
{
  for(unsigned i = 0; i < USARTS; i++) {
    mcu->usarts[i] = (struct usart){.mcu = mcu, .number = i, .sent.run = sent, .received.run = received,
                                    .cycles_per_byte = 1000, .next_byte = NONE, .shifted_byte = NONE,
                                    .next_received = NONE, .transmit_control = EMPTY};
  }
}

void
usart_reset(struct msp430 *mcu, unsigned number)
{
  struct usart *usart = &mcu->usarts[number];

  usart->shifted_byte = usart->next_byte = NONE;
  usart->transmitting = false;
  special_clear_flags(mcu, number, RECEIVED_FLAG[number]);
  set_sent_flag(usart);
  usart->transmit_control |= EMPTY;
  usart->transmitter_on = usart->receiver_on = false;
}

static void
update_rate(struct usart *usart)
{
  int32_t divisor = usart->baud0 + (usart->baud1 << 8), bits_per_second;

  bits_per_second = (usart->from_aclk ? usart->mcu->aclk_hz : usart->mcu->smclk_hz) / (divisor == 0 ? 1 : divisor);
  usart->cycles_per_byte = 8 * usart->mcu->smclk_hz / (bits_per_second == 0 ? 1 : bits_per_second);
}

static void
write_byte(struct usart *usart, int32_t value)
{
  if(usart->transmitter_on || (usart->spi && usart->receiver_on)) {
    special_clear_flags(usart->mcu, usart->number, SENT_FLAG[usart->number]);
    usart->transmit_control &= ~EMPTY;
    usart->next_byte = value;
    if(!usart->transmitting) {
      msp430_at_cycle(usart->mcu, &usart->sent, usart->mcu->cycles + 1);
    }
  }
  usart->transmit_buffer = value;
}

void
usart_write(struct msp430 *mcu, uint32_t address, int32_t value, bool word)
{
  struct usart *usart = &mcu->usarts[(address - FIRST_ADDRESS) / REGISTERS];

  (void)word;
  switch(address % REGISTERS) {
  case UCTL:
    usart->control = value;
    usart->spi = value & SPI;
    break;
  case UTCTL:
    usart->transmit_control = value;
    usart->from_aclk = (value >> 4 & 3) == 1;
    mcu->special.keep_flag[RECEIVED_INTERRUPT[usart->number]] = value & START_EDGE;
    update_rate(usart);
    break;
  case URCTL:
    usart->receive_control = value;
    break;
  case UMCTL:
    usart->modulation = value;
    break;
  case UBR0:
    usart->baud0 = value;
    update_rate(usart);
    break;
  case UBR1:
    usart->baud1 = value;
    update_rate(usart);
    break;
  case UTXBUF:
    write_byte(usart, value);
    break;
  }
}

int32_t
usart_read(struct msp430 *mcu, uint32_t address, bool word)
{
  struct usart *usart = &mcu->usarts[(address - FIRST_ADDRESS) / REGISTERS];

  (void)word;
  switch(address % REGISTERS) {
  case UCTL:
    return usart->control;
  case UTCTL:
    return usart->transmit_control;
  case URCTL:
    return usart->receive_control;
  case UMCTL:
    return usart->modulation;
  case UBR0:
    return usart->baud0;
  case UBR1:
    return usart->baud1;
  case UTXBUF:
    return usart->transmit_buffer;
  default: /* URXBUF */
    special_clear_flags(mcu, usart->number, RECEIVED_FLAG[usart->number]);
    return usart->receive_buffer;
  }
}

void
msp430_usart_receive(struct msp430 *mcu, unsigned number, unsigned byte)
{
  struct usart *usart = &mcu->usarts[number];

  if(!usart->receiver_on) {
    return;
  }
  usart->next_received = byte & 0xff;
  if(!usart->receiving) {
    usart->receiving = true;
    msp430_at_cycle(mcu, &usart->received, mcu->cycles + 1);
  }
}

bool
msp430_usart_ready(const struct msp430 *mcu, unsigned number)
{
  return !mcu->usarts[number].receiving && !(mcu->special.flags[number] & RECEIVED_FLAG[number]);
}
