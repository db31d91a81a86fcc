/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For a processor whose interrupts leave the thread that they interrupt by a plain call:
 * what follows from its swap(), which goes on with the other side.
 */
#ifndef THREAD_SWITCH_CALL_H_
#define THREAD_SWITCH_CALL_H_

#include <stdlib.h>
#include "thread.h"

static void *processes;
static struct thread *entered;

static void swap(void **from, void *to);
/*---------------------------------------------------------------------------*/
void
thread_switch_enter(struct thread *thread)
{
  entered = thread;
  swap(&processes, thread->context);
}
/*---------------------------------------------------------------------------*/
void
thread_switch_leave(void)
{
  swap(&entered->context, processes);
}
/*---------------------------------------------------------------------------*/
void
thread_switch_preempt(void)
{
  thread_switch_leave();
}
/*---------------------------------------------------------------------------*/
void
thread_switch_halt(void)
{
  abort();
}

#endif
