/* SPDX-License-Identifier: Apache-2.0 */
#include "msp430/dma.h"

#include "msp430/interrupts.h"
#include "msp430/memory.h"

enum { DMACTL0 = 0x122, DMACTL1 = 0x124, FIRST_CHANNEL = 0x1e0, CHANNEL_SIZE = 8 };
enum { INTERRUPT = 0, FLAG = 0x08, ENABLED = 0x10, INTERRUPTS_ON = 0x04, REPEATED = 0x04 };

static const int8_t STEPS[] = {0, 0, -1, 1};

static void
update_interrupt(struct msp430 *mcu, unsigned number)
{
  struct dma *dma = &mcu->dma;
  bool on = dma->channels[number].flag && dma->channels[number].interrupts;

  dma->pending = on ? dma->pending | 1 << number : dma->pending & ~(1 << number);
  interrupt_flag(mcu, INTERRUPT, &dma->source, dma->pending > 0);
}

int32_t
dma_read(struct msp430 *mcu, uint32_t address, bool word)
{
  struct dma *dma = &mcu->dma;
  struct dma_channel *channel;

  (void)word;
  if(address == DMACTL0 || address == DMACTL1) {
    return address == DMACTL0 ? dma->control0 : dma->control1;
  }
  channel = &dma->channels[(address - FIRST_CHANNEL) / CHANNEL_SIZE];
  switch(address % CHANNEL_SIZE) {
  case 0:
    channel->control = (channel->control & ~FLAG) | (channel->flag ? FLAG : 0);
    return channel->control;
  case 2:
    return channel->source;
  case 4:
    return channel->destination;
  case 6:
    return channel->size;
  default:
    return 0;
  }
}

static void
write_control(struct msp430 *mcu, unsigned number, int32_t value)
{
  struct dma_channel *channel = &mcu->dma.channels[number];

  channel->control = value;
  channel->mode = value >> 12 & 7;
  channel->destination_step = STEPS[value >> 10 & 3];
  channel->source_step = STEPS[value >> 8 & 3];
  channel->enabled = value & ENABLED;
  channel->flag = value & FLAG;
  channel->interrupts = value & INTERRUPTS_ON;
  update_interrupt(mcu, number);
}

void
dma_write(struct msp430 *mcu, uint32_t address, int32_t value, bool word)
{
  struct dma *dma = &mcu->dma;
  unsigned number;

  (void)word;
  if(address == DMACTL0) {
    dma->control0 = value;
    for(unsigned i = 0; i < DMA_CHANNELS; i++) {
      dma->channels[i].trigger = value >> 4 * i & 15;
    }
    return;
  }
  if(address == DMACTL1) {
    dma->control1 = value;
    return;
  }
  number = (address - FIRST_CHANNEL) / CHANNEL_SIZE;
  switch(address % CHANNEL_SIZE) {
  case 0:
    write_control(mcu, number, value);
    break;
  case 2:
    dma->channels[number].source = dma->channels[number].now_source = value;
    break;
  case 4:
    dma->channels[number].destination = dma->channels[number].now_destination = value;
    break;
  case 6:
    dma->channels[number].size = dma->channels[number].stored_size = value;
    break;
  }
}

static void
move_byte(struct msp430 *mcu, unsigned number)
{
  struct dma_channel *channel = &mcu->dma.channels[number];
  int32_t byte = memory_read(mcu, (uint32_t)channel->now_source, false);

  memory_write(mcu, (uint32_t)channel->now_destination, byte, false);
  channel->now_source += channel->source_step;
  channel->now_destination += channel->destination_step;
  channel->size--;
  if(channel->size == 0) {
    channel->now_source = channel->source;
    channel->now_destination = channel->destination;
    channel->size = channel->stored_size;
    if(!(channel->mode & REPEATED)) {
      channel->enabled = false;
    }
    channel->flag = true;
    update_interrupt(mcu, number);
  }
}

void
dma_triggered(struct msp430 *mcu, enum dma_trigger trigger)
{
  for(unsigned i = 0; i < DMA_CHANNELS; i++) {
    if(mcu->dma.channels[i].trigger == (int)trigger && mcu->dma.channels[i].enabled) {
      move_byte(mcu, i);
    }
  }
}
