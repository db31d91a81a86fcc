/* SPDX-License-Identifier: Apache-2.0 */
/* A process is a switch over its lines, which is enough to wait for timers, polls and events. */
#ifndef PROCESS_H_
#define PROCESS_H_

#include <stdbool.h>

typedef enum { PROCESS_EVENT_INIT, PROCESS_EVENT_POLL, PROCESS_EVENT_TIMER, serial_line_event_message } process_event_t;

struct process {
  void (*thread)(struct process *process, process_event_t ev, void *data);
  int line; /* where it goes on; -1: it has ended */
};

#define PROCESS(name, string) \
  static void thread_of_##name(struct process *process, process_event_t ev, void *data); \
  struct process name = { thread_of_##name, -1 }
#define PROCESS_THREAD(name, ev, data) \
  static void thread_of_##name(struct process *process, process_event_t ev, void *data)
#define PROCESS_BEGIN() switch(process->line) { case 0:
#define PROCESS_WAIT_UNTIL(condition) do { \
    process->line = __LINE__; \
    __attribute__((fallthrough)); \
  case __LINE__: \
    if(!(condition)) { \
      return; \
    } \
  } while(0)
#define PROCESS_WAIT_EVENT_UNTIL(condition) do { \
    process->line = __LINE__; \
    return; \
  case __LINE__: \
    if(!(condition)) { \
      return; \
    } \
  } while(0)
#define PROCESS_EXIT() do { process->line = -1; return; } while(0)
#define PROCESS_END() } process->line = -1

/* Runs it from its first line, or on from where it waits. */
void process_start(struct process *process, void *data);
void process_poll(struct process *process);
void process_post_synch(struct process *process, process_event_t ev, void *data);

#endif
