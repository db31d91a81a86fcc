/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who has something that is kept elsewhere, as the blackboard keeps its block
 * flags. A thread that waits for it lends its deadline and its priority to whom
 * has it, as with a mutex. Unlike a mutex it may be a process's, which nothing is
 * lent to, and a wait ends by a deadline that is set for the thread: whoever leaves
 * it sets one. All with interrupts locked; the lock begins as 0.
 */
#ifndef THREAD_HOLDER_H_
#define THREAD_HOLDER_H_

#include "thread-lock.h"

/* The caller, a thread or a process, has it from now on. */
static inline void
thread_holder_take(struct thread_lock *holder)
{
  struct thread *self = thread_self();

  holder->owner = self;
  if(self != NULL) {
    holder->life = self->lives;
  }
}

/* It is left. False, and counted: it isn't the caller's. */
static inline bool
thread_holder_leave(struct thread_lock *holder)
{
  if(holder->owner != thread_self()) {
    thread_errors.not_owner++;
    return false;
  }
  holder->owner = NULL;
  return true;
}

/* The thread that took it has stopped. */
static inline bool
thread_holder_has_stopped(const struct thread_lock *holder)
{
  return holder->owner != NULL && thread_lock_owner(holder) == NULL;
}

/* Until a deadline is set for the caller, or who has it stops. From a thread. */
static inline void
thread_holder_wait(struct thread_lock *holder)
{
  thread_lock_wait(holder, THREAD_WHY_BLOCK);
}

#endif
