/* SPDX-License-Identifier: Apache-2.0 */
#include "thread-lock.h"
#include "thread-scheduler.h"

/*---------------------------------------------------------------------------*/
struct thread *
thread_lock_owner(const struct thread_lock *lock)
{
  struct thread *owner = lock->owner;

  return lock->kind == THREAD_LOCK_SIGNAL || owner == NULL
    || owner->state == THREAD_STATE_STOPPED || owner->lives != lock->life
    ? NULL : owner;
}
/*---------------------------------------------------------------------------*/
/* The signal that waited had a deadline. The thread that takes it has that
   deadline now, because what it did before is done. */
static void
pass(struct thread_lock *lock, struct thread *thread)
{
  bool is_signal = lock->kind == THREAD_LOCK_SIGNAL;

  if(is_signal && lock->life && thread != NULL) {
    thread->urgency = THREAD_DEADLINE_AT;
    thread->deadline = lock->deadline;
  }
  if(is_signal) {
    lock->life = 0;
  } else if(thread != NULL) {
    lock->owner = thread;
    lock->life = thread->lives;
  }
}
/*---------------------------------------------------------------------------*/
void
thread_lock_hand_on(struct thread_lock *lock, enum thread_error result)
{
  struct thread *most_urgent;
  struct thread *next = thread_scheduler_most_needed(lock, &most_urgent);

  if(lock->kind != THREAD_LOCK_SIGNAL) {
    lock->owner = NULL;
  }
  if(next == NULL) {
    lock->count += lock->count < UINT8_MAX;
  } else {
    next->result = result;
    thread_scheduler_make_ready(next);
    pass(lock, next);
  }
}
/*---------------------------------------------------------------------------*/
enum thread_error
thread_lock_wait(struct thread_lock *lock, enum thread_why why)
{
  struct thread *self = thread_self();

  if(self != NULL) {
    self->lock = lock;
  }
  return thread_scheduler_leave(THREAD_STATE_BLOCKED, why);
}
/*---------------------------------------------------------------------------*/
/* Does that thread wait for the caller through mutexes? */
static bool
closes_circle(const struct thread *thread, const struct thread *self)
{
  while(thread != NULL && thread != self
        && thread->state == THREAD_STATE_BLOCKED
        && thread->lock->kind == THREAD_LOCK_MUTEX) {
    thread = thread_lock_owner(thread->lock);
  }
  return thread == self;
}
/*---------------------------------------------------------------------------*/
static enum thread_error
lock_mutex(struct thread_lock *lock, struct thread *self)
{
  if(lock->count > 0) {
    lock->count = 0;
    pass(lock, self);
    return THREAD_OK;
  }
  if(thread_lock_owner(lock) == NULL) {
    pass(lock, self);
    thread_errors.owner_stopped++;
    return THREAD_OWNER_STOPPED;
  }
  if(closes_circle(lock->owner, self)) {
    thread_errors.deadlock++;
    return THREAD_DEADLOCK;
  }
  return thread_lock_wait(lock, THREAD_WHY_BLOCK);
}
/*---------------------------------------------------------------------------*/
enum thread_error
thread_mutex_lock(struct thread_mutex *mutex)
{
  struct thread *self = thread_self();
  thread_lock_state_t state;
  enum thread_error error;

  if(self == NULL) {
    return THREAD_NOT_IN_A_THREAD;
  }
  state = thread_interrupts_lock();
  error = lock_mutex(&mutex->lock, self);
  thread_interrupts_unlock(state);
  return error;
}
/*---------------------------------------------------------------------------*/
enum thread_error
thread_mutex_unlock(struct thread_mutex *mutex)
{
  struct thread *self = thread_self();
  thread_lock_state_t state = thread_interrupts_lock();
  enum thread_error error = THREAD_NOT_OWNER;

  if(self != NULL && thread_lock_owner(&mutex->lock) == self) {
    thread_lock_hand_on(&mutex->lock, THREAD_OK);
    error = THREAD_OK;
  } else {
    thread_errors.not_owner++;
  }
  thread_interrupts_unlock(state);
  return error;
}
/*---------------------------------------------------------------------------*/
enum thread_error
thread_semaphore_wait_for(struct thread_semaphore *semaphore,
                          uint32_t microseconds)
{
  struct thread_lock *lock = &semaphore->lock;
  thread_lock_state_t state = thread_interrupts_lock();
  enum thread_error error = THREAD_OK;

  if(lock->count > 0) {
    lock->count--;
    pass(lock, thread_self());
  } else if(microseconds == 0) {
    error = THREAD_TIMED_OUT;
  } else {
    if(microseconds != THREAD_FOREVER) {
      error = thread_scheduler_set_wake_time(microseconds);
    }
    if(error == THREAD_OK) {
      error = thread_lock_wait(lock, THREAD_WHY_WAIT);
    }
  }
  thread_interrupts_unlock(state);
  return error;
}
/*---------------------------------------------------------------------------*/
enum thread_error
thread_semaphore_wait(struct thread_semaphore *semaphore)
{
  return thread_semaphore_wait_for(semaphore, THREAD_FOREVER);
}
/*---------------------------------------------------------------------------*/
static void
post(struct thread_lock *lock, uint8_t most)
{
  thread_lock_state_t state = thread_interrupts_lock();

  if(lock->count < most) {
    thread_lock_hand_on(lock, THREAD_OK);
  }
  thread_interrupts_unlock(state);
}
/*---------------------------------------------------------------------------*/
void
thread_semaphore_post(struct thread_semaphore *semaphore)
{
  post(&semaphore->lock, UINT8_MAX);
}
/*---------------------------------------------------------------------------*/
void
thread_semaphore_signal(struct thread_semaphore *semaphore)
{
  post(&semaphore->lock, 1);
}
/*---------------------------------------------------------------------------*/
void
thread_semaphore_signal_by(struct thread_semaphore *semaphore,
                           uint32_t deadline)
{
  struct thread_lock *lock = &semaphore->lock;
  thread_lock_state_t state = thread_interrupts_lock();

  post(lock, 1);
  if(lock->kind == THREAD_LOCK_SIGNAL && lock->count > 0
     && (!lock->life || (int32_t)(deadline - lock->deadline) < 0)) {
    lock->life = 1;
    lock->deadline = deadline;
  }
  thread_interrupts_unlock(state);
}
