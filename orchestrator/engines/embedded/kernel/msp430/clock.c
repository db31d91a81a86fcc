/* SPDX-License-Identifier: Apache-2.0 */
#include "msp430/clock.h"

#include "msp430/counter.h"
#include "msp430/events.h"

enum { DCOCTL = 0x56, BCSCTL1 = 0x57, BCSCTL2 = 0x58 };
enum { CRYSTAL_HZ = 32768, LEAST_HZ = 1000, STEPS = 2048, STEP_HZ = (MSP430_VIRTUAL_HZ - LEAST_HZ) / STEPS };

static void
update_timers(struct msp430 *mcu)
{
  for(int i = 0; i < TIMERS; i++) {
    counter_clock_changed(&mcu->timers[i]);
  }
}

void
clock_reset(struct msp430 *mcu)
{
  clock_write(mcu, DCOCTL, 0x60, false);
  clock_write(mcu, BCSCTL1, 0x84, false);
  clock_write(mcu, BCSCTL2, 0, false);
}

int32_t
clock_read(struct msp430 *mcu, uint32_t address, bool word)
{
  return mcu->memory[address] | (word ? mcu->memory[address + 1] << 8 : 0);
}

/* A word is written to the first of its two registers only; the other one's byte can be read back. */
void
clock_write(struct msp430 *mcu, uint32_t address, int32_t value, bool word)
{
  struct clock *clock = &mcu->clock;
  int32_t dco_hz;

  mcu->memory[address] = (uint8_t)value;
  if(word) {
    mcu->memory[address + 1] = (uint8_t)(value >> 8);
  }
  if(address == DCOCTL) {
    clock->dco = value >> 5 & 7;
    clock->modulation = value & 31;
  } else if(address == BCSCTL1) {
    clock->resistor = value & 7;
    mcu->aclk_hz = CRYSTAL_HZ / (1 << (value >> 4 & 3));
    update_timers(mcu);
  } else {
    clock->smclk_divider = 1 << (value >> 2 & 3); /* it takes effect when the DCO's frequency changes next */
  }
  dco_hz = ((clock->dco << 5) + clock->modulation + (clock->resistor << 8)) * STEP_HZ + LEAST_HZ;
  if(dco_hz != clock->dco_hz) {
    clock->dco_hz = dco_hz;
    events_change_frequency(mcu, dco_hz, dco_hz / clock->smclk_divider);
    update_timers(mcu);
  }
}
