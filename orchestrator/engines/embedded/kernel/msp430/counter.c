/* SPDX-License-Identifier: Apache-2.0 */
#include "msp430/counter.h"

#include "base/exact.h"
#include "msp430/events.h"
#include "msp430/interrupts.h"

/* Cycles of MCLK in a tick, as long as SMCLK isn't divided. */
static double
divider_of(const struct timer *timer)
{
  double divider = timer->clock_source == SOURCE_ACLK ? 1.0 * timer->mcu->smclk_hz / timer->mcu->aclk_hz : 1.0;

  return divider * timer->divider;
}

/* Sets the cycles that have passed since the last tick, and returns the ticks since the timer was started. */
static double
ticks_passed(struct timer *timer)
{
  double divider = divider_of(timer);
  double ticks = (double)(timer->mcu->cycles - timer->started_at) / divider;

  timer->passed = to_int(divider * (ticks - (double)(int64_t)ticks));
  return ticks;
}

void
counter_update_speed(struct timer *timer)
{
  timer->cycles_per_tick = timer->divider;
  if(timer->clock_source == SOURCE_ACLK) {
    timer->cycles_per_tick = timer->cycles_per_tick * timer->mcu->smclk_hz / timer->mcu->aclk_hz;
  }
  timer->clock_hz = to_int(timer->mcu->smclk_hz / timer->cycles_per_tick);
}

void
counter_clock_changed(struct timer *timer)
{
  struct msp430 *mcu = timer->mcu;

  ticks_passed(timer);
  timer->started_at = mcu->cycles - timer->passed;
  timer->accumulated = timer->counter;
  counter_update_speed(timer);
  msp430_at_cycle(mcu, &timer->overflow_event, mcu->cycles + (int64_t)((WRAP - timer->counter) * timer->cycles_per_tick));
}

int32_t
counter_update(struct timer *timer)
{
  int32_t top = timer->captures[0].value;
  int64_t count;

  if(timer->mode == STOPPED) {
    return timer->counter;
  }
  count = (int64_t)(ticks_passed(timer) + (double)timer->accumulated);
  if(timer->mode == CONTINUOUS) {
    timer->counter = (int32_t)(count & 0xffff);
  } else if(top == 0) {
    timer->counter = 0;
  } else if(timer->mode == UP) {
    timer->counter = (int32_t)(count % top);
  } else {
    timer->counter = (int32_t)(count % (top * 2LL));
    timer->counter = timer->counter > top ? 2 * top - timer->counter : timer->counter;
  }
  return timer->counter;
}

void
counter_overflow(struct msp430_event *event, int64_t time)
{
  struct timer *timer = MSP430_AROUND(event, struct timer, overflow_event);
  struct msp430 *mcu = timer->mcu;

  (void)time;
  timer->overflow_pending = true;
  timer->overflow_at = (int64_t)((double)timer->overflow_at + WRAP * timer->cycles_per_tick);
  msp430_at_cycle(mcu, event, timer->overflow_at);
  if(timer->vector == 0 && timer->overflow_enabled) {
    timer->vector = timer->kind->overflow;
    mcu->memory[timer->kind->vector_register] = (uint8_t)timer->vector;
    interrupt_flag(mcu, timer->kind->other_interrupt, &timer->source, true);
  }
}
