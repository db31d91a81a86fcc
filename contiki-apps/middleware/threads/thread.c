/* SPDX-License-Identifier: Apache-2.0 */
/* The functions by which threads are started and controlled, and those that threads
   call. */
#include "cpu-use.h"
#include "thread-lock.h"
#include "thread-scheduler.h"

/*---------------------------------------------------------------------------*/
/* Returns the thread's former place in the table, a free one, or that of a stopped
   thread. */
static struct thread **
find_place(const struct thread *thread)
{
  struct thread **found = NULL;

  for(struct thread **place = thread_table + THREADS_MAX;
      place-- > thread_table; ) { /* the first free one, in the end */
    if(*place == thread) {
      return place;
    }
    if(*place == NULL
       || (found == NULL && (*place)->state == THREAD_STATE_STOPPED)) {
      found = place;
    }
  }
  return found;
}
/*---------------------------------------------------------------------------*/
static enum thread_error
start(struct thread *thread)
{
  struct thread **place;

  if(thread->state != THREAD_STATE_STOPPED) {
    return THREAD_RUNNING;
  }
  place = find_place(thread);
  if(place == NULL) {
    thread_errors.no_room++;
    return THREAD_NO_ROOM;
  }
  *place = thread;
  thread->lives++;
  thread->urgency = THREAD_NO_DEADLINE;
  thread->use = 0;
  thread_stack_paint(thread);
  thread_switch_prepare(thread);
  thread_scheduler_make_ready(thread);
  return THREAD_OK;
}
/*---------------------------------------------------------------------------*/
enum thread_error
thread_start(struct thread *thread)
{
  thread_lock_state_t state = thread_interrupts_lock();
  enum thread_error error = start(thread);

  thread_interrupts_unlock(state);
  return error;
}
/*---------------------------------------------------------------------------*/
enum thread_error
thread_stop(struct thread *thread)
{
  thread_lock_state_t state = thread_interrupts_lock();
  enum thread_error error = THREAD_STOPPED;

  if(thread->state != THREAD_STATE_STOPPED) {
    error = THREAD_OK;
    thread_scheduler_stop(thread);
    if(thread == thread_self()) {
      thread_scheduler_leave(THREAD_STATE_STOPPED, THREAD_WHY_END);
    }
  }
  thread_interrupts_unlock(state);
  return error;
}
/*---------------------------------------------------------------------------*/
void
thread_run_body(void)
{
  struct thread *self = thread_self();

  self->body();
  thread_stop(self);
}
/*---------------------------------------------------------------------------*/
static enum thread_error
tighten(struct thread *thread, enum thread_urgency urgency, uint32_t deadline)
{
  if(thread->state == THREAD_STATE_STOPPED) {
    return THREAD_STOPPED;
  }
  if(urgency > thread->urgency
     || (urgency == thread->urgency
         && (int32_t)(deadline - thread->deadline) < 0)) {
    thread->urgency = urgency;
    thread->deadline = deadline;
  }
  if(thread->state >= THREAD_STATE_BLOCKED) {
    if(thread->lock == NULL || thread->lock->kind == THREAD_LOCK_HOLDER) {
      thread_scheduler_make_ready(thread);
    } else {
      thread_scheduler_look(); /* whom it waits for may be woken by it */
    }
  }
  return THREAD_OK;
}
/*---------------------------------------------------------------------------*/
enum thread_error
thread_set_deadline(struct thread *thread, uint32_t deadline)
{
  thread_lock_state_t state = thread_interrupts_lock();
  uint32_t away = deadline - thread_clock_now();
  enum thread_error error = THREAD_TOO_FAR;

  if((uint32_t)(away + THREAD_FARTHEST - 1) < 2 * THREAD_FARTHEST - 1) {
    error = tighten(thread, THREAD_DEADLINE_AT, deadline);
    if(error == THREAD_OK && (int32_t)away < 0) {
      thread_errors.deadline_past++;
      error = THREAD_DEADLINE_PAST;
    }
  }
  thread_interrupts_unlock(state);
  return error;
}
/*---------------------------------------------------------------------------*/
enum thread_error
thread_set_deadline_first(struct thread *thread)
{
  thread_lock_state_t state = thread_interrupts_lock();
  enum thread_error error = tighten(thread, THREAD_DEADLINE_FIRST, 0);

  thread_interrupts_unlock(state);
  return error;
}
/*---------------------------------------------------------------------------*/
/* A thread that already has a deadline doesn't wait for one. */
static enum thread_error
leave(enum thread_state thread_state, enum thread_why why)
{
  thread_lock_state_t state = thread_interrupts_lock();
  struct thread *self = thread_self();
  enum thread_error error = THREAD_OK;

  if(self == NULL || thread_state != THREAD_STATE_BLACKBOARD
     || self->urgency == THREAD_NO_DEADLINE) {
    error = thread_scheduler_leave(thread_state, why);
  }
  thread_interrupts_unlock(state);
  return error;
}
/*---------------------------------------------------------------------------*/
enum thread_error
thread_give_up(void)
{
  return leave(THREAD_STATE_READY, THREAD_WHY_GIVE_UP);
}
/*---------------------------------------------------------------------------*/
enum thread_error
thread_dispatch(void)
{
  return leave(THREAD_STATE_READY, THREAD_WHY_DISPATCH);
}
/*---------------------------------------------------------------------------*/
enum thread_error
thread_wait_deadline(void)
{
  return leave(THREAD_STATE_BLACKBOARD, THREAD_WHY_WAIT);
}
/*---------------------------------------------------------------------------*/
enum thread_error
thread_sleep(uint32_t microseconds)
{
  thread_lock_state_t state = thread_interrupts_lock();
  enum thread_error error = thread_scheduler_set_wake_time(microseconds);

  if(error == THREAD_OK) {
    error = thread_scheduler_leave(THREAD_STATE_SLEEPING, THREAD_WHY_SLEEP);
  }
  thread_interrupts_unlock(state);
  return error;
}
/*---------------------------------------------------------------------------*/
enum thread_error
thread_deadline_served(void)
{
  struct thread *self = thread_self();

  if(self == NULL) {
    return THREAD_NOT_IN_A_THREAD;
  }
  self->urgency = THREAD_NO_DEADLINE;
  return THREAD_OK;
}
/*---------------------------------------------------------------------------*/
#ifdef THREAD_TIME_IS_MODELLED
enum thread_error
cpu_use(uint32_t microseconds)
{
  struct thread *self = thread_self();

  if(self == NULL) {
    return THREAD_NOT_IN_A_THREAD;
  }
  if(microseconds > 0) {
    thread_scheduler_settle(thread_clock_now()); /* it may have waited for the radio */
    self->use = microseconds;
    thread_switch_leave();
  }
  return THREAD_OK;
}
#else
enum thread_error
cpu_use(uint32_t microseconds)
{
  struct thread *self = thread_self();
  thread_lock_state_t state;

  if(self == NULL) {
    return THREAD_NOT_IN_A_THREAD;
  }
  self->use = microseconds;
  do { /* the scheduler takes off what it has had */
    threads_flush();
    state = thread_interrupts_lock();
    microseconds = self->use;
    thread_interrupts_unlock(state);
  } while(microseconds > 0);
  return THREAD_OK;
}
#endif
