/* SPDX-License-Identifier: Apache-2.0 */
/* Every kind of timer; the log's times are part of the test. */
#include "contiki.h"
#include "sys/stimer.h"

#include <stdio.h>

static struct etimer tick, twice, stopped, adjusted;
static struct ctimer call, again;
static struct rtimer exact, other;
static struct timer passive;
static struct stimer seconds;
static int calls, ticks;

PROCESS(timer_process, "Timers");
PROCESS(other_process, "Other");
AUTOSTART_PROCESSES(&timer_process, &other_process);

static void
on_rtimer(struct rtimer *t, void *ptr)
{
  printf("rtimer at its time: %d, %s\n", RTIMER_NOW() == RTIMER_TIME(t), (char *)ptr);
  process_poll(&timer_process);
}

static void
on_call(void *ptr)
{
  calls++;
  printf("ctimer %s %d, process %d\n", (char *)ptr, calls,
         PROCESS_CURRENT() == &timer_process);
  if(calls < 3) {
    ctimer_reset(&call);
  }
}

static void
never(void *ptr)
{
  printf("FAIL: a stopped ctimer called\n");
}

PROCESS_THREAD(other_process, ev, data)
{
  static struct etimer mine;

  PROCESS_BEGIN();
  etimer_set(&mine, 50);
  PROCESS_WAIT_EVENT_UNTIL(ev == PROCESS_EVENT_TIMER);
  printf("other's own: %d\n", data == &mine);
  etimer_set(&mine, 10000);
  PROCESS_END(); /* its timer goes with it */
}

PROCESS_THREAD(timer_process, ev, data)
{
  PROCESS_BEGIN();
  printf("start\n");
  etimer_set(&tick, 100);
  PROCESS_WAIT_EVENT_UNTIL(etimer_expired(&tick));
  printf("etimer 100\n");
  for(ticks = 0; ticks < 3; ticks++) {
    etimer_reset(&tick);
    PROCESS_WAIT_EVENT_UNTIL(etimer_expired(&tick));
    printf("reset %d\n", ticks);
  }
  etimer_restart(&tick);
  etimer_set(&twice, 30);
  etimer_set(&twice, 60);
  etimer_set(&stopped, 40);
  etimer_stop(&stopped);
  etimer_set(&adjusted, 200);
  etimer_adjust(&adjusted, -120);
  printf("next %lu\n", (unsigned long)(etimer_next_expiration_time() - clock_time()));
  PROCESS_WAIT_EVENT_UNTIL(ev == PROCESS_EVENT_TIMER);
  printf("first: twice %d\n", data == &twice);
  PROCESS_WAIT_EVENT_UNTIL(ev == PROCESS_EVENT_TIMER);
  printf("second: adjusted %d\n", data == &adjusted);
  PROCESS_WAIT_EVENT_UNTIL(ev == PROCESS_EVENT_TIMER);
  printf("third: tick %d\n", data == &tick);

  ctimer_set(&call, 25, on_call, "call");
  ctimer_set(&again, 30, never, NULL);
  ctimer_stop(&again);
  etimer_set(&tick, 100);
  PROCESS_WAIT_EVENT_UNTIL(etimer_expired(&tick));
  printf("calls %d, expired %d %d\n", calls, ctimer_expired(&call), ctimer_expired(&again));

  printf("rtimer %d\n", rtimer_set(&exact, RTIMER_NOW() + 1234, 0, on_rtimer, "one"));
  printf("busy %d\n", rtimer_set(&other, RTIMER_NOW() + 1, 0, on_rtimer, "two") ==
         RTIMER_ERR_ALREADY_SCHEDULED);
  PROCESS_WAIT_EVENT_UNTIL(ev == PROCESS_EVENT_POLL);
  printf("polled\n");
  rtimer_set(&exact, RTIMER_NOW() + 700, 0, on_rtimer, "two");
  PROCESS_WAIT_EVENT_UNTIL(ev == PROCESS_EVENT_POLL);

  timer_set(&passive, 20);
  stimer_set(&seconds, 2);
  printf("passive %d %lu\n", timer_expired(&passive), (unsigned long)timer_remaining(&passive));
  RTIMER_BUSYWAIT(20 * (RTIMER_SECOND / 1000));
  printf("passive %d\n", timer_expired(&passive));
  timer_reset(&passive);
  printf("passive %d\n", timer_expired(&passive));
  etimer_set(&tick, 1500);
  PROCESS_WAIT_EVENT_UNTIL(etimer_expired(&tick));
  printf("seconds %d %lu\n", stimer_expired(&seconds), stimer_elapsed(&seconds));
  etimer_set(&tick, 1000);
  PROCESS_WAIT_EVENT_UNTIL(etimer_expired(&tick));
  printf("seconds %d\n", stimer_expired(&seconds));
  etimer_set(&tick, 0);
  PROCESS_WAIT_EVENT_UNTIL(etimer_expired(&tick));
  printf("at once\n");
  PROCESS_END();
}
