/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include "blackboard-command.h"
#include "blackboard-thread.h"
#include "cpu-use.h"

/* A request meets a blocked event: whoever blocks it has so long to go on. */
#define PATIENCE 1000 /* us */

THREAD(blackboard, THREAD_PRIORITY_KERNEL, BLACKBOARD_STACK);

static volatile bool woken;

/* Subscriptions have 8 bits for their thread. No number is given twice. */
static struct thread *threads[THREADS_MAX];
_Static_assert(THREADS_MAX < BLACKBOARD_NO_THREAD, "a thread's number");
/*---------------------------------------------------------------------------*/
static uint8_t
number(struct thread *thread)
{
  uint8_t i;

  for(i = 0; i < THREADS_MAX; i++) {
    if(threads[i] == NULL) {
      threads[i] = thread;
    }
    if(threads[i] == thread) {
      return i;
    }
  }
  return BLACKBOARD_NO_THREAD;
}
/*---------------------------------------------------------------------------*/
static bool
is_alive(uint8_t thread)
{
  return !thread_is_stopped(threads[thread]);
}
/*---------------------------------------------------------------------------*/
const struct thread *
blackboard_thread_of(uint8_t thread)
{
  return thread == BLACKBOARD_NO_THREAD ? &blackboard : threads[thread];
}
/*---------------------------------------------------------------------------*/
static void
notify(const struct blackboard_notice *notice)
{
  if(notice->thread != BLACKBOARD_NO_THREAD && notice->deadline > 0) {
    set_deadline(threads[notice->thread],
                 notice->published + notice->deadline);
  }
  if((notice->notification & ~BLACKBOARD_WITH_VALUE)
     == BLACKBOARD_BY_SEMAPHORE) {
    thread_semaphore_signal(notice->notification & BLACKBOARD_WITH_VALUE
                            ? notice->handler.box->semaphore
                            : notice->handler.semaphore);
  }
}
/*---------------------------------------------------------------------------*/
static void
wake(void)
{
  woken = true;
  set_deadline_first(&blackboard);
}
/*---------------------------------------------------------------------------*/
/* It keeps its deadline, the earliest there is, until everything is done: no
   other thread runs before. */
THREAD_BODY(blackboard)
{
  while(1) {
    thread_wait_deadline();
    do {
      woken = false;
#if BLACKBOARD_CPU_USE > 0
      cpu_use(BLACKBOARD_CPU_USE);
#endif
      if(!blackboard_run(thread_now())) {
        thread_sleep(PATIENCE);
        woken = true;
      }
    } while(woken);
    thread_deadline_served();
    if(woken) { /* meanwhile */
      set_deadline_first(&blackboard);
    }
  }
}
/*---------------------------------------------------------------------------*/
void
blackboard_start(void)
{
  static const struct blackboard_port port = {
    .notify = notify, .number = number, .is_alive = is_alive, .wake = wake
  };

  blackboard_init(&port);
  thread_start(&blackboard);
}
/*---------------------------------------------------------------------------*/
/* A notification that came while it was busy has its own deadline, which
   stands. */
enum thread_error
blackboard_wait(uint8_t event, uint8_t subscriber,
                struct thread_semaphore *semaphore)
{
  enum thread_error result = thread_semaphore_wait_for(semaphore, 0);

  if(result != THREAD_OK) {
    thread_deadline_served();
    result = thread_semaphore_wait(semaphore);
  }
  if(result == THREAD_OK) {
    blackboard_taken(event, subscriber);
  }
  return result;
}
/*---------------------------------------------------------------------------*/
void
blackboard_taken(uint8_t event, uint8_t subscriber)
{
  command_taken(event, subscriber);
}
