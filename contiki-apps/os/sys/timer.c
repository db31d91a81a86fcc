/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/timer.h"

void
timer_set(struct timer *t, clock_time_t interval)
{
  t->start = clock_time();
  t->interval = interval;
}

void
timer_reset(struct timer *t)
{
  if(timer_expired(t)) {
    t->start += t->interval;
  }
}

void
timer_restart(struct timer *t)
{
  t->start = clock_time();
}

/* The difference of unsigned times is right even when the clock has wrapped. */
bool
timer_expired(struct timer *t)
{
  return clock_time() - t->start >= t->interval;
}

clock_time_t
timer_remaining(struct timer *t)
{
  return t->start + t->interval - clock_time();
}
