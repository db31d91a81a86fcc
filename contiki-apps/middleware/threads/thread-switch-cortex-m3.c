/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The switch for ARMv7-M without floating-point registers. Processes run on the main
 * stack, threads on the process stack; PendSV, the exception of the lowest priority,
 * changes between them. So a thread is left by a call and by any interrupt in the same
 * way, and it may be in the middle of any instruction.
 *
 * ARMv7-M Architecture Reference Manual: B1.5.6 (frame), B1.5.8 (EXC_RETURN),
 * B3.2.4 (ICSR), B3.2.12 (SHPR3).
 */
#include "thread.h"

#if defined(__ARM_ARCH_7M__) || defined(__ARM_ARCH_7EM__)

#ifdef __ARM_FP
#error "thread-switch-cortex-m3.c does not save floating-point registers: -mfloat-abi=soft"
#endif

#define ICSR (*(volatile uint32_t *)0xe000ed04)
#define ICSR_PENDSVSET (1UL << 28)
#define SHPR3 (*(volatile uint32_t *)0xe000ed20)
#define SHPR3_PENDSV_LOWEST (0xffUL << 16)
#define XPSR_THUMB (1UL << 24)

enum { SAVED_REGISTERS = 8, FRAME = 8, FRAME_PC = 6, FRAME_XPSR = 7 }; /* words */

/* Read and written by the handler. */
__attribute__((used)) static volatile uint32_t wants_thread;
__attribute__((used)) static void *volatile thread_context;

void PendSV_Handler(void);
/*---------------------------------------------------------------------------*/
/* Bit 2 of lr says where it comes from (set: the process stack), wants_thread where it
   shall go. It does nothing if they are the same, because an interrupt was faster. */
__attribute__((naked)) void
PendSV_Handler(void)
{
  __asm volatile(
    "cpsid i\n"
    "ldr r2, =wants_thread\n"
    "ldr r2, [r2]\n"
    "ldr r3, =thread_context\n"
    "ubfx r1, lr, #2, #1\n"
    "cmp r1, r2\n"
    "beq 2f\n"
    "cbnz r1, 1f\n"
    "push {r4-r11}\n"
    "ldr r0, [r3]\n"
    "ldmia r0!, {r4-r11}\n"
    "msr psp, r0\n"
    "orr lr, lr, #4\n"
    "b 2f\n"
    "1:\n"
    "mrs r0, psp\n"
    "stmdb r0!, {r4-r11}\n"
    "str r0, [r3]\n"
    "pop {r4-r11}\n"
    "bic lr, lr, #4\n"
    "2:\n"
    "cpsie i\n"
    "bx lr\n"
    ".ltorg\n");
}
/*---------------------------------------------------------------------------*/
void
thread_switch_prepare(struct thread *thread)
{
  uint32_t *frame = (uint32_t *)(void *)(thread->stack + thread->stack_size)
    - FRAME;

  SHPR3 |= SHPR3_PENDSV_LOWEST;
  frame[FRAME_PC] = (uint32_t)thread_run_body & ~1UL;
  frame[FRAME_XPSR] = XPSR_THUMB;
  thread->context = frame - SAVED_REGISTERS;
}
/*---------------------------------------------------------------------------*/
/* Interrupts are enabled while the other side has the processor. */
__attribute__((noinline)) static void
change(uint32_t to_thread)
{
  wants_thread = to_thread;
  ICSR = ICSR_PENDSVSET;
  __asm volatile("dsb\n cpsie i\n isb\n cpsid i\n" : : : "memory");
}
/*---------------------------------------------------------------------------*/
void
thread_switch_enter(struct thread *thread)
{
  thread_context = thread->context;
  change(1);
  thread->context = thread_context;
}
/*---------------------------------------------------------------------------*/
void
thread_switch_leave(void)
{
  change(0);
}
/*---------------------------------------------------------------------------*/
void
thread_switch_preempt(void)
{
  wants_thread = 0;
  ICSR = ICSR_PENDSVSET;
}
/*---------------------------------------------------------------------------*/
void
thread_switch_halt(void)
{
  while(1) {
    __builtin_trap();
  }
}

#endif
