/* SPDX-License-Identifier: Apache-2.0 */
/* Event timers: the process that set one gets PROCESS_EVENT_TIMER with it as
   data when it expires. */
#ifndef ETIMER_H_
#define ETIMER_H_

#include "sys/process.h"
#include "sys/timer.h"

struct etimer {
  struct timer timer;
  struct etimer *next;
  struct process *p; /* who waits; PROCESS_NONE: nobody */
};

void etimer_set(struct etimer *et, clock_time_t interval);

/* Again from the point where it expired: no drift. */
void etimer_reset(struct etimer *et);
void etimer_reset_with_new_interval(struct etimer *et, clock_time_t interval);

/* Again from now. */
void etimer_restart(struct etimer *et);

/* Move its expiry by that many ticks. */
void etimer_adjust(struct etimer *et, int ticks);
void etimer_stop(struct etimer *et);

static inline bool
etimer_expired(struct etimer *et)
{
  return et->p == PROCESS_NONE;
}

static inline clock_time_t
etimer_expiration_time(struct etimer *et)
{
  return et->timer.start + et->timer.interval;
}

static inline clock_time_t
etimer_start_time(struct etimer *et)
{
  return et->timer.start;
}

/* The platform asks: does one run, and when does the next expire (0 if
   none)? */
int etimer_pending(void);
clock_time_t etimer_next_expiration_time(void);
void etimer_request_poll(void);

PROCESS_NAME(etimer_process);

#endif
