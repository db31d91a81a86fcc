/* SPDX-License-Identifier: Apache-2.0 */
#include "contiki.h"

#include "sys/critical.h"

#define LOG_MODULE "Process"
#define LOG_LEVEL LOG_LEVEL_SYS
#include "sys/log.h"

static_assert(PROCESS_CONF_NUMEVENTS > 0 && PROCESS_CONF_NUMEVENTS <= 128 &&
              (PROCESS_CONF_NUMEVENTS & (PROCESS_CONF_NUMEVENTS - 1)) == 0,
              "PROCESS_CONF_NUMEVENTS must be a power of 2, at most 128");

enum process_state {
  NOT_RUNNING, /* 0: a process that was never started */
  WAITING,
  CALLED /* its thread is on the stack */
};

struct queued_event {
  struct process *receiver;
  process_data_t data;
  process_event_t ev;
};

struct process *process_list;
struct process *process_current;

static struct queued_event queue[PROCESS_CONF_NUMEVENTS];
static PLATFORM_HOT process_num_events_t first, queued;
static PLATFORM_HOT bool poll_requested;
static PLATFORM_HOT unsigned polled; /* processes whose poll is still to be delivered */
static process_event_t next_event;

void
process_init(void)
{
  next_event = PROCESS_EVENT_MAX;
}

process_event_t
process_alloc_event(void)
{
  if(next_event == UINT8_MAX) {
    LOG_WARN("no more event numbers\n");
    return PROCESS_EVENT_NONE;
  }
  return next_event++;
}

bool
process_is_running(struct process *p)
{
  return p->state != NOT_RUNNING;
}

static bool
is_listed(const struct process *p)
{
  const struct process *q = process_list;

  while(q != NULL && q != p) {
    q = q->next;
  }
  return q != NULL;
}

/* Takes p out of the list and tells all other processes. p->next stays as it is, because a loop over
   the list may be at p. */
static void
bury(struct process *p)
{
  struct process **link = &process_list;

  while(*link != p) {
    link = &(*link)->next;
  }
  *link = p->next;
  p->state = NOT_RUNNING;
  polled -= p->needspoll; /* which stays: as in Contiki-NG, the poll is p's when p is started again */
  for(struct process *q = process_list; q != NULL; q = q->next) {
    process_post_synch(q, PROCESS_EVENT_EXITED, p);
  }
}

/* A process that is being called already is left alone: its thread can't be
   entered twice. */
static void
deliver(struct process *p, process_event_t ev, process_data_t data)
{
  if(p->state != WAITING || p->thread == NULL) {
    return;
  }
  p->state = CALLED;
  process_current = p;
  char result = p->thread(&p->pt, ev, data);
  if(p->state != CALLED) {
    return; /* it ended itself by process_exit() */
  }
  if(result >= PT_EXITED || ev == PROCESS_EVENT_EXIT) {
    bury(p);
  } else {
    p->state = WAITING;
  }
}

void
process_post_synch(struct process *p, process_event_t ev, process_data_t data)
{
  struct process *caller = process_current;

  deliver(p, ev, data);
  process_current = caller;
}

void
process_start(struct process *p, process_data_t data)
{
  if(is_listed(p)) {
    return;
  }
  p->next = process_list;
  process_list = p;
  p->state = WAITING;
  polled += p->needspoll;
  PT_INIT(&p->pt);
  process_post_synch(p, PROCESS_EVENT_INIT, data);
}

void
process_exit(struct process *p)
{
  if(!is_listed(p)) {
    return;
  }
  if(p->state == CALLED) {
    bury(p);
  } else {
    process_post_synch(p, PROCESS_EVENT_EXIT, NULL);
  }
}

int
process_post(struct process *p, process_event_t ev, process_data_t data)
{
  if(queued == PROCESS_CONF_NUMEVENTS) {
    LOG_WARN("queue full: event %d for %s is lost\n", ev,
             p == PROCESS_BROADCAST ? "all" : p->name);
    return PROCESS_ERR_FULL;
  }
  queue[(first + queued++) % PROCESS_CONF_NUMEVENTS] =
    (struct queued_event){ p, data, ev };
  return PROCESS_ERR_OK;
}

void
process_poll(struct process *p)
{
  if(p != NULL && process_is_running(p)) {
    int_master_status_t status = critical_enter(); /* interrupts poll, too */
    polled += !p->needspoll;
    p->needspoll = true;
    poll_requested = true;
    critical_exit(status);
  }
}

static void
deliver_polls(void)
{
  poll_requested = false;
  for(struct process *p = process_list; p != NULL && polled > 0; p = p->next) {
    if(p->needspoll) {
      int_master_status_t status = critical_enter();
      p->needspoll = false;
      polled--;
      critical_exit(status);
      deliver(p, PROCESS_EVENT_POLL, NULL);
    }
  }
}

static void
deliver_event(void)
{
  struct queued_event event = queue[first];

  first = (first + 1) % PROCESS_CONF_NUMEVENTS;
  queued--;
  if(event.receiver != PROCESS_BROADCAST) {
    deliver(event.receiver, event.ev, event.data);
    return;
  }
  for(struct process *p = process_list; p != NULL; p = p->next) {
    if(poll_requested) {
      deliver_polls();
    }
    deliver(p, event.ev, event.data);
  }
}

process_num_events_t
process_run(void)
{
  if(poll_requested) {
    deliver_polls();
  }
  if(queued > 0) {
    deliver_event();
  }
  return process_nevents();
}

process_num_events_t
process_nevents(void)
{
  return (process_num_events_t)(queued + poll_requested);
}
