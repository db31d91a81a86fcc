/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include "thread-log.h"
#include "thread.h"

/* The counts of the threads in the table and, last, of the idle thread. */
struct count {
  uint64_t cpu_time; /* us */
  uint32_t switches;
};

static struct count counts[THREADS_MAX + 1];
static uint32_t context_switches;
static bool has_ended;
/*---------------------------------------------------------------------------*/
static struct thread *
thread_at(unsigned place)
{
  return place < THREADS_MAX ? thread_table[place] : &thread_idle;
}
/*---------------------------------------------------------------------------*/
void
threads_begin_counting(void)
{
  threads_flush();
  for(unsigned i = 0; i <= THREADS_MAX; i++) {
    struct thread *thread = thread_at(i);

    if(thread != NULL) {
      thread->cpu_time = 0;
      thread->switches = 0;
    }
  }
  thread_context_switches = 0;
  has_ended = false;
}
/*---------------------------------------------------------------------------*/
void
threads_end_counting(void)
{
  threads_flush();
  for(unsigned i = 0; i <= THREADS_MAX; i++) {
    struct thread *thread = thread_at(i);

    if(thread != NULL) {
      counts[i].cpu_time = thread->cpu_time;
      counts[i].switches = thread->switches;
    }
  }
  context_switches = thread_context_switches;
  has_ended = true;
}
/*---------------------------------------------------------------------------*/
static void
print_thread(const struct thread *thread, const struct count *count)
{
  printf("!thr,%s,%u,%lu,%lu,%u,%u\n",
         thread == &thread_idle ? "idle" : thread->name,
         (unsigned)thread->priority,
         (unsigned long)count->cpu_time, (unsigned long)count->switches,
         (unsigned)thread_stack_used(thread),
         (unsigned)thread_stack_size(thread));
}
/*---------------------------------------------------------------------------*/
static void
print_counter(const char *prefix, const char *name, unsigned long value)
{
  printf("!cnt,%s%s,%lu\n", prefix, name, value);
}
/*---------------------------------------------------------------------------*/
void
thread_log_dump(void)
{
  if(!has_ended) {
    threads_end_counting();
    has_ended = false;
  }
  for(unsigned i = 0; i <= THREADS_MAX; i++) {
    if(thread_at(i) != NULL) {
      print_thread(thread_at(i), &counts[i]);
    }
  }
  print_counter("", "context_switches", context_switches);
#define PRINT_ERROR(name) \
  if(thread_errors.name > 0) { \
    print_counter("threads_", #name, thread_errors.name); \
  }
  THREAD_ERRORS(PRINT_ERROR)
}
/*---------------------------------------------------------------------------*/
static void
print_switch(const struct thread *thread, enum thread_why why)
{
  static const char *const whys[] = {
    "start", "slice", "sleep", "wait", "give_up", "dispatch", "block", "end",
    "ready"
  };

  printf("!sch,%s,%s\n", thread->name, whys[why]);
}
/*---------------------------------------------------------------------------*/
void
thread_log_trace(void)
{
  thread_observer = print_switch;
}
