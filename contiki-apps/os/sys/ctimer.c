/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/ctimer.h"

#include "lib/list.h"

/* Those whose callback is still to come. */
LIST(active);

PROCESS(ctimer_process, "Callback timer");

void
ctimer_init(void)
{
  list_init(active);
  process_start(&ctimer_process, NULL);
}

void
ctimer_set_with_process(struct ctimer *c, clock_time_t interval,
                        void (*f)(void *), void *ptr, struct process *p)
{
  c->f = f;
  c->ptr = ptr;
  c->p = p;
  PROCESS_CONTEXT_BEGIN(&ctimer_process);
  etimer_set(&c->etimer, interval);
  PROCESS_CONTEXT_END(&ctimer_process);
  list_add(active, c);
}

void
ctimer_reset(struct ctimer *c)
{
  ctimer_reset_with_new_interval(c, c->etimer.timer.interval);
}

void
ctimer_reset_with_new_interval(struct ctimer *c, clock_time_t interval)
{
  PROCESS_CONTEXT_BEGIN(&ctimer_process);
  etimer_reset_with_new_interval(&c->etimer, interval);
  PROCESS_CONTEXT_END(&ctimer_process);
  list_add(active, c);
}

void
ctimer_restart(struct ctimer *c)
{
  PROCESS_CONTEXT_BEGIN(&ctimer_process);
  etimer_restart(&c->etimer);
  PROCESS_CONTEXT_END(&ctimer_process);
  list_add(active, c);
}

void
ctimer_stop(struct ctimer *c)
{
  etimer_stop(&c->etimer);
  list_remove(active, c);
}

bool
ctimer_expired(struct ctimer *c)
{
  return etimer_expired(&c->etimer);
}

/* The timer may have been stopped or set again since the event was posted: a
   stopped one is not in the list, and one that was set again has not expired. */
static void
call_back(const struct etimer *et)
{
  struct ctimer *c = list_head(active);

  while(c != NULL && &c->etimer != et) {
    c = c->next;
  }
  if(c == NULL || !ctimer_expired(c)) {
    return;
  }
  list_remove(active, c);
  if(c->f != NULL) {
    PROCESS_CONTEXT_BEGIN(c->p);
    c->f(c->ptr);
    PROCESS_CONTEXT_END(c->p);
  }
}

PROCESS_THREAD(ctimer_process, ev, data)
{
  PROCESS_BEGIN();
  while(1) {
    PROCESS_YIELD_UNTIL(ev == PROCESS_EVENT_TIMER);
    call_back(data);
  }
  PROCESS_END();
}
