/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include "thread-log.h"
#include "thread.h"

/*---------------------------------------------------------------------------*/
static void
print_thread(const struct thread *thread)
{
  printf("!thr,%s,%u,%lu,%lu,%u,%u\n", thread->name, (unsigned)thread->priority,
         (unsigned long)thread->cpu_time, (unsigned long)thread->switches,
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
  threads_flush();
  for(unsigned i = 0; i < THREADS_MAX; i++) {
    if(thread_table[i] != NULL) {
      print_thread(thread_table[i]);
    }
  }
  print_thread(&thread_idle);
  print_counter("", "context_switches", thread_context_switches);
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
