/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The layer below the scheduler. It has two replaceable parts: the switch of
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

/* THREAD_STACK_GUARD: bytes below the stack that nothing may change. If a thread
   writes there, nobody is harmed and the thread is stopped; if it writes below, the
   mote is stopped. The guard is at least as large as what an interrupt puts on a
   stack. */
#if defined(__AVR__)
#define THREAD_STACK_ALIGNMENT 1
#define THREAD_STACK_GUARD 32
#define THREAD_STACK_EXTRA 0
#elif defined(__MSP430__)
#define THREAD_STACK_ALIGNMENT 2
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
#define THREAD_TIME_IS_MODELLED 1 /* code takes only the time that it says */
#endif

#define THREAD_STACK_SIZE(bytes) \
  (((bytes) + THREAD_STACK_EXTRA + THREAD_STACK_GUARD \
    + THREAD_STACK_ALIGNMENT - 1) \
   / THREAD_STACK_ALIGNMENT * THREAD_STACK_ALIGNMENT)

/* ---- the switch of stacks: by architecture ------------------------------ */

struct thread;

/* Prepares the thread's stack so that entering it calls thread_run_body(), with
   interrupts enabled. */
void thread_switch_prepare(struct thread *thread);

/* Called on the processes' side, with the lock taken: goes on with the thread,
   until it leaves. */
void thread_switch_enter(struct thread *thread);

/* Called by the thread, with the lock taken: goes back to the processes' side. It
   returns when the thread is entered again, with the lock taken. */
void thread_switch_leave(void);

/* Called by an interrupt: leaves the thread that it interrupted, if any, as soon as
   the interrupt has ended. It does nothing on a Cooja mote, whose threads take no
   time. */
void thread_switch_preempt(void);

/* A stack overflowed into memory that is not its own: the mote must stop. */
void thread_switch_halt(void) __attribute__((noreturn));

/* Lock out interrupts: unlock() takes the result of lock(). They do nothing on a
   Cooja mote. */
#if defined(__AVR__)
typedef uint8_t thread_lock_state_t;
#elif defined(__MSP430__)
typedef uint16_t thread_lock_state_t;
#else
typedef uint32_t thread_lock_state_t;
#endif

static inline thread_lock_state_t
thread_interrupts_lock(void)
{
  thread_lock_state_t state = 0;

#if defined(__AVR__)
  __asm volatile("in %0, __SREG__\n cli" : "=r"(state) : : "memory");
#elif defined(__MSP430__)
  __asm volatile("mov r2, %0\n dint\n nop" : "=r"(state) : : "memory");
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
#elif defined(__MSP430__)
  __asm volatile("mov %0, r2\n nop" : : "r"(state) : "memory");
#elif !defined(THREAD_TIME_IS_MODELLED)
  __asm volatile("msr primask, %0" : : "r"(state) : "memory");
#endif
}

/* ---- the clock ---------------------------------------------------------- */

/* us since boot, wrapping. */
uint32_t thread_clock_now(void);

/* Has threads_run() called once at that time; a later call replaces it. */
void thread_clock_alarm(uint32_t time);

/* Has threads_run() called soon. It may be called anywhere, also in interrupts. */
void thread_clock_request(void);

/* Says whether a thread has the CPU, for the energy counts. */
void thread_clock_account(bool busy);

/* Reports that a thread was stopped because its stack was too small. */
void thread_clock_overflowed(const struct thread *thread);

/* ---- what the scheduler gives them -------------------------------------- */

/* The scheduler's turn: it does what there is to do, and returns when a thread uses
   the CPU (on a Cooja mote) or none wants it. */
void threads_run(void);

/* The body of the thread that was entered first; does not return. */
void thread_run_body(void);

/* Called by the alarm's interrupt, and by any that has a process called: the
   running thread makes room for the processes. */
void threads_interrupt(void);

#endif
