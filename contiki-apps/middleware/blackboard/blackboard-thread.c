/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include "blackboard-command.h"
#include "blackboard-thread.h"
#include "cpu-use.h"
#include "thread-holder.h"

THREAD(blackboard, THREAD_PRIORITY_KERNEL, BLACKBOARD_STACK);

static volatile bool woken;

/* Who has the block flags. */
static struct thread_lock blockers[BLACKBOARD_FLAGS];

/* Subscriptions have 8 bits for their thread. This one has none. */
#define THREADS (THREADS_MAX - 1)
static struct thread *threads[THREADS];
_Static_assert(THREADS > 0 && THREADS < BLACKBOARD_GONE, "a thread's number");
_Static_assert(BLACKBOARD_FARTHEST == THREAD_FARTHEST, "one clock");
/*---------------------------------------------------------------------------*/
/* Returns the thread's own number, else a new one, else that of a thread which has
   stopped. A stopped thread without subscriptions is preferred; otherwise its
   subscriptions belong to nobody from now on. There are more numbers than running
   threads. */
static int
number(struct thread *thread)
{
  uint8_t i, stopped = BLACKBOARD_GONE;

  if(thread_is_stopped(thread)) {
    return BLACKBOARD_STOPPED_HANDLER;
  }
  for(i = 0; i < THREADS && threads[i] != NULL; i++) {
    if(threads[i] == thread) {
      return i;
    }
    if(thread_is_stopped(threads[i])
       && (stopped == BLACKBOARD_GONE || !blackboard_renumber(i, i))) {
      stopped = i;
    }
  }
  if(i == THREADS) {
    i = stopped;
    blackboard_renumber(i, BLACKBOARD_GONE);
  }
  threads[i] = thread;
  return i;
}
/*---------------------------------------------------------------------------*/
static bool
is_alive(uint8_t thread)
{
  return thread != BLACKBOARD_GONE && !thread_is_stopped(threads[thread]);
}
/*---------------------------------------------------------------------------*/
const struct thread *
blackboard_thread_of(uint8_t thread)
{
  return thread == BLACKBOARD_NO_THREAD ? &blackboard : threads[thread];
}
/*---------------------------------------------------------------------------*/
/* Returns NULL if no semaphore notifies it. */
static struct thread_semaphore *
semaphore_of(const struct blackboard_notice *notice)
{
  return (notice->notification & ~BLACKBOARD_WITH_VALUE)
    != BLACKBOARD_BY_SEMAPHORE ? NULL
    : notice->notification & BLACKBOARD_WITH_VALUE
    ? notice->handler.box->semaphore : notice->handler.semaphore;
}
/*---------------------------------------------------------------------------*/
static void
notify(const struct blackboard_notice *notice)
{
  uint32_t deadline = notice->published + notice->deadline;
  struct thread_semaphore *semaphore = semaphore_of(notice);

  if(notice->deadline > 0) {
    struct thread *thread = threads[notice->thread];

    if(thread_set_deadline(thread, deadline) == THREAD_TOO_FAR) { /* in the past */
      deadline = thread_now();
      thread_set_deadline(thread, deadline);
    }
    if(semaphore != NULL) {
      thread_semaphore_signal_by(semaphore, deadline);
    }
  } else if(semaphore != NULL) {
    thread_semaphore_signal(semaphore);
  }
}
/*---------------------------------------------------------------------------*/
static void
wake(void)
{
  woken = true;
  thread_set_deadline_first(&blackboard);
}
/*---------------------------------------------------------------------------*/
static void
take(uint8_t flag)
{
  thread_holder_take(&blockers[flag]);
}
/*---------------------------------------------------------------------------*/
static bool
leave(uint8_t flag)
{
  bool is_its = thread_holder_leave(&blockers[flag]);

  if(is_its && blackboard.state == THREAD_STATE_BLOCKED) {
    thread_set_deadline_first(&blackboard);
  }
  return is_its;
}
/*---------------------------------------------------------------------------*/
static bool
is_left(uint8_t flag)
{
  return thread_holder_has_stopped(&blockers[flag]);
}
/*---------------------------------------------------------------------------*/
/* Waits until the event isn't blocked any more, or there is more to do. The thread
   that blocks it runs in place of this one, within a slice as this one does
   (section 6), but not before subscribers of other events, which may have less
   time. */
static void
wait_for(uint8_t event)
{
  thread_lock_state_t state = thread_interrupts_lock();

  if(!woken && blackboard_is_blocked(event)) {
    thread_deadline_served();
    thread_set_deadline(&blackboard, thread_now() + THREADS_SLICE);
    thread_holder_wait(&blockers[BLACKBOARD_FLAG(event)]);
  }
  thread_interrupts_unlock(state);
}
/*---------------------------------------------------------------------------*/
/* It keeps its deadline, the earliest there is, until everything is done: no
   other thread runs before. */
THREAD_BODY(blackboard)
{
  uint8_t blocked;

  while(1) {
    thread_wait_deadline();
    do {
      woken = false;
#if BLACKBOARD_CPU_USE > 0
      cpu_use(BLACKBOARD_CPU_USE);
#endif
      blocked = blackboard_run(thread_now());
      if(blocked != BLACKBOARD_DONE) {
        wait_for(blocked);
      }
    } while(woken || blocked != BLACKBOARD_DONE);
    thread_deadline_served();
    if(woken) { /* meanwhile */
      thread_set_deadline_first(&blackboard);
    }
  }
}
/*---------------------------------------------------------------------------*/
void
blackboard_start(void)
{
  static const struct blackboard_port port = {
    .notify = notify, .number = number, .is_alive = is_alive, .wake = wake,
    .take = take, .leave = leave, .is_left = is_left
  };

  blackboard_init(&port);
  thread_start(&blackboard);
}
/*---------------------------------------------------------------------------*/
/* A notification that came while it was busy has its own deadline, which counts
   from now on; or none. */
enum thread_error
blackboard_wait(uint8_t event, uint8_t subscriber,
                struct thread_semaphore *semaphore)
{
  thread_lock_state_t state = thread_interrupts_lock();
  enum thread_error result;

  thread_deadline_served();
  result = thread_semaphore_wait_for(semaphore, 0);
  thread_interrupts_unlock(state);
  if(result == THREAD_OK) {
    thread_dispatch(); /* another thread's may be earlier than the new one */
  } else {
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
  blackboard_command_taken(event, subscriber);
}
