/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/etimer.h"

/* By time of expiry, the earliest first; of equal ones the first set. */
static struct etimer *running;

PROCESS(etimer_process, "Event timer");

/* Returns whether it ran. */
static bool
remove(const struct etimer *et)
{
  struct etimer **link = &running;

  while(*link != NULL && *link != et) {
    link = &(*link)->next;
  }
  if(*link == NULL) {
    return false;
  }
  *link = et->next;
  return true;
}

static void
insert(struct etimer *et, struct process *p)
{
  struct etimer **link = &running;

  while(*link != NULL &&
        !CLOCK_LT(etimer_expiration_time(et), etimer_expiration_time(*link))) {
    link = &(*link)->next;
  }
  et->next = *link;
  et->p = p;
  *link = et;
}

void
etimer_set(struct etimer *et, clock_time_t interval)
{
  remove(et);
  timer_set(&et->timer, interval);
  insert(et, PROCESS_CURRENT());
}

void
etimer_reset(struct etimer *et)
{
  etimer_reset_with_new_interval(et, et->timer.interval);
}

void
etimer_reset_with_new_interval(struct etimer *et, clock_time_t interval)
{
  remove(et);
  timer_reset(&et->timer);
  et->timer.interval = interval;
  insert(et, PROCESS_CURRENT());
}

void
etimer_restart(struct etimer *et)
{
  remove(et);
  timer_restart(&et->timer);
  insert(et, PROCESS_CURRENT());
}

void
etimer_adjust(struct etimer *et, int ticks)
{
  bool running_now = remove(et); /* one whose process has ended doesn't, whoever et->p is */

  et->timer.start += (clock_time_t)(int64_t)ticks;
  if(running_now) {
    insert(et, et->p);
  }
}

void
etimer_stop(struct etimer *et)
{
  remove(et);
  et->next = NULL;
  et->p = PROCESS_NONE;
}

int
etimer_pending(void)
{
  return running != NULL;
}

clock_time_t
etimer_next_expiration_time(void)
{
  return running != NULL ? etimer_expiration_time(running) : 0;
}

void
etimer_request_poll(void)
{
  process_poll(&etimer_process);
}

static void
post_expired(void)
{
  while(running != NULL &&
        !CLOCK_LT(clock_time(), etimer_expiration_time(running))) {
    struct etimer *et = running;

    if(process_post(et->p, PROCESS_EVENT_TIMER, et) != PROCESS_ERR_OK) {
      etimer_request_poll(); /* the queue is full: again when it has room */
      return;
    }
    running = et->next;
    et->next = NULL;
    et->p = PROCESS_NONE;
  }
}

static void
forget_process(const struct process *p)
{
  struct etimer **link = &running;

  while(*link != NULL) {
    if((*link)->p == p) {
      *link = (*link)->next;
    } else {
      link = &(*link)->next;
    }
  }
}

PROCESS_THREAD(etimer_process, ev, data)
{
  PROCESS_BEGIN();
  while(1) {
    PROCESS_YIELD();
    if(ev == PROCESS_EVENT_POLL) {
      post_expired();
    } else if(ev == PROCESS_EVENT_EXITED) {
      forget_process(data);
    }
  }
  PROCESS_END();
}
