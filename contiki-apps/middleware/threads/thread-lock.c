/* SPDX-License-Identifier: Apache-2.0 */
#include "thread-lock.h"
#include "thread-scheduler.h"

/*---------------------------------------------------------------------------*/
struct thread *
lock_owner(const struct thread_lock *lock)
{
  struct thread *owner = lock->owner;

  return owner == NULL || owner->state == THREAD_STATE_STOPPED
    || owner->lives != lock->life ? NULL : owner;
}
/*---------------------------------------------------------------------------*/
static void
pass(struct thread_lock *lock, struct thread *thread)
{
  if(lock->kind != THREAD_LOCK_SIGNAL) {
    lock->owner = thread;
    lock->life = thread->lives;
  }
}
/*---------------------------------------------------------------------------*/
void
lock_hand_on(struct thread_lock *lock, enum thread_error result)
{
  struct thread *next = scheduler_most_urgent(lock);

  lock->owner = NULL;
  if(next == NULL) {
    lock->count += lock->count < UINT8_MAX;
  } else {
    next->result = result;
    scheduler_make_ready(next);
    pass(lock, next);
  }
}
/*---------------------------------------------------------------------------*/
static enum thread_error
wait(struct thread_lock *lock, struct thread *self, enum thread_why why)
{
  self->lock = lock;
  self->state = THREAD_STATE_BLOCKED;
  self->result = THREAD_OK;
  scheduler_leave(why);
  return (enum thread_error)self->result;
}
/*---------------------------------------------------------------------------*/
/* Does that thread wait, through mutexes, for the caller? */
static bool
closes_circle(const struct thread *thread, const struct thread *self)
{
  while(thread != NULL && thread != self
        && thread->state == THREAD_STATE_BLOCKED
        && thread->lock->kind == THREAD_LOCK_MUTEX) {
    thread = lock_owner(thread->lock);
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
  if(lock_owner(lock) == NULL) {
    pass(lock, self);
    thread_errors.owner_stopped++;
    return THREAD_OWNER_STOPPED;
  }
  if(closes_circle(lock->owner, self)) {
    thread_errors.deadlock++;
    return THREAD_DEADLOCK;
  }
  return wait(lock, self, THREAD_WHY_BLOCK);
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

  if(self != NULL && lock_owner(&mutex->lock) == self) {
    lock_hand_on(&mutex->lock, THREAD_OK);
    error = THREAD_OK;
  } else {
    thread_errors.not_owner++;
  }
  thread_interrupts_unlock(state);
  return error;
}
/*---------------------------------------------------------------------------*/
/* Takes one, or says how a wait for it would begin: THREAD_TIMED_OUT if it may. */
static enum thread_error
take(struct thread_lock *lock, struct thread *self)
{
  if(lock->count == 0) {
    return self == NULL ? THREAD_NOT_IN_A_THREAD : THREAD_TIMED_OUT;
  }
  lock->count--;
  if(self != NULL) {
    pass(lock, self);
  }
  return THREAD_OK;
}
/*---------------------------------------------------------------------------*/
enum thread_error
thread_semaphore_wait(struct thread_semaphore *semaphore)
{
  struct thread *self = thread_self();
  thread_lock_state_t state = thread_interrupts_lock();
  enum thread_error error = take(&semaphore->lock, self);

  if(error == THREAD_TIMED_OUT) {
    error = wait(&semaphore->lock, self, THREAD_WHY_WAIT);
  }
  thread_interrupts_unlock(state);
  return error;
}
/*---------------------------------------------------------------------------*/
enum thread_error
thread_semaphore_wait_for(struct thread_semaphore *semaphore,
                          uint32_t microseconds)
{
  struct thread *self = thread_self();
  thread_lock_state_t state = thread_interrupts_lock();
  enum thread_error error = take(&semaphore->lock, self);

  if(microseconds > 0 && error == THREAD_TIMED_OUT) {
    error = scheduler_set_wake_time(self, microseconds);
    if(error == THREAD_OK) {
      error = wait(&semaphore->lock, self, THREAD_WHY_WAIT);
    }
  } else if(error == THREAD_NOT_IN_A_THREAD && microseconds == 0) {
    error = THREAD_TIMED_OUT;
  }
  thread_interrupts_unlock(state);
  return error;
}
/*---------------------------------------------------------------------------*/
static void
post(struct thread_lock *lock, uint8_t most)
{
  thread_lock_state_t state = thread_interrupts_lock();

  if(lock->count < most) {
    lock_hand_on(lock, THREAD_OK);
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
