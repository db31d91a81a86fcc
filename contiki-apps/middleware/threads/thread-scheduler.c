/* SPDX-License-Identifier: Apache-2.0 */
/* Decides which thread runs. This happens on the processes' side, whenever a
   thread has left the CPU or a time has come. */
#include "thread-lock.h"
#include "thread-scheduler.h"

#define NOT_LEFT 0xff /* the running thread wants to go on */
#define IS_DUE(now, time) ((int32_t)((now) - (time)) >= 0)

struct thread thread_idle;
struct thread *thread_table[THREADS_MAX];
uint32_t thread_context_switches;
struct thread_errors thread_errors;
void (*thread_observer)(const struct thread *thread, enum thread_why why);

/* This is one variable because on an ARM the address of each has to be
   loaded. */
static struct {
  struct thread *running;  /* has the CPU */
  struct thread *urgent;   /* the one that needs it to */
  uint32_t since;          /* its CPU is accounted for up to then */
  uint32_t slice_end;      /* of the free-running timer */
  uint32_t turns;          /* the last one given */
  bool inside;             /* the running thread's code has the processor */
  uint8_t left;            /* why it doesn't go on, or NOT_LEFT */
  bool started;
} cpu;
/*---------------------------------------------------------------------------*/
struct thread *
thread_self(void)
{
  return cpu.inside ? cpu.running : NULL;
}
/*---------------------------------------------------------------------------*/
uint32_t
thread_now(void)
{
  return thread_clock_now();
}
/*---------------------------------------------------------------------------*/
/* Puts the thread after the others of its priority. */
static void __attribute__((noinline)) /* it is smaller so */
take_turn(struct thread *thread)
{
  thread->turn = ++cpu.turns;
}
/*---------------------------------------------------------------------------*/
static void __attribute__((noinline))
append(struct thread *thread)
{
  thread->state = THREAD_STATE_READY;
  thread->timed = false;
  thread->lock = NULL;
  take_turn(thread);
}
/*---------------------------------------------------------------------------*/
static void __attribute__((noinline))
begin_slice(uint32_t now)
{
  cpu.slice_end += ((now - cpu.slice_end) / THREADS_SLICE + 1) * THREADS_SLICE;
}
/*---------------------------------------------------------------------------*/
static void
start_scheduler(uint32_t now)
{
  cpu.started = true;
  cpu.running = cpu.urgent = &thread_idle;
  cpu.since = now;
  begin_slice(now);
  thread_idle.name = "idle";
}
/*---------------------------------------------------------------------------*/
void
thread_scheduler_look(void)
{
  if(!cpu.started) {
    start_scheduler(thread_clock_now());
  }
  if(THREADS_PREEMPT || cpu.running == &thread_idle) {
    thread_clock_request();
  }
}
/*---------------------------------------------------------------------------*/
void
thread_scheduler_make_ready(struct thread *thread)
{
  append(thread);
  thread_scheduler_look();
}
/*---------------------------------------------------------------------------*/
enum thread_error
thread_scheduler_leave(enum thread_state thread_state, enum thread_why why)
{
  struct thread *self = thread_self();

  if(self == NULL) {
    return THREAD_NOT_IN_A_THREAD;
  }
  self->result = THREAD_OK;
  self->state = thread_state;
  cpu.left = why;
  thread_switch_leave();
  return (enum thread_error)self->result;
}
/*---------------------------------------------------------------------------*/
enum thread_error
thread_scheduler_set_wake_time(uint32_t us)
{
  struct thread *self = thread_self();

  if(self == NULL) {
    return THREAD_NOT_IN_A_THREAD;
  }
  if(us >= THREAD_FARTHEST) {
    return THREAD_TOO_FAR;
  }
  self->wake_time = thread_clock_now() + us;
  self->timed = true;
  return THREAD_OK;
}
/*---------------------------------------------------------------------------*/
void
thread_scheduler_stop(struct thread *thread)
{
  thread->state = THREAD_STATE_STOPPED;
  thread->timed = false;
  THREADS_EACH(t) {
    if(t->state == THREAD_STATE_BLOCKED && t->lock->owner == thread
       && t->lock->kind <= THREAD_LOCK_MUTEX) {
      thread_errors.owner_stopped++;
      if(t->lock->kind == THREAD_LOCK_HOLDER) {
        thread_scheduler_make_ready(t);
      } else {
        thread_lock_hand_on(t->lock, THREAD_OWNER_STOPPED);
      }
    }
  }
  if(thread == cpu.running) {
    cpu.left = THREAD_WHY_END;
    thread_clock_request();
  }
}
/*---------------------------------------------------------------------------*/
void
thread_scheduler_settle(uint32_t now)
{
  uint32_t elapsed = now - cpu.since;

  cpu.since = now;
  cpu.running->use -= cpu.running->use < elapsed ? cpu.running->use : elapsed;
  cpu.running->cpu_time += elapsed;
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
  if(!IS_DUE(now, cpu.slice_end)) {
    return false;
  }
  begin_slice(now);
  return true;
}
/*---------------------------------------------------------------------------*/
static void
run_next(void)
{
  struct thread *next = thread_scheduler_most_needed(NULL, &cpu.urgent);

  if(next == NULL) {
    next = cpu.urgent = &thread_idle;
  } else if(next->state == THREAD_STATE_BLACKBOARD) {
    append(next);
  }
  if(next != cpu.running || cpu.left == THREAD_WHY_START) {
    thread_context_switches++;
    next->switches++;
    cpu.running = next;
    if(thread_observer != NULL) {
      thread_observer(next, (enum thread_why)cpu.left);
    }
  }
  cpu.left = next == &thread_idle ? THREAD_WHY_READY : NOT_LEFT;
}
/*---------------------------------------------------------------------------*/
/* Whether the running thread, which wants to go on, gives way to a more urgent one. */
static bool
gives_way(bool slice_over)
{
#if THREADS_PREEMPT && defined(THREAD_TIME_IS_MODELLED)
  return cpu.running->use > 0; /* what it does next, having computed, takes no time */
#else
  return THREADS_PREEMPT || slice_over;
#endif
}
/*---------------------------------------------------------------------------*/
static void
choose(uint32_t now)
{
  bool slice_over = slice_is_over(now);

  thread_scheduler_settle(now);
  wake(now);
  if(cpu.left == NOT_LEFT) {
    if(!gives_way(slice_over)) {
      return;
    }
    cpu.left = slice_over ? THREAD_WHY_SLICE : THREAD_WHY_DISPATCH;
  }
  if(cpu.left == THREAD_WHY_SLICE || cpu.left == THREAD_WHY_GIVE_UP) {
    if(cpu.urgent->state == THREAD_STATE_BLOCKED) {
      take_turn(cpu.urgent);
    }
    take_turn(cpu.running);
  }
  run_next();
}
/*---------------------------------------------------------------------------*/
static void
set_alarm(uint32_t now)
{
  struct thread *next = NULL;
  uint32_t wait = THREAD_FARTHEST; /* so that no time is taken for a past one */

  if(cpu.running != &thread_idle) {
    wait = cpu.slice_end - now;
#ifdef THREAD_TIME_IS_MODELLED
    wait = cpu.running->use < wait ? cpu.running->use : wait;
#endif
  }
  if(THREADS_PREEMPT || cpu.running == &thread_idle) {
    next = next_to_wake();
  }
  if(next != NULL && (!THREADS_PREEMPT || next->wake_time - now < wait)) {
    wait = next->wake_time - now;
  }
  thread_clock_alarm(now + wait);
}
/*---------------------------------------------------------------------------*/
/* Runs the thread until it leaves the CPU. */
static void
go_on(void)
{
  cpu.inside = true;
  thread_switch_enter(cpu.running);
  cpu.inside = false;
  if(!thread_stack_is_whole(cpu.running)) {
    thread_errors.stack_overflow++;
    thread_scheduler_stop(cpu.running);
    thread_clock_overflowed(cpu.running);
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
  while(cpu.running != &thread_idle && cpu.running->use == 0) {
    if(entered++ == THREADS_MOST_AT_ONCE) {
      thread_errors.spinning++;
      cpu.running->use = 1000;
      break;
    }
    go_on();
    if(now != thread_clock_now()) { /* it waited for the radio */
      now = thread_clock_now();
      entered = 0;
    }
    choose(now);
  }
  thread_clock_account(cpu.running != &thread_idle);
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
  thread_clock_account(cpu.running != &thread_idle);
  set_alarm(now);
  if(cpu.running != &thread_idle) {
    go_on();
    thread_clock_request();
  }
  thread_interrupts_unlock(state);
}
/*---------------------------------------------------------------------------*/
void
threads_interrupt(void)
{
  if(cpu.inside) {
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

  if(cpu.started) {
    thread_scheduler_settle(thread_clock_now());
    thread_clock_account(cpu.running != &thread_idle);
  }
  thread_interrupts_unlock(state);
}
