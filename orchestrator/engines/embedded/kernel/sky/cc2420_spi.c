/* SPDX-License-Identifier: Apache-2.0 */
#include "sky/cc2420_spi.h"

enum { SPI = 0 }; /* the USART that it is connected to */
enum { READS = 0x40, IS_RAM = 0x80, RAM_READS = 0x20, ADDRESS = 0x3f, RAM_ADDRESS = 0x7f, RAM_BANK = 0x180 };
enum { TXFIFO_REGISTER = 0x3e, RXFIFO_REGISTER = 0x3f };
enum { /* strobes */
  SXOSCON = 1, SRXON = 3, STXON = 4, STXONCCA = 5, SRFOFF = 6, SXOSCOFF = 7, SFLUSHRX = 8, SFLUSHTX = 9, SACK = 10, SACKPEND = 11,
  STROBES = 15
};

static void
answer(struct cc2420 *radio, unsigned byte)
{
  msp430_usart_receive(radio->mcu, SPI, byte & 0xff);
}

static void
transmit(struct cc2420 *radio)
{
  radio->status |= CC2420_TX_ACTIVE;
  cc2420_set_state(radio, CC2420_TX_CALIBRATE);
}

static void
acknowledge(struct cc2420 *radio, bool pending)
{
  radio->ack_pending_bit = pending; /* of all later ones, too */
  if(radio->state == CC2420_RX_FRAME) {
    radio->has_to_ack = true;
  } else if(radio->crc_ok) {
    cc2420_set_state(radio, CC2420_TX_ACK_CALIBRATE);
  }
}

/* Other strobes have no effect: they calibrate, or encrypt. */
static void
strobe(struct cc2420 *radio, uint8_t command)
{
  if(radio->state == CC2420_POWER_DOWN && command != SXOSCON) {
    return;
  }
  switch(command) {
  case SXOSCON:
    cc2420_start_oscillator(radio);
    break;
  case SXOSCOFF:
    cc2420_stop_oscillator(radio);
    break;
  case SRXON:
    if(radio->state == CC2420_IDLE) {
      cc2420_set_state(radio, CC2420_RX_CALIBRATE);
    }
    break;
  case SRFOFF:
    cc2420_set_state(radio, CC2420_IDLE);
    break;
  case STXON:
    if(radio->state == CC2420_IDLE || cc2420_in_reception(radio)) {
      transmit(radio);
    }
    break;
  case STXONCCA:
    if(cc2420_in_reception(radio) && radio->cca) {
      transmit(radio);
    }
    break;
  case SFLUSHRX:
    cc2420_flush_rx(radio);
    break;
  case SFLUSHTX:
    radio->tx_cursor = 0;
    break;
  case SACK:
  case SACKPEND:
    acknowledge(radio, command == SACKPEND);
    break;
  }
}

static void
begin(struct cc2420 *radio, uint8_t byte)
{
  if((byte & IS_RAM) != 0) {
    radio->command = CC2420_RAM;
    radio->address = byte & RAM_ADDRESS;
  } else {
    radio->address = byte & ADDRESS;
    radio->command = radio->address == RXFIFO_REGISTER   ? CC2420_READ_RXFIFO
                     : radio->address == TXFIFO_REGISTER ? CC2420_WRITE_TXFIFO
                     : (byte & READS) != 0               ? CC2420_READ_REGISTER
                                                         : CC2420_WRITE_REGISTER;
  }
  if(cc2420_reads_strength(radio)) {
    msp430_pause(radio->mcu); /* the answer depends on others */
  }
  if(byte < STROBES) {
    strobe(radio, byte);
    radio->command = CC2420_WAITING;
  }
  radio->command_position = 0;
}

bool
cc2420_reads_strength(const struct cc2420 *radio)
{
  return radio->command == CC2420_READ_REGISTER && radio->address == CC2420_RSSI;
}

/* Answers the high byte first. */
static void
read_register(struct cc2420 *radio)
{
  uint16_t value = radio->registers[radio->address];

  if(radio->command_position++ == 0) {
    answer(radio, value >> 8);
  } else {
    answer(radio, value);
    radio->command = CC2420_WAITING;
  }
}

static void
write_register(struct cc2420 *radio, uint8_t byte)
{
  if(radio->command_position++ == 0) {
    radio->value = (uint16_t)(byte << 8);
  } else {
    radio->command = CC2420_WAITING;
    cc2420_write_register(radio, radio->address, radio->value | byte);
  }
}

static void
write_txfifo(struct cc2420 *radio, uint8_t byte)
{
  if(radio->tx_flush || radio->tx_cursor >= CC2420_FIFO_SIZE) {
    radio->tx_cursor = 0;
    radio->tx_flush = false;
  }
  radio->memory[CC2420_TXFIFO + radio->tx_cursor++] = byte;
}

/* The FIFOP pin goes low at the threshold, and high again if the next frame is there. */
static void
read_rxfifo(struct cc2420 *radio)
{
  uint8_t byte = cc2420_take(radio);

  answer(radio, byte);
  if(radio->fifop && !radio->overflow && radio->rx.length <= radio->fifop_threshold) {
    cc2420_set_fifop(radio, false);
  }
  if(radio->rx_left == 0) {
    radio->rx_left = byte;
  } else if(--radio->rx_left == 0 && radio->rx.length > 0) {
    bool complete = radio->rx.length > radio->memory[CC2420_RXFIFO + radio->rx.read];
    bool enough = radio->rx.length > radio->fifop_threshold && !radio->decoding && !radio->rejected;
    if((complete || enough) && !radio->overflow) {
      cc2420_set_fifop(radio, true);
    }
  }
  if(radio->rx.length == 0) {
    cc2420_set_fifo(radio, false);
  }
}

static void
next_address(struct cc2420 *radio)
{
  radio->address = radio->address + 1 >= CC2420_RAM_END ? 0 : radio->address + 1;
}

/* Returns true if it has answered. */
static bool
access_ram(struct cc2420 *radio, uint8_t byte)
{
  if(radio->command_position == 0) {
    radio->command_position++;
    radio->address |= (unsigned)byte << 1 & RAM_BANK;
    radio->reads_ram = (byte & RAM_READS) != 0;
    return false;
  }
  if(radio->reads_ram) {
    answer(radio, radio->memory[radio->address]);
  } else {
    radio->memory[radio->address] = byte;
  }
  next_address(radio);
  return radio->reads_ram;
}

void
cc2420_command(struct cc2420 *radio, uint8_t byte)
{
  uint8_t status = radio->status;

  if(radio->state == CC2420_VREG_OFF) {
    if(radio->selected) {
      answer(radio, 0);
    }
    return;
  }
  if(!radio->selected) {
    return;
  }
  switch(radio->command) {
  case CC2420_WAITING:
    begin(radio, byte);
    break;
  case CC2420_READ_REGISTER:
    read_register(radio);
    return;
  case CC2420_WRITE_REGISTER:
    write_register(radio, byte);
    break;
  case CC2420_READ_RXFIFO:
    read_rxfifo(radio);
    return;
  case CC2420_WRITE_TXFIFO:
    write_txfifo(radio, byte);
    break;
  case CC2420_RAM:
    if(access_ram(radio, byte)) {
      return;
    }
    break;
  }
  answer(radio, status);
}

void
cc2420_select(struct cc2420 *radio, bool selected)
{
  radio->selected = selected;
  if(!selected) {
    if(radio->command == CC2420_WRITE_REGISTER && radio->command_position == 1) { /* only the high byte came */
      cc2420_write_register(radio, radio->address, (uint16_t)((radio->registers[radio->address] & 0xff) | (radio->value & 0xff00)));
    }
    radio->command = CC2420_WAITING;
  }
}
