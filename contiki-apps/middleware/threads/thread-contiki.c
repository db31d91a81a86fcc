/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the scheduler as a Contiki process that the rtimer wakes, and counts energy
   for Energest. Leave this file out on a machine without Contiki. */
#include "contiki.h"
#include "sys/energest.h"
#include "sys/rtimer.h"
#include "thread.h"

#define LOG_MODULE "Threads"
#define LOG_LEVEL LOG_LEVEL_WARN
#include "sys/log.h"

/* This is one variable because on an ARM the address of each has to be loaded. */
static struct {
  struct rtimer timer;
  struct etimer retry;
  uint32_t time;
  bool waits;
} alarm;

PROCESS(threads_process, "Threads");
/*---------------------------------------------------------------------------*/
PROCESS_THREAD(threads_process, ev, data)
{
  PROCESS_BEGIN();
  while(1) {
    PROCESS_YIELD_UNTIL(ev == PROCESS_EVENT_POLL || ev == PROCESS_EVENT_TIMER);
    threads_run();
  }
  PROCESS_END();
}
/*---------------------------------------------------------------------------*/
void
thread_clock_request(void)
{
  if(!process_is_running(&threads_process)) {
    process_start(&threads_process, NULL);
  }
  process_poll(&threads_process);
}
/*---------------------------------------------------------------------------*/
/* The rtimer may have counted before the mote existed, as Cooja's does. */
uint32_t
thread_clock_now(void)
{
  static struct {
    uint32_t time;
    bool is_known;
  } boot;
  uint32_t now = (uint32_t)RTIMERTICKS_TO_US_64(RTIMER_NOW());

  if(!boot.is_known) {
    boot.is_known = true;
    boot.time = now - (uint32_t)clock_time() * (uint32_t)(1000000UL / CLOCK_SECOND);
  }
  return now - boot.time;
}
/*---------------------------------------------------------------------------*/
static void
ring(struct rtimer *timer, void *data)
{
  if(alarm.waits) {
    alarm.waits = false;
    threads_interrupt();
  }
}
/*---------------------------------------------------------------------------*/
/* Contiki has one rtimer at a time, which can't be cancelled. */
void
thread_clock_alarm(uint32_t time)
{
  int32_t wait = (int32_t)(time - thread_clock_now());

  if(alarm.waits) {
    if(time == alarm.time) {
      return;
    }
    alarm.waits = false;
    rtimer_run_next();
  }
  alarm.time = time;
  alarm.waits = true;
  if(rtimer_set(&alarm.timer, RTIMER_NOW() + US_TO_RTIMERTICKS(wait > 0 ? wait : 1),
                0, ring, NULL) != RTIMER_OK) {
    alarm.waits = false;
    thread_errors.timer_taken++;
    etimer_set(&alarm.retry, 1);
  }
}
/*---------------------------------------------------------------------------*/
void
thread_clock_overflowed(const struct thread *thread)
{
  LOG_ERR("%s: stack overflow\n", thread->name);
}
/*---------------------------------------------------------------------------*/
/* On a Cooja mote, Contiki's main loop lets the CPU sleep whenever no process has
   anything to do: what a thread had of that time goes from LPM to CPU. Where threads
   really compute, the main loop doesn't get that far. */
void
thread_clock_account(bool busy)
{
#if ENERGEST_CONF_ON && defined(THREAD_TIME_IS_MODELLED)
  static struct {
    uint64_t slept;
    bool busy;
  } before;

  energest_flush();
  if(before.busy) {
    energest_type_set(ENERGEST_TYPE_CPU,
                      energest_type_time(ENERGEST_TYPE_CPU)
                      + energest_type_time(ENERGEST_TYPE_LPM) - before.slept);
    energest_type_set(ENERGEST_TYPE_LPM, before.slept);
  }
  if(busy) {
    ENERGEST_SWITCH(ENERGEST_TYPE_LPM, ENERGEST_TYPE_CPU);
  } else {
    ENERGEST_SWITCH(ENERGEST_TYPE_CPU, ENERGEST_TYPE_LPM);
  }
  before.slept = energest_type_time(ENERGEST_TYPE_LPM);
  before.busy = busy;
#endif
}
