/* SPDX-License-Identifier: Apache-2.0 */
#include "msp430/adc12.h"

#include "msp430/events.h"
#include "msp430/interrupts.h"

#include <string.h>

enum { CTL0 = 0x1a0, CTL1 = 0x1a2, IFG = 0x1a4, IE = 0x1a6, FIRST_CONTROL = 0x80, FIRST_MEMORY = 0x140, INTERRUPT = 7 };
enum { START = 0x01, ENABLE = 0x02, ON = 0x10 };           /* ADC12CTL0 */
enum { BUSY = 0x01, SINGLE = 0, SEQUENCE_ONCE = 1, SEQUENCE = 1 }; /* ADC12CTL1 and its field CONSEQ */
enum { END_OF_SEQUENCE = 0x80, CHANNEL = 15, CONVERSION_TICKS = 13, FIRST_VECTOR = 6 };

static const int16_t SAMPLE_TIMES[] = {4, 8, 16, 32, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1024, 1024, 1024};

static int32_t
duration(const struct adc12 *adc)
{
  return adc->divider * (adc->sample_time[adc->position >= 8] + CONVERSION_TICKS);
}

static void
converted(struct msp430_event *event, int64_t time)
{
  struct adc12 *adc = MSP430_AROUND(event, struct adc12, event);
  struct msp430 *mcu = adc->mcu;
  bool again = adc->enabled && adc->sequence != SINGLE;
  int sample = -1;

  (void)time;
  if(!adc->on) {
    adc->converting = false;
    return;
  }
  if(mcu->board->analog_input != NULL) {
    sample = mcu->board->analog_input(mcu->context, adc->memory_control[adc->position] & CHANNEL);
  }
  adc->memory[adc->position] = sample >= 0 ? sample : (2148 - adc->noise) & 255;
  adc->noise = (int32_t)((uint32_t)adc->noise + 7);
  adc->flags |= 1 << adc->position;
  if(adc->enable & 1 << adc->position) {
    adc->vector = adc->position * 2 + FIRST_VECTOR;
    interrupt_flag(mcu, INTERRUPT, &adc->source, true);
  }
  if(adc->sequence & SEQUENCE) {
    if(adc->memory_control[adc->position] & END_OF_SEQUENCE) {
      adc->position = adc->first;
      again = again && adc->sequence != SEQUENCE_ONCE;
    } else {
      adc->position = (adc->position + 1) % CONVERSIONS;
    }
  }
  adc->converting = again;
  if(again) {
    msp430_at_virtual_time(mcu, event, event->time + duration(adc));
  }
}

void
adc12_init(struct msp430 *mcu)
{
  mcu->adc12 = (struct adc12){.mcu = mcu, .event.run = converted, .divider = 1, .sample_time = {4, 4}};
}

void
adc12_reset(struct msp430 *mcu)
{
  struct adc12 *adc = &mcu->adc12;

  adc->enabled = adc->converting = adc->on = false;
  adc->control0 = adc->control1 = 0;
  adc->sample_time[0] = adc->sample_time[1] = 4;
  adc->first = adc->position = 0;
  adc->divider = 1;
  adc->sequence = adc->enable = adc->flags = adc->vector = 0;
  memset(adc->memory_control, 0, sizeof(adc->memory_control));
}

static void
write_control0(struct adc12 *adc, int32_t value)
{
  if(adc->enabled) {
    adc->control0 = (adc->control0 & 0xfff0) + (value & 0xf);
  } else {
    adc->control0 = value;
    adc->sample_time[0] = SAMPLE_TIMES[value >> 8 & 15];
    adc->sample_time[1] = SAMPLE_TIMES[value >> 12 & 15];
    adc->on = value & ON;
  }
  adc->enabled = value & ENABLE;
  if(adc->on && adc->enabled && (value & START) && !adc->converting) {
    adc->converting = true;
    adc->position = adc->first;
    msp430_at_virtual_time(adc->mcu, &adc->event, msp430_virtual_time(adc->mcu) + duration(adc));
  }
}

static void
write_control1(struct adc12 *adc, int32_t value)
{
  if(adc->enabled) {
    adc->control1 = (adc->control1 & 0xfff8) + (value & 0x6);
  } else {
    adc->control1 = value & 0xfffe;
    adc->first = value >> 12 & 15;
    adc->divider = (value >> 5 & 7) + 1;
  }
  adc->sequence = value >> 1 & 3;
}

void
adc12_write(struct msp430 *mcu, uint32_t address, int32_t value, bool word)
{
  struct adc12 *adc = &mcu->adc12;

  (void)word;
  switch(address) {
  case CTL0:
    write_control0(adc, value);
    break;
  case CTL1:
    write_control1(adc, value);
    break;
  case IE:
    adc->enable = value;
    break;
  case IFG:
    adc->flags = value;
    break;
  default:
    if(address - FIRST_CONTROL < CONVERSIONS && !adc->enabled) {
      adc->memory_control[address - FIRST_CONTROL] = value & 0xff;
    }
  }
}

static int32_t
read_result(struct msp430 *mcu, unsigned number)
{
  struct adc12 *adc = &mcu->adc12;

  adc->flags &= ~(1 << number);
  if(adc->vector == (int32_t)number * 2 + FIRST_VECTOR) {
    interrupt_flag(mcu, INTERRUPT, &adc->source, false);
    adc->vector = 0;
  }
  return adc->memory[number];
}

int32_t
adc12_read(struct msp430 *mcu, uint32_t address, bool word)
{
  const struct adc12 *adc = &mcu->adc12;

  (void)word;
  switch(address) {
  case CTL0:
    return adc->control0;
  case CTL1:
    return adc->control1 | (adc->converting ? BUSY : 0);
  case IE:
    return adc->enable;
  case IFG:
    return adc->flags;
  default:
    if(address - FIRST_CONTROL < CONVERSIONS) {
      return adc->memory_control[address - FIRST_CONTROL];
    }
    if(address >= FIRST_MEMORY && address <= FIRST_MEMORY + 2 * (CONVERSIONS - 1)) {
      return read_result(mcu, (address - FIRST_MEMORY) / 2);
    }
    return 0;
  }
}
