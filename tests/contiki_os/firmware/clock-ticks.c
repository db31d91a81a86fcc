/* SPDX-License-Identifier: Apache-2.0 */
/* The clock tick by tick, and timers at its ticks; the log's times are part of the test. */
#include "contiki.h"

#include <stdio.h>

#define TICKS 8
#define WRAP32 ((clock_time_t)1 << 32)

static struct etimer timer;
static struct etimer never;
static struct rtimer late;

PROCESS(clock_process, "Clock");
AUTOSTART_PROCESSES(&clock_process);

static void
print_time(const char *when)
{
  printf("%s %llu\n", when, (unsigned long long)clock_time());
}

/* No process runs here; the etimer runs from here on. */
static void
on_rtimer(struct rtimer *t, void *ptr)
{
  PROCESS_CONTEXT_BEGIN(&clock_process);
  etimer_set(&timer, 1);
  PROCESS_CONTEXT_END(&clock_process);
}

PROCESS_THREAD(clock_process, ev, data)
{
  static int i;

  PROCESS_BEGIN();
  printf("%ld a second\n", (long)CLOCK_SECOND);
  print_time("boot");
  etimer_set(&never, WRAP32 << 20);
  for(i = 0; i < TICKS; i++) {
    etimer_set(&timer, 1);
    PROCESS_WAIT_EVENT_UNTIL(etimer_expired(&timer));
    print_time("tick");
  }
  etimer_set(&timer, 0);
  PROCESS_WAIT_EVENT_UNTIL(etimer_expired(&timer));
  print_time("at once");
  clock_wait(3);
  print_time("waited");
  RTIMER_BUSYWAIT(100);
  print_time("within");
  etimer_set(&timer, 2);
  clock_wait(5);
  PROCESS_WAIT_EVENT_UNTIL(etimer_expired(&timer));
  print_time("late");
  rtimer_set(&late, RTIMER_NOW() + 10, 0, on_rtimer, NULL);
  PROCESS_WAIT_EVENT_UNTIL(ev == PROCESS_EVENT_TIMER && data == &timer);
  print_time("of the rtimer");
  printf("seconds %lu\n", clock_seconds());
  etimer_set(&timer, WRAP32);
  PROCESS_WAIT_EVENT_UNTIL(etimer_expired(&timer));
  print_time("wrapped");
  printf("seconds %lu, never %d\n", clock_seconds(), etimer_expired(&never));
  PROCESS_END();
}
