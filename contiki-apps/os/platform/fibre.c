/* SPDX-License-Identifier: Apache-2.0 */
/* The fibre: a stack of their own for the processes. Contiki's API blocks while a frame is in
   the air, but a tick has to return to the simulator. Therefore the processes run in a fibre,
   which is left where it waits. The stack lies in the object's bss, so that the simulator
   keeps it with the rest of the mote. */
#include "platform/mote.h"

#include <stdlib.h>
#include <ucontext.h>

#include "contiki-conf.h"
#include "sys/process.h"
#include "sys/etimer.h"

#ifndef COOJA_MTARCH_STACKSIZE
#define COOJA_MTARCH_STACKSIZE 8192 /* bytes; Contiki-NG's size for Cooja */
#endif

/* Words at the stack's end that only an overflow changes. */
#define GUARD_WORDS 8
#define GUARD UINT64_C(0x9e3779b97f4a7c15)

static PLATFORM_HOT enum {
  FOR_A_TICK,
  FOR_A_TIME,
  FOR_THE_RADIO,
  FOR_WORK
} waiting;

static PLATFORM_HOT int64_t wake_time; /* us; when it waits for a time */
static PLATFORM_HOT bool running;
static ucontext_t simulator, processes;
static uint64_t stack[COOJA_MTARCH_STACKSIZE / sizeof(uint64_t)] __attribute__((aligned(16)));

void
fibre_start(void (*body)(void))
{
  for(int i = 0; i < GUARD_WORDS; i++) {
    stack[i] = GUARD;
  }
  getcontext(&processes);
  processes.uc_stack.ss_sp = stack;
  processes.uc_stack.ss_size = sizeof(stack);
  processes.uc_link = NULL; /* the body never returns */
  makecontext(&processes, body, 0);
  waiting = FOR_A_TICK;
}

/* The results would be wrong if the run went on after another mote's memory was
   overwritten. */
static void
check_stack(void)
{
  uint64_t difference = 0;

#pragma GCC unroll 8
  for(int i = 0; i < GUARD_WORDS; i++) {
    difference |= stack[i] ^ GUARD;
  }
  if(difference != 0) {
    abort();
  }
}

void
fibre_resume(void)
{
  running = true;
  swapcontext(&simulator, &processes);
  running = false;
  check_stack();
}

bool
fibre_is_running(void)
{
  return running;
}

static bool
etimer_is_due(void)
{
#if CLOCK_IS_COOJAS
  return simEtimerPending && simEtimerNextExpirationTime <= simCurrentTime;
#else
  return etimer_pending() && !CLOCK_LT(clock_time(), etimer_next_expiration_time());
#endif
}

bool
fibre_is_waiting(void)
{
  switch(waiting) {
  case FOR_A_TIME:
    return simRtimerCurrentTicks < wake_time;
  case FOR_THE_RADIO:
    return simOutSize > 0;
  case FOR_WORK:
    return process_nevents() == 0 && !simDontFallAsleep && !etimer_is_due();
  case FOR_A_TICK:
    break;
  }
  return false;
}

bool
fibre_waits_for_work(void)
{
  return waiting == FOR_WORK;
}

int64_t
fibre_wake_time(void)
{
  return waiting == FOR_A_TIME ? wake_time : INT64_MAX;
}

static void
leave(void)
{
  swapcontext(&processes, &simulator);
}

void
fibre_wait(void)
{
  waiting = FOR_A_TICK;
  simProcessRunValue = 1;
  leave();
}

void
fibre_sleep(int64_t us)
{
  if(us > 0) {
    waiting = FOR_A_TIME;
    wake_time = simRtimerCurrentTicks + us;
    leave();
  }
}

void
fibre_wake(void)
{
  if(waiting == FOR_A_TIME) {
    wake_time = simRtimerCurrentTicks;
  }
}

void
fibre_wait_sent(void)
{
  waiting = FOR_THE_RADIO;
  leave();
}

void
fibre_wait_work(void)
{
  waiting = FOR_WORK;
  leave();
}
