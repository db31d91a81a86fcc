/* SPDX-License-Identifier: Apache-2.0 */
/* The switch for a Cooja mote, whatever Contiki it has, on any host with
   ucontext. The registers are saved at the stack's upper end, the processes' in
   the mote's memory. */
#include "thread.h"

#ifdef THREAD_TIME_IS_MODELLED

#include <stdlib.h>
#include <ucontext.h>

static ucontext_t processes;
static struct thread *entered;
/*---------------------------------------------------------------------------*/
void
thread_switch_prepare(struct thread *thread)
{
  uint8_t *end = thread->stack + thread->stack_size;
  ucontext_t *context = (ucontext_t *)
    ((uintptr_t)(end - sizeof(ucontext_t)) / 16 * 16);

  thread->context = context;
  getcontext(context);
  context->uc_stack.ss_sp = thread->stack + THREAD_STACK_GUARD;
  context->uc_stack.ss_size =
    (size_t)((uint8_t *)context - thread->stack) - THREAD_STACK_GUARD;
  context->uc_link = NULL; /* a thread's body never returns */
  makecontext(context, thread_run_body, 0);
}
/*---------------------------------------------------------------------------*/
void
thread_switch_enter(struct thread *thread)
{
  entered = thread;
  swapcontext(&processes, thread->context);
}
/*---------------------------------------------------------------------------*/
void
thread_switch_leave(void)
{
  swapcontext(entered->context, &processes);
}
/*---------------------------------------------------------------------------*/
void
thread_switch_preempt(void)
{
}
/*---------------------------------------------------------------------------*/
void
thread_switch_halt(void)
{
  abort();
}

#endif
