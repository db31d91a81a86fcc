/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/stimer.h"

void
stimer_set(struct stimer *t, unsigned long interval)
{
  t->start = clock_seconds();
  t->interval = interval;
}

void
stimer_reset(struct stimer *t)
{
  if(stimer_expired(t)) {
    t->start += t->interval;
  }
}

void
stimer_restart(struct stimer *t)
{
  t->start = clock_seconds();
}

bool
stimer_expired(struct stimer *t)
{
  return stimer_elapsed(t) >= t->interval;
}

unsigned long
stimer_remaining(struct stimer *t)
{
  return t->start + t->interval - clock_seconds();
}

unsigned long
stimer_elapsed(struct stimer *t)
{
  return clock_seconds() - t->start;
}
