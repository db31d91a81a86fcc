/* SPDX-License-Identifier: Apache-2.0 */
/* Passive timers in clock ticks: the program has to ask whether they have
   expired. */
#ifndef TIMER_H_
#define TIMER_H_

#include "sys/clock.h"

struct timer {
  clock_time_t start;
  clock_time_t interval;
};

void timer_set(struct timer *t, clock_time_t interval);

/* The next interval starts where this one ended (nothing happens if it has not
   expired). */
void timer_reset(struct timer *t);

/* Starts the same interval again from now. */
void timer_restart(struct timer *t);

bool timer_expired(struct timer *t);
clock_time_t timer_remaining(struct timer *t);

#endif
