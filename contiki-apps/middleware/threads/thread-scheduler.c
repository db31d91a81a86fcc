/* SPDX-License-Identifier: Apache-2.0 */
/* Who runs: on the processes' side, whenever a thread has left the CPU or a time
   has come. */
#include "thread-lock.h"
#include "thread-scheduler.h"

#define NOT_LEFT 0xff /* the running thread would go on */
#define IS_DUE(now, time) ((int32_t)((now) - (time)) >= 0)

struct thread thread_idle = { .name = "idle" };
struct thread *thread_table[THREADS_MAX];
uint32_t thread_context_switches;
struct thread_errors thread_errors;
void (*thread_observer)(const struct thread *thread, enum thread_why why);

static struct thread *running = &thread_idle; /* has the CPU */
static struct thread *urgent = &thread_idle;  /* the one that needs it to */
static bool started, counting = true;
static volatile bool inside;    /* its code has the processor now */
static volatile uint8_t left = THREAD_WHY_START;
static uint32_t since;          /* its CPU is accounted for up to then */
static uint32_t slice_end;      /* of the free-running timer */
static uint32_t turns;          /* the last one given */
/*---------------------------------------------------------------------------*/
struct thread *
thread_self(void)
{
  return inside ? running : NULL;
}
/*---------------------------------------------------------------------------*/
uint32_t
thread_now(void)
{
  return thread_clock_now();
}
/*---------------------------------------------------------------------------*/
static void
append(struct thread *thread)
{
  thread->state = THREAD_STATE_READY;
  thread->timed = false;
  thread->lock = NULL;
  thread->turn = ++turns;
}
/*---------------------------------------------------------------------------*/
void
scheduler_make_ready(struct thread *thread)
{
  append(thread);
  if(running == &thread_idle) {
    thread_clock_request();
  }
}
/*---------------------------------------------------------------------------*/
void
scheduler_leave(enum thread_why why)
{
  left = why;
  thread_switch_leave();
}
/*---------------------------------------------------------------------------*/
enum thread_error
scheduler_set_wake_time(struct thread *thread, uint32_t us)
{
  if(us >= THREAD_FARTHEST) {
    return THREAD_TOO_FAR;
  }
  thread->wake_time = thread_clock_now() + us;
  thread->timed = true;
  return THREAD_OK;
}
/*---------------------------------------------------------------------------*/
void
scheduler_stop(struct thread *thread)
{
  thread->state = THREAD_STATE_STOPPED;
  thread->timed = false;
  THREADS_EACH(t) {
    if(t->state == THREAD_STATE_BLOCKED && t->lock->owner == thread
       && t->lock->kind == THREAD_LOCK_MUTEX) {
      thread_errors.owner_stopped++;
      lock_hand_on(t->lock, THREAD_OWNER_STOPPED);
    }
  }
  if(thread == running) {
    left = THREAD_WHY_END;
    thread_clock_request();
  }
}
/*---------------------------------------------------------------------------*/
/* Deadlines before priorities before turns. */
static bool
precedes(const struct thread *a, const struct thread *b)
{
  if(a->urgency != b->urgency) {
    return a->urgency > b->urgency;
  }
  if(a->urgency == THREAD_DEADLINE_AT && a->deadline != b->deadline) {
    return (int32_t)(a->deadline - b->deadline) < 0;
  }
  if(a->priority != b->priority) {
    return a->priority > b->priority;
  }
  return (int32_t)(a->turn - b->turn) < 0;
}
/*---------------------------------------------------------------------------*/
/* Inheritance: the thread that another needs to go on is the last of the chain
   of owners. Nothing is lent, so nothing has to be given back. A chain through
   semaphores may be a circle. */
static struct thread *
end_of_chain(struct thread *thread, const struct thread_lock *lock)
{
  for(uint8_t steps = 0; steps <= THREADS_MAX && thread != NULL; steps++) {
    if(thread->state == THREAD_STATE_READY) {
      return lock == NULL ? thread : NULL;
    }
    if(thread->state != THREAD_STATE_BLOCKED) {
      return NULL;
    }
    if(thread->lock == lock) {
      return thread;
    }
    thread = lock_owner(thread->lock);
  }
  return NULL;
}
/*---------------------------------------------------------------------------*/
static struct thread *
search(const struct thread_lock *lock, struct thread **most_urgent)
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
/*---------------------------------------------------------------------------*/
struct thread *
scheduler_most_urgent(const struct thread_lock *lock)
{
  struct thread *most_urgent;

  return search(lock, &most_urgent);
}
/*---------------------------------------------------------------------------*/
void
scheduler_settle(uint32_t now)
{
  uint32_t elapsed = now - since;

  since = now;
  running->use -= running->use < elapsed ? running->use : elapsed;
  if(counting) {
    running->cpu_time += elapsed;
  }
}
/*---------------------------------------------------------------------------*/
static struct thread *
next_to_wake(void)
{
  struct thread *next = NULL;

  THREADS_EACH(t) {
    if(t->timed &&
       (next == NULL || (int32_t)(t->wake_time - next->wake_time) < 0)) {
      next = t;
    }
  }
  return next;
}
/*---------------------------------------------------------------------------*/
static void
wake(uint32_t now)
{
  struct thread *thread;

  while((thread = next_to_wake()) != NULL && IS_DUE(now, thread->wake_time)) {
    if(thread->state == THREAD_STATE_BLOCKED) {
      thread->result = THREAD_TIMED_OUT;
    }
    append(thread);
  }
}
/*---------------------------------------------------------------------------*/
static bool
slice_is_over(uint32_t now)
{
  if(!started) {
    started = true;
    since = now;
    slice_end = now - now % THREADS_SLICE + THREADS_SLICE;
  }
  if(!IS_DUE(now, slice_end)) {
    return false;
  }
  slice_end += ((now - slice_end) / THREADS_SLICE + 1) * THREADS_SLICE;
  return true;
}
/*---------------------------------------------------------------------------*/
static void
run_next(void)
{
  struct thread *next = search(NULL, &urgent);

  if(next == NULL) {
    next = urgent = &thread_idle;
  }
  if(next != running || left == THREAD_WHY_START) {
    thread_context_switches += counting;
    next->switches += counting;
    running = next;
    if(thread_observer != NULL) {
      thread_observer(next, (enum thread_why)left);
    }
  }
  left = next == &thread_idle ? THREAD_WHY_READY : NOT_LEFT;
}
/*---------------------------------------------------------------------------*/
static void
choose(uint32_t now)
{
  bool slice_over = slice_is_over(now);

  scheduler_settle(now);
  wake(now);
  if(left == NOT_LEFT) {
    if(!slice_over) {
      return;
    }
    left = THREAD_WHY_SLICE;
  }
  if(left == THREAD_WHY_SLICE || left == THREAD_WHY_GIVE_UP) {
    if(urgent->state == THREAD_STATE_BLOCKED) {
      urgent->turn = ++turns;
    }
    running->turn = ++turns;
  }
  run_next();
}
/*---------------------------------------------------------------------------*/
static void
set_alarm(uint32_t now)
{
  struct thread *next;
  uint32_t wait = THREAD_FARTHEST; /* so that no time is taken for a past one */

  if(running != &thread_idle) {
    wait = slice_end - now;
#ifdef THREAD_TIME_IS_MODELLED
    wait = running->use < wait ? running->use : wait;
#endif
  } else if((next = next_to_wake()) != NULL) {
    wait = next->wake_time - now;
  }
  thread_clock_alarm(now + wait);
}
/*---------------------------------------------------------------------------*/
/* Until it leaves. */
static void
go_on(void)
{
  inside = true;
  thread_switch_enter(running);
  inside = false;
  if(!stack_is_whole(running)) {
    thread_errors.stack_overflow++;
    scheduler_stop(running);
    thread_clock_overflowed(running);
  }
}
/*---------------------------------------------------------------------------*/
#ifdef THREAD_TIME_IS_MODELLED
void
threads_run(void)
{
  uint32_t now = thread_clock_now();
  unsigned entered = 0;

  choose(now);
  while(running != &thread_idle && running->use == 0) {
    if(entered++ == THREADS_MOST_AT_ONCE) {
      thread_errors.spinning++;
      running->use = 1000;
      break;
    }
    go_on();
    if(now != thread_clock_now()) { /* it waited for the radio */
      now = thread_clock_now();
      entered = 0;
    }
    choose(now);
  }
  thread_clock_account(running != &thread_idle);
  set_alarm(now);
}
/*---------------------------------------------------------------------------*/
void
threads_interrupt(void)
{
  thread_clock_request();
}
#else
/* Processes go first after each thread's turn. */
void
threads_run(void)
{
  thread_lock_state_t state = thread_interrupts_lock();
  uint32_t now = thread_clock_now();

  choose(now);
  thread_clock_account(running != &thread_idle);
  set_alarm(now);
  if(running != &thread_idle) {
    go_on();
    thread_clock_request();
  }
  thread_interrupts_unlock(state);
}
/*---------------------------------------------------------------------------*/
void
threads_interrupt(void)
{
  if(inside) {
    thread_switch_preempt();
  } else {
    thread_clock_request();
  }
}
#endif
/*---------------------------------------------------------------------------*/
void
threads_flush(void)
{
  thread_lock_state_t state = thread_interrupts_lock();

  if(started) {
    scheduler_settle(thread_clock_now());
    thread_clock_account(running != &thread_idle);
  }
  thread_interrupts_unlock(state);
}
/*---------------------------------------------------------------------------*/
static void
clear(struct thread *thread)
{
  thread->cpu_time = 0;
  thread->switches = 0;
}
/*---------------------------------------------------------------------------*/
void
threads_begin_counting(void)
{
  threads_flush();
  THREADS_EACH(t) {
    clear(t);
  }
  clear(&thread_idle);
  thread_context_switches = 0;
  counting = true;
}
/*---------------------------------------------------------------------------*/
void
threads_end_counting(void)
{
  threads_flush();
  counting = false;
}
