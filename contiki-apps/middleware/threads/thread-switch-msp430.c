/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The switch for MSP430 with 16-bit addresses. As on an AVR, an interrupt's handler has no
 * state of its own but the flag GIE, so it may leave the thread that it interrupted by a plain
 * call: the thread returns into it later. A thread's stack has to have room for the handler's
 * frame.
 */
#include "thread.h"

#ifdef __MSP430__

#ifdef __MSP430X__
#error "thread-switch-msp430.c is for MSP430s with a 16-bit program counter"
#endif

#include "thread-switch-call.h"

enum { SAVED_REGISTERS = 7 }; /* r4 to r10, which a call preserves (SLAA534, 3.2) */

/*---------------------------------------------------------------------------*/
/* Puts the registers that a call preserves on the stack and the stack pointer
   into *from, then goes on with the other side. Interrupts are off. */
__attribute__((naked, noinline)) static void
swap(void **from, void *to)
{
  __asm volatile(
    "push r4\n push r5\n push r6\n push r7\n push r8\n push r9\n push r10\n"
    "mov r1, 0(r12)\n"
    "mov r13, r1\n"
    "pop r10\n pop r9\n pop r8\n pop r7\n pop r6\n pop r5\n pop r4\n"
    "ret\n");
}
/*---------------------------------------------------------------------------*/
static void
begin(void)
{
  __asm volatile("eint\n nop" ::: "memory");
  thread_run_body();
}
/*---------------------------------------------------------------------------*/
/* Makes the stack look as if begin() had been called and left before its first
   instruction. */
void
thread_switch_prepare(struct thread *thread)
{
  uint16_t *end = (uint16_t *)(thread->stack + thread->stack_size);

  *--end = (uint16_t)begin;
  for(uint8_t i = 0; i < SAVED_REGISTERS; i++) {
    *--end = 0;
  }
  thread->context = end;
}
#endif
