/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How simulated time passes. Cycles are counted from a base that moves to the end of the slice in which the DCO's frequency
 * changed. The base is the only thing in a microcontroller that depends on how its time is cut into slices.
 */
#include "msp430/cpu.h"
#include "msp430/events.h"
#include "msp430/interrupts.h"

enum { US_A_SECOND = 1000000 };

/* The cycle that lies so many us behind the base, in whole numbers. */
static int64_t
cycle_after(const struct msp430 *mcu, int64_t us)
{
  return mcu->step_base + us * mcu->dco_hz / US_A_SECOND;
}

/* Passes the jump, in which no event may lie, and in which an awake CPU can't have been. */
static void
jump_to(struct msp430 *mcu, int64_t jump)
{
  if(jump < 0) {
    msp430_fail(mcu, MSP430_BAD_STEP, mcu->at);
  }
  if(!mcu->step_ready) {
    mcu->step_base = mcu->step_limit;
  }
  mcu->step_us += jump;
  if(mcu->step_ready) {
    mcu->step_limit = cycle_after(mcu, mcu->step_us);
    if(mcu->step_limit > (mcu->cpu_off ? mcu->next_event : mcu->cycles)) {
      msp430_fail(mcu, MSP430_BAD_STEP, mcu->at);
    }
  }
  mcu->step_ready = true;
}

/* In how many us after a step it has to run again. */
static int64_t
rest(const struct msp430 *mcu)
{
  if(!mcu->cpu_off || is_interrupted(mcu)) {
    return 0;
  }
  return US_A_SECOND * (mcu->next_event - mcu->cycles) / mcu->dco_hz;
}

int64_t
msp430_rest(const struct msp430 *mcu, int64_t jump)
{
  int64_t cycle = cycle_after(mcu, mcu->step_us + jump);

  if(!mcu->cpu_off || !mcu->step_ready || (mcu->interrupts_on && mcu->highest_interrupt >= 0) || mcu->next_event < cycle ||
     mcu->next_event <= mcu->cycles) {
    return -1;
  }
  return US_A_SECOND * (mcu->next_event - (cycle > mcu->cycles ? cycle : mcu->cycles)) / mcu->dco_hz;
}

int64_t
msp430_least_rest(const struct msp430 *mcu)
{
  return US_A_SECOND * (mcu->next_event - mcu->step_base) / mcu->dco_hz - mcu->step_us;
}

static void
end_pause(struct msp430 *mcu)
{
  if(mcu->pause) {
    mcu->pause = false;
    interrupts_attend(mcu);
  }
}

void
msp430_pause(struct msp430 *mcu)
{
  mcu->pause = true;
  interrupts_attend(mcu);
}

int64_t
msp430_step(struct msp430 *mcu, int64_t jump, int64_t run)
{
  jump_to(mcu, jump);
  mcu->step_limit = cycle_after(mcu, mcu->step_us + run);
  end_pause(mcu);
  if(run > 0) {
    cpu_look(mcu);
  }
  cpu_run(mcu, mcu->step_limit);
  return rest(mcu);
}

bool
msp430_is_awake(const struct msp430 *mcu)
{
  return !mcu->cpu_off && !mcu->flash.holds_cpu;
}

void
msp430_stop_at_looks(struct msp430 *mcu, bool stop)
{
  mcu->stops_at_looks = stop;
}

/* The number of the step of 1 us, from 1, that begins an instruction at this cycle: the first with a later end. */
static int64_t
step_at(int64_t cycles, int64_t base, int64_t us, int64_t dco_hz)
{
  return ((cycles - base + 1) * US_A_SECOND + dco_hz - 1) / dco_hz - us;
}

int64_t
msp430_run_so_far(const struct msp430 *mcu)
{
  int64_t step = step_at(mcu->before - mcu->late, mcu->run_base, mcu->run_us, mcu->run_hz);

  return step < 1 ? 1 : step; /* before a jump, if it sleeps */
}

int64_t
msp430_run(struct msp430 *mcu, int64_t jump, int64_t most)
{
  int64_t complete = most;

  jump_to(mcu, jump);
  mcu->run_base = mcu->step_base;
  mcu->run_us = mcu->step_us;
  mcu->run_hz = mcu->dco_hz;
  end_pause(mcu);
  mcu->before = mcu->step_limit; /* that instruction belongs to the first step */
  mcu->late = 0;
  cpu_look(mcu);
  if(mcu->pause || !cpu_run_to_pause(mcu, cycle_after(mcu, mcu->run_us + most))) {
    complete = msp430_run_so_far(mcu) - 1;
  }
  if(!mcu->step_ready) { /* the DCO has another frequency: the base will move to the end of this step, so it is completed */
    complete = msp430_run_so_far(mcu);
    mcu->step_limit = mcu->run_base + (mcu->run_us + complete) * mcu->run_hz / US_A_SECOND;
    mcu->stops_at_looks = false;
    cpu_run(mcu, mcu->step_limit);
    return complete;
  }
  mcu->step_us = mcu->run_us + complete - 1;
  mcu->step_limit = cycle_after(mcu, mcu->run_us + complete);
  return complete;
}
