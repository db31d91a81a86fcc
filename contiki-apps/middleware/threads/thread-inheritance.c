/* SPDX-License-Identifier: Apache-2.0 */
/* Priority inheritance: which thread the most urgent one needs to go on. Nothing is stored in
   the owners of locks, so nothing has to be taken back. */
#include "thread-lock.h"
#include "thread-scheduler.h"

/* Deadlines count before priorities, and priorities before turns. */
static bool
precedes(const struct thread *a, const struct thread *b)
{
  int32_t order = b->urgency - a->urgency;

  if(order == 0 && a->urgency == THREAD_DEADLINE_AT) {
    order = a->deadline - b->deadline;
  }
  if(order == 0) {
    order = b->priority - a->priority;
  }
  if(order == 0) {
    order = a->turn - b->turn;
  }
  return order < 0;
}
/*---------------------------------------------------------------------------*/
/* The thread that another needs to go on is the last in the chain of owners. A chain
   through semaphores may be a circle. A thread that only a deadline wakes is also woken
   by one that it has from another thread. */
static struct thread *
end_of_chain(struct thread *thread, const struct thread_lock *lock)
{
  bool has_deadline = thread->urgency != THREAD_NO_DEADLINE;

  for(uint8_t steps = 0; steps <= THREADS_MAX && thread != NULL; steps++) {
    if(thread->state == THREAD_STATE_READY
       || (thread->state == THREAD_STATE_BLACKBOARD && has_deadline)) {
      return lock == NULL ? thread : NULL;
    }
    if(thread->state != THREAD_STATE_BLOCKED) {
      return NULL;
    }
    if(thread->lock == lock) {
      return thread;
    }
    thread = thread_lock_owner(thread->lock);
  }
  return NULL;
}
/*---------------------------------------------------------------------------*/
struct thread *
thread_scheduler_most_needed(const struct thread_lock *lock,
                             struct thread **most_urgent)
{
  struct thread *found = NULL;

  THREADS_EACH(t) {
    struct thread *end = end_of_chain(t, lock);

    if(end != NULL && (found == NULL || precedes(t, *most_urgent))) {
      *most_urgent = t;
      found = end;
    }
  }
  return found;
}
