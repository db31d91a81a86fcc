/* SPDX-License-Identifier: Apache-2.0 */
#include "msp430/interrupts.h"

void
interrupts_attend(struct msp430 *mcu)
{
  mcu->attention = mcu->cpu_off || mcu->pause || mcu->traced || mcu->uncached || mcu->flash.holds_cpu ||
                   is_interrupted(mcu);
  if(mcu->attention) {
    mcu->stop = INT64_MIN;
  }
}

void
interrupts_evaluate(struct msp430 *mcu)
{
  mcu->highest_interrupt = NO_INTERRUPT;
  for(int8_t number = 0; number < INTERRUPTS; number++) {
    if(mcu->interrupt_sources[number] != NULL) {
      mcu->highest_interrupt = number;
    }
  }
  interrupts_attend(mcu);
}

void
interrupt_flag(struct msp430 *mcu, int number, struct interrupt_source *source, bool on)
{
  if(on) {
    mcu->interrupt_sources[number] = source;
    if(number > mcu->highest_interrupt) {
      mcu->highest_interrupt = (int8_t)number;
    }
    if(mcu->highest_interrupt == RESET_INTERRUPT) {
      mcu->interrupts_on = true;
      mcu->forced_interrupts = true;
      mcu->serviced_interrupt = NO_INTERRUPT;
    }
    interrupts_attend(mcu);
  } else if(mcu->interrupt_sources[number] == source) {
    mcu->interrupt_sources[number] = NULL;
    interrupts_evaluate(mcu);
  }
}

void
interrupts_end_service(struct msp430 *mcu)
{
  mcu->serviced_interrupt = NO_INTERRUPT;
  interrupts_evaluate(mcu);
}

void
status_write(struct msp430 *mcu, uint32_t value)
{
  bool were_on = mcu->interrupts_on;

  value &= 0xfff;
  mcu->registers[MSP430_SR] = value;
  mcu->interrupts_on = (value & SR_GIE) != 0;
  mcu->forced_interrupts = false;
  if(!were_on && mcu->interrupts_on && mcu->serviced_interrupt >= 0) {
    interrupts_end_service(mcu);
  }
  mcu->cpu_off = (value & SR_CPUOFF) != 0;
  interrupts_attend(mcu);
}

void
register_write(struct msp430 *mcu, unsigned number, uint32_t value)
{
  value &= 0xfffff;
  if(number == MSP430_SR) {
    status_write(mcu, value);
  } else {
    mcu->registers[number] = number == MSP430_PC ? value & ~1U : value;
  }
}
