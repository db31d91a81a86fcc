/* SPDX-License-Identifier: Apache-2.0 */
/* Callback timers, which call a function as the process that set the timer. */
#ifndef CTIMER_H_
#define CTIMER_H_

#include "sys/etimer.h"

struct ctimer {
  struct ctimer *next;
  struct etimer etimer;
  struct process *p;
  void (*f)(void *);
  void *ptr;
};

void ctimer_init(void);
void ctimer_set_with_process(struct ctimer *c, clock_time_t interval,
                             void (*f)(void *), void *ptr, struct process *p);

static inline void
ctimer_set(struct ctimer *c, clock_time_t interval, void (*f)(void *), void *ptr)
{
  ctimer_set_with_process(c, interval, f, ptr, PROCESS_CURRENT());
}

/* As with an etimer: again from when it expired, the same with another interval,
   or again from now. */
void ctimer_reset(struct ctimer *c);
void ctimer_reset_with_new_interval(struct ctimer *c, clock_time_t interval);
void ctimer_restart(struct ctimer *c);
void ctimer_stop(struct ctimer *c);
bool ctimer_expired(struct ctimer *c);

static inline clock_time_t
ctimer_expiration_time(struct ctimer *c)
{
  return etimer_expiration_time(&c->etimer);
}

static inline clock_time_t
ctimer_start_time(struct ctimer *c)
{
  return etimer_start_time(&c->etimer);
}

#endif
