/* SPDX-License-Identifier: Apache-2.0 */
#include "msp430/interrupts.h"

void
interrupts_attend(struct msp430 *mcu)
{
  mcu->attention = mcu->cpu_off || mcu->uncached || mcu->flash.holds_cpu ||
                   (mcu->interrupts_on && mcu->serviced_interrupt == NO_INTERRUPT && mcu->highest_interrupt >= 0);
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

static enum msp430_mode
mode_of(uint32_t status)
{
  if(!(status & SR_CPUOFF)) {
    return MSP430_ACTIVE;
  }
  if((status & SR_SCG1) && (status & SR_SCG0)) {
    return status & SR_OSCOFF ? MSP430_LPM4 : MSP430_LPM3;
  }
  return status & SR_SCG1 ? MSP430_LPM2 : status & SR_SCG0 ? MSP430_LPM1 : MSP430_LPM0;
}

void
status_write(struct msp430 *mcu, uint32_t value)
{
  bool were_on = mcu->interrupts_on;
  enum msp430_mode mode;

  value &= 0xfff;
  mcu->registers[MSP430_SR] = value;
  mcu->interrupts_on = (value & SR_GIE) != 0;
  mcu->forced_interrupts = false;
  if(!were_on && mcu->interrupts_on && mcu->serviced_interrupt >= 0) {
    interrupts_end_service(mcu);
  }
  mcu->cpu_off = (value & SR_CPUOFF) != 0;
  interrupts_attend(mcu);
  mode = mode_of(value);
  if(mode != mcu->mode) {
    mcu->mode = mode;
    if(mcu->board->mode_changed != NULL) {
      mcu->board->mode_changed(mcu->context, mode);
    }
  }
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
