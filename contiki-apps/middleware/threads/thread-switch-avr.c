/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The switch for AVR with a 16-bit program counter. An interrupt's handler has
 * no state of its own but the flag I, so it may leave the thread that it
 * interrupted by a plain call: the thread returns into it later. A thread's
 * stack has to have room for the handler's frame.
 */
#include "thread.h"

#ifdef __AVR__

#include <avr/interrupt.h>
#include <avr/io.h>
#include "thread-switch-call.h"

#ifdef __AVR_3_BYTE_PC__
#error "thread-switch-avr.c is for AVRs with a 16-bit program counter"
#endif

enum { SAVED_REGISTERS = 19 }; /* r2 to r17, r28, r29, RAMPZ */

/*---------------------------------------------------------------------------*/
/* Puts the registers that a call preserves on the stack and the stack pointer
   into *from, then goes on with the other side. Interrupts are off. */
__attribute__((naked, noinline)) static void
swap(void **from, void *to)
{
  __asm volatile(
    "push r2\n push r3\n push r4\n push r5\n push r6\n push r7\n"
    "push r8\n push r9\n push r10\n push r11\n push r12\n push r13\n"
    "push r14\n push r15\n push r16\n push r17\n push r28\n push r29\n"
#ifdef RAMPZ
    "in r0, %[rampz]\n"
#endif
    "push r0\n"
    "movw r30, r24\n"
    "in r0, __SP_L__\n st Z+, r0\n"
    "in r0, __SP_H__\n st Z, r0\n"
    "out __SP_H__, r23\n"
    "out __SP_L__, r22\n"
    "pop r0\n"
#ifdef RAMPZ
    "out %[rampz], r0\n"
#endif
    "pop r29\n pop r28\n pop r17\n pop r16\n pop r15\n pop r14\n"
    "pop r13\n pop r12\n pop r11\n pop r10\n pop r9\n pop r8\n"
    "pop r7\n pop r6\n pop r5\n pop r4\n pop r3\n pop r2\n"
    "ret\n"
    :
#ifdef RAMPZ
    : [rampz] "I" (_SFR_IO_ADDR(RAMPZ))
#endif
    );
}
/*---------------------------------------------------------------------------*/
static void
begin(void)
{
  sei();
  thread_run_body();
}
/*---------------------------------------------------------------------------*/
/* Makes the stack look as if begin() had been called and left before its first
   instruction. */
void
thread_switch_prepare(struct thread *thread)
{
  uint8_t *end = thread->stack + thread->stack_size - 1;
  uint16_t address = (uint16_t)begin; /* of a word of the program */

  *end-- = address & 0xff;
  *end-- = address >> 8;
  for(uint8_t i = 0; i < SAVED_REGISTERS; i++) {
    *end-- = 0;
  }
  thread->context = end;
}
#endif
