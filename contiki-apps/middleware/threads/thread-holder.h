/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records who holds something that is kept elsewhere, as the blackboard keeps its
 * block flags. As with a mutex, a thread that waits for it lends its deadline and
 * its priority to the holder. Unlike with a mutex, a process may be the holder, to
 * which nothing is lent, and the wait ends by a deadline that is set for the
 * thread: whoever releases it sets one. All functions are called with interrupts
 * locked; the lock is 0 at first.
 */
#ifndef THREAD_HOLDER_H_
#define THREAD_HOLDER_H_

#include "thread-lock.h"

/* The caller, a thread or a process, holds it from now on. */
static inline void
thread_holder_take(struct thread_lock *holder)
{
  struct thread *self = thread_self();

  holder->owner = self;
  if(self != NULL) {
    holder->life = self->lives;
  }
}

/* Releases it. Returns false, and counts an error, if the caller doesn't hold
   it. */
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

/* A thread waits until a deadline is set for it, or until the holder stops. */
static inline void
thread_holder_wait(struct thread_lock *holder)
{
  thread_lock_wait(holder, THREAD_WHY_BLOCK);
}

#endif
