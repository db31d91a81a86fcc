/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/rtimer.h"

#include "platform/mote.h"

static struct rtimer *waiting;
static int64_t due_time; /* us; of the one that waits */

void
rtimer_init(void)
{
  waiting = NULL;
}

int64_t
rtimer_next_time(void)
{
  return waiting != NULL ? due_time : INT64_MAX;
}

int
rtimer_set(struct rtimer *rtimer, rtimer_clock_t time, rtimer_clock_t duration,
           rtimer_callback_t func, void *ptr)
{
  (void)duration;
  if(waiting != NULL) {
    return RTIMER_ERR_ALREADY_SCHEDULED;
  }
  rtimer->time = time;
  rtimer->func = func;
  rtimer->ptr = ptr;
  waiting = rtimer;
  /* Cooja would make an earlier time into an event in its past. */
  due_time = RTIMER_CLOCK_LT(RTIMER_NOW(), time) ?
    (int64_t)time : simRtimerCurrentTicks + 1;
  return RTIMER_OK;
}

void
rtimer_run_next(void)
{
  struct rtimer *due = waiting;

  waiting = NULL;
  if(due != NULL) {
    due->func(due, due->ptr);
  }
}

rtimer_clock_t
rtimer_arch_now(void)
{
  return (rtimer_clock_t)simRtimerCurrentTicks;
}

void
rtimer_arch_busywait(void)
{
  fibre_wait();
}
