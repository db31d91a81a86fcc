/* SPDX-License-Identifier: Apache-2.0 */
/* Processes, which are protothreads that events wake. Events are delivered one
   after the other from a queue; a poll is a flag of the process and comes first. */
#ifndef PROCESS_H_
#define PROCESS_H_

#include "sys/cc.h"
#include "sys/pt.h"

typedef uint8_t process_event_t;
typedef void *process_data_t;
typedef uint8_t process_num_events_t;

#define PROCESS_ERR_OK 0
#define PROCESS_ERR_FULL 1

#define PROCESS_NONE NULL
#define PROCESS_BROADCAST NULL

/* Events that can wait in the queue; a power of 2, at most 128. */
#ifndef PROCESS_CONF_NUMEVENTS
#define PROCESS_CONF_NUMEVENTS 32
#endif

/* Numbers below are the application's own. */
#define PROCESS_EVENT_NONE 0x80
#define PROCESS_EVENT_INIT 0x81
#define PROCESS_EVENT_POLL 0x82
#define PROCESS_EVENT_EXIT 0x83
#define PROCESS_EVENT_SERVICE_REMOVED 0x84
#define PROCESS_EVENT_CONTINUE 0x85
#define PROCESS_EVENT_MSG 0x86
#define PROCESS_EVENT_EXITED 0x87
#define PROCESS_EVENT_TIMER 0x88
#define PROCESS_EVENT_COM 0x89
#define PROCESS_EVENT_MAX 0x8a /* the first that process_alloc_event() gives */

#define PROCESS_BEGIN() PT_BEGIN(process_pt)
#define PROCESS_END() PT_END(process_pt)
#define PROCESS_YIELD() PT_YIELD(process_pt)
#define PROCESS_YIELD_UNTIL(condition) PT_YIELD_UNTIL(process_pt, condition)
#define PROCESS_WAIT_EVENT() PROCESS_YIELD()
#define PROCESS_WAIT_EVENT_UNTIL(condition) PROCESS_YIELD_UNTIL(condition)
#define PROCESS_WAIT_UNTIL(condition) PT_WAIT_UNTIL(process_pt, condition)
#define PROCESS_WAIT_WHILE(condition) PT_WAIT_WHILE(process_pt, condition)
#define PROCESS_EXIT() PT_EXIT(process_pt)
#define PROCESS_PT_SPAWN(pt, call) PT_SPAWN(process_pt, pt, call)

/* Let everything that waits in the queue go first. */
#define PROCESS_PAUSE()                                                        \
  do {                                                                         \
    process_post(PROCESS_CURRENT(), PROCESS_EVENT_CONTINUE, NULL);             \
    PROCESS_WAIT_EVENT_UNTIL(ev == PROCESS_EVENT_CONTINUE);                    \
  } while(0)

#define PROCESS_POLLHANDLER(handler) if(ev == PROCESS_EVENT_POLL) { handler; }
#define PROCESS_EXITHANDLER(handler) if(ev == PROCESS_EVENT_EXIT) { handler; }

#define PROCESS_THREAD(name, ev, data)                                         \
  static PT_THREAD(process_thread_##name(struct pt *process_pt,                \
                                         process_event_t ev,                   \
                                         process_data_t data))
#define PROCESS_NAME(name) extern struct process name
#define PROCESS(name, string)                                                  \
  PROCESS_THREAD(name, ev, data);                                              \
  struct process name = { NULL, string, process_thread_##name, { 0 }, 0, false }

struct process {
  struct process *next;
  const char *name;
  PT_THREAD((*thread)(struct pt *, process_event_t, process_data_t));
  struct pt pt;
  uint8_t state;
  bool needspoll;
};
#define PROCESS_NAME_STRING(process) ((process) != NULL ? (process)->name : "")

extern struct process *process_list;    /* the youngest first */
extern struct process *process_current; /* whose thread is running */
#define PROCESS_LIST() process_list
#define PROCESS_CURRENT() process_current

/* Run a piece of code as another process: for timers set on its behalf. */
#define PROCESS_CONTEXT_BEGIN(p)                                               \
  {                                                                            \
    struct process *const context_caller = process_current;                    \
    process_current = (p);
#define PROCESS_CONTEXT_END(p)                                                 \
    process_current = context_caller;                                          \
  }

void process_init(void);

/* Start p, unless it runs: it gets PROCESS_EVENT_INIT at once, with data. */
void process_start(struct process *p, process_data_t data);

/* End p: it gets PROCESS_EVENT_EXIT (unless it ends itself), and all others get
   PROCESS_EVENT_EXITED with p as data, before this returns. */
void process_exit(struct process *p);

/* Queue an event for p, or for all (PROCESS_BROADCAST; polls come between two of
   them). PROCESS_ERR_FULL if the queue is full: the event is lost. */
int process_post(struct process *p, process_event_t ev, process_data_t data);

/* Deliver an event now, as a call. */
void process_post_synch(struct process *p, process_event_t ev, process_data_t data);

/* Have p called with PROCESS_EVENT_POLL soon. Safe from an rtimer's callback. */
void process_poll(struct process *p);

/* A number for an event of the application's; PROCESS_EVENT_NONE if there are
   no more. */
process_event_t process_alloc_event(void);

bool process_is_running(struct process *p);

/* Call all polled processes and deliver one event. Returns how much is left to do:
   the queued events, and one more if a poll waits. */
process_num_events_t process_run(void);
process_num_events_t process_nevents(void);

#endif
