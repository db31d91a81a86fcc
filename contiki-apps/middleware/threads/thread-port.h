/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the scheduler stands on. Two parts, each replaceable: the switch of
 * stacks (thread-switch-*.c, by architecture) and the clock (thread-contiki.c;
 * on a bare machine, whoever has the timer writes these functions).
 *
 * There are two sides: the processes' (Contiki's main loop, or main() on a bare
 * machine), where the scheduler runs, and the thread's. threads_run() is called
 * on the former.
 */
#ifndef THREAD_PORT_H_
#define THREAD_PORT_H_

#include <stdbool.h>
#include <stdint.h>

/* ---- stacks ------------------------------------------------------------- */

/* THREAD_STACK_GUARD: bytes below the stack that nothing may change. What a
   thread writes there harms nobody, and it is stopped; what it writes below
   stops the mote. As large as what an interrupt puts on a stack, at least. */
#if defined(__AVR__)
#define THREAD_STACK_ALIGNMENT 1
#define THREAD_STACK_GUARD 32
#define THREAD_STACK_EXTRA 0
#elif defined(__ARM_ARCH_7M__) || defined(__ARM_ARCH_7EM__)
#define THREAD_STACK_ALIGNMENT 8
#define THREAD_STACK_GUARD 64
#define THREAD_STACK_EXTRA 0
#else /* a Cooja mote: 64-bit frames, the C library's printf, saved registers */
#define THREAD_STACK_ALIGNMENT 16
#define THREAD_STACK_GUARD 1024
#define THREAD_STACK_EXTRA 12288
#define THREAD_TIME_IS_MODELLED 1 /* code takes no time but what it says */
#endif

#define THREAD_STACK_SIZE(bytes) \
  (((bytes) + THREAD_STACK_EXTRA + THREAD_STACK_GUARD \
    + THREAD_STACK_ALIGNMENT - 1) \
   / THREAD_STACK_ALIGNMENT * THREAD_STACK_ALIGNMENT)

/* ---- the switch of stacks: by architecture ------------------------------ */

struct thread;

/* Make the thread's stack so that entering it calls thread_run_body(), with
   interrupts. */
void thread_switch_prepare(struct thread *thread);

/* From the processes' side, with the lock taken: go on with the thread, until it
   leaves. */
void thread_switch_enter(struct thread *thread);

/* From the thread, with the lock taken: back to the processes' side. Returns
   when the thread is entered again, with the lock taken. */
void thread_switch_leave(void);

/* From an interrupt: leave the thread that it interrupted, if it did; as soon as
   the interrupt has ended. Nothing on a Cooja mote, whose threads take no time. */
void thread_switch_preempt(void);

/* A stack overflowed into memory that is not its own: nothing may go on. */
void thread_switch_halt(void) __attribute__((noreturn));

/* Against interrupts: lock() gives what unlock() wants. Nothing on a Cooja mote. */
#if defined(__AVR__)
typedef uint8_t thread_lock_state_t;
#else
typedef uint32_t thread_lock_state_t;
#endif

static inline thread_lock_state_t
thread_interrupts_lock(void)
{
  thread_lock_state_t state = 0;

#if defined(__AVR__)
  __asm volatile("in %0, __SREG__\n cli" : "=r"(state) : : "memory");
#elif !defined(THREAD_TIME_IS_MODELLED)
  __asm volatile("mrs %0, primask\n cpsid i" : "=r"(state) : : "memory");
#endif
  return state;
}

static inline void
thread_interrupts_unlock(thread_lock_state_t state)
{
#if defined(__AVR__)
  __asm volatile("out __SREG__, %0" : : "r"(state) : "memory");
#elif !defined(THREAD_TIME_IS_MODELLED)
  __asm volatile("msr primask, %0" : : "r"(state) : "memory");
#endif
}

/* ---- the clock ---------------------------------------------------------- */

/* us since boot, wrapping. */
uint32_t thread_clock_now(void);

/* Have threads_run() called at that time, once; a later call replaces it. */
void thread_clock_alarm(uint32_t time);

/* Have threads_run() called soon. From anywhere, interrupts too. */
void thread_clock_request(void);

/* A thread has the CPU, or none: for what counts energy. */
void thread_clock_account(bool busy);

/* A thread was stopped, its stack having been too small: say so. */
void thread_clock_overflowed(const struct thread *thread);

/* ---- what the scheduler gives them -------------------------------------- */

/* The scheduler's turn: looks what there is to do, does it, and returns when a
   thread uses the CPU (a Cooja mote) or none wants it. */
void threads_run(void);

/* The body of the thread that was entered first; does not return. */
void thread_run_body(void);

/* From the alarm's interrupt, and from any that has a process called: the running
   thread makes room for the processes. */
void threads_interrupt(void);

#endif
