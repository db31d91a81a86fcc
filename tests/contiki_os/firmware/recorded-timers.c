/* SPDX-License-Identifier: Apache-2.0 */
/* What Contiki-NG documents of etimer.h, ctimer.h, timer.h and stimer.h, step by step. No two etimers are due at one time: their
   order is not documented, and ours is another (contiki-apps/os/README.md). */
#include "contiki.h"
#include "sys/stimer.h"

#include <stdio.h>

#define TIMERS 6

static struct etimer timers[TIMERS], others, orphan;
static struct ctimer calls[3];
static struct timer passive;
static struct stimer seconds;
static int periods;

PROCESS(timers_process, "Timers");
PROCESS(other_process, "Other");
PROCESS(short_process, "Short");
AUTOSTART_PROCESSES(&other_process, &timers_process);

static void
print_clock(const char *what)
{
  printf("%s at %lu\n", what, (unsigned long)clock_time());
}

static void
print_timer(int i)
{
  printf("timer %d expired %d, from %lu to %lu\n", i, etimer_expired(&timers[i]),
         (unsigned long)etimer_start_time(&timers[i]), (unsigned long)etimer_expiration_time(&timers[i]));
}

static void
print_next(void)
{
  printf("pending %d, next %lu\n", etimer_pending(), (unsigned long)etimer_next_expiration_time());
}

/* Set in an order that is neither that of expiry nor its reverse. */
static void
set_all(void)
{
  static const clock_time_t intervals[TIMERS] = { 50, 10, 60, 20, 40, 30 };

  for(int i = 0; i < TIMERS; i++) {
    etimer_set(&timers[i], intervals[i]);
  }
  print_next();
}

static void
on_call(void *ptr)
{
  struct ctimer *c = ptr;

  printf("call %d of %s, expired %d\n", (int)(c - calls), PROCESS_NAME_STRING(PROCESS_CURRENT()), ctimer_expired(c));
  print_clock("called");
  if(c == &calls[0] && periods++ < 2) {
    ctimer_reset(c);
  }
}

/* A call that stops the one that would come next, and sets itself again. */
static void
on_stop_next(void *ptr)
{
  print_clock("stopping the next");
  ctimer_stop(&calls[1]);
  ctimer_set(&calls[2], 7, on_call, &calls[2]);
}

PROCESS_THREAD(other_process, ev, data)
{
  PROCESS_BEGIN();
  while(1) {
    PROCESS_WAIT_EVENT();
    if(ev == PROCESS_EVENT_TIMER) {
      printf("the other's timer: %d %d\n", data == &others, data == &timers[0]);
      print_clock("it came");
    } else if(ev == PROCESS_EVENT_CONTINUE) {
      etimer_set(data, 15);
    } else if(ev == PROCESS_EVENT_EXITED) {
      printf("exited: short %d\n", data == &short_process);
    }
  }
  PROCESS_END();
}

PROCESS_THREAD(short_process, ev, data)
{
  PROCESS_BEGIN();
  etimer_set(&orphan, 5);
  PROCESS_END();
}

PROCESS_THREAD(timers_process, ev, data)
{
  static int i;

  PROCESS_BEGIN();
  print_clock("begin");

  /* Each expires at its time, whatever the order in which they were set. */
  set_all();
  for(i = 0; i < TIMERS; i++) {
    PROCESS_WAIT_EVENT_UNTIL(ev == PROCESS_EVENT_TIMER);
    printf("timer %d, expired %d, ", (int)((struct etimer *)data - timers), etimer_expired(data));
    print_clock("came");
  }
  print_next();

  /* It stops the one that was set last, the next to expire, one between, an expired one, and one twice. */
  set_all();
  etimer_stop(&timers[5]);
  etimer_stop(&timers[1]);
  etimer_stop(&timers[4]);
  etimer_stop(&timers[4]);
  for(i = 0; i < TIMERS; i++) {
    print_timer(i);
  }
  print_next();
  for(i = 0; i < 3; i++) {
    PROCESS_WAIT_EVENT_UNTIL(ev == PROCESS_EVENT_TIMER);
    printf("timer %d, ", (int)((struct etimer *)data - timers));
    print_clock("came");
  }
  etimer_stop(&timers[0]);
  print_next();

  /* A period that doesn't drift, although each round is late; then one that does. */
  etimer_set(&timers[0], 20);
  for(i = 0; i < 3; i++) {
    PROCESS_WAIT_EVENT_UNTIL(etimer_expired(&timers[0]));
    RTIMER_BUSYWAIT(RTIMER_SECOND / 200);
    etimer_reset(&timers[0]);
    print_timer(0);
  }
  for(i = 0; i < 3; i++) {
    PROCESS_WAIT_EVENT_UNTIL(etimer_expired(&timers[0]));
    RTIMER_BUSYWAIT(RTIMER_SECOND / 200);
    etimer_restart(&timers[0]);
    print_timer(0);
  }

  /* Before it expires, a reset changes nothing, a restart begins anew; a new interval counts from the same start. */
  etimer_set(&timers[1], 5);
  PROCESS_WAIT_EVENT_UNTIL(data == &timers[1]);
  etimer_reset(&timers[0]);
  print_timer(0);
  etimer_restart(&timers[0]);
  print_timer(0);
  etimer_reset_with_new_interval(&timers[0], 33);
  print_timer(0);
  PROCESS_WAIT_EVENT_UNTIL(etimer_expired(&timers[0]));
  etimer_reset_with_new_interval(&timers[0], 11);
  print_timer(0);
  PROCESS_WAIT_EVENT_UNTIL(etimer_expired(&timers[0]));
  print_clock("reset with 11");

  /* A timer is moved to and fro, past another one, and so is one that doesn't run. */
  etimer_set(&timers[2], 40);
  etimer_set(&timers[3], 30);
  etimer_adjust(&timers[2], -25);
  print_timer(2);
  print_next();
  PROCESS_WAIT_EVENT_UNTIL(data == &timers[2]);
  print_clock("adjusted");
  etimer_adjust(&timers[3], 12);
  etimer_adjust(&timers[2], 100);
  print_timer(2);
  print_timer(3);
  PROCESS_WAIT_EVENT_UNTIL(data == &timers[3]);
  print_clock("adjusted");
  print_next();

  /* A timer that is set again while it runs expires once, for the process that set it last. */
  etimer_set(&timers[0], 10);
  process_post_synch(&other_process, PROCESS_EVENT_CONTINUE, &timers[0]);
  process_post_synch(&other_process, PROCESS_EVENT_CONTINUE, &others);
  RTIMER_BUSYWAIT(RTIMER_SECOND / 200);
  etimer_adjust(&others, 3);
  etimer_set(&timers[1], 25);
  PROCESS_WAIT_EVENT_UNTIL(ev == PROCESS_EVENT_TIMER);
  printf("mine: %d\n", data == &timers[1]);

  /* The timer of a process that ended is gone, and doesn't come back when it is moved. */
  process_start(&short_process, NULL);
  print_next();
  printf("orphan expired %d\n", etimer_expired(&orphan));
  etimer_adjust(&orphan, 4);
  print_next();

  /* Timers expire at once, and within one ms. */
  etimer_set(&timers[0], 0);
  PROCESS_WAIT_EVENT_UNTIL(etimer_expired(&timers[0]));
  print_clock("of 0");
  etimer_set(&timers[0], 1);
  PROCESS_WAIT_EVENT_UNTIL(etimer_expired(&timers[0]));
  print_clock("of 1");

  /* Callbacks run as the process that set them. */
  ctimer_set(&calls[0], 10, on_call, &calls[0]);
  ctimer_set_with_process(&calls[1], 15, on_call, &calls[1], &other_process);
  ctimer_set(&calls[2], 5, NULL, NULL);
  printf("calls expired %d %d %d, the first from %lu to %lu\n", ctimer_expired(&calls[0]), ctimer_expired(&calls[1]),
         ctimer_expired(&calls[2]), (unsigned long)ctimer_start_time(&calls[0]), (unsigned long)ctimer_expiration_time(&calls[0]));
  etimer_set(&timers[0], 50);
  PROCESS_WAIT_EVENT_UNTIL(etimer_expired(&timers[0]));
  printf("calls expired %d %d %d\n", ctimer_expired(&calls[0]), ctimer_expired(&calls[1]), ctimer_expired(&calls[2]));
  ctimer_set(&calls[0], 10, on_stop_next, NULL);
  ctimer_set(&calls[1], 12, on_call, &calls[1]);
  etimer_set(&timers[0], 30);
  PROCESS_WAIT_EVENT_UNTIL(etimer_expired(&timers[0]));
  ctimer_restart(&calls[1]);
  etimer_set(&timers[0], 6);
  PROCESS_WAIT_EVENT_UNTIL(etimer_expired(&timers[0]));
  ctimer_restart(&calls[1]);
  ctimer_reset_with_new_interval(&calls[2], 39);
  etimer_set(&timers[0], 60);
  PROCESS_WAIT_EVENT_UNTIL(etimer_expired(&timers[0]));
  ctimer_set(&calls[0], 9, on_call, &calls[0]);
  ctimer_stop(&calls[0]);
  ctimer_set(&calls[1], 0, on_call, &calls[1]);
  etimer_set(&timers[0], 20);
  PROCESS_WAIT_EVENT_UNTIL(etimer_expired(&timers[0]));

  /* The remaining time of an expired timer wraps below 0 as an unsigned number. */
  timer_set(&passive, 10);
  for(i = 0; i < 4; i++) {
    printf("passive %d, remaining %ld\n", timer_expired(&passive), (long)timer_remaining(&passive));
    RTIMER_BUSYWAIT(RTIMER_SECOND / 200);
  }
  timer_reset(&passive);
  printf("reset %d, remaining %ld\n", timer_expired(&passive), (long)timer_remaining(&passive));
  timer_reset(&passive);
  printf("reset %d, remaining %ld\n", timer_expired(&passive), (long)timer_remaining(&passive));
  timer_restart(&passive);
  printf("restarted %d, remaining %ld\n", timer_expired(&passive), (long)timer_remaining(&passive));

  /* The same in seconds, asked every 0.7 s. */
  stimer_set(&seconds, 3);
  for(i = 0; i < 9; i++) {
    printf("%lu s: expired %d, remaining %ld, elapsed %lu\n", clock_seconds(), stimer_expired(&seconds), (long)stimer_remaining(&seconds),
           stimer_elapsed(&seconds));
    if(i == 2 || i == 6) {
      stimer_reset(&seconds);
    } else if(i == 7) {
      stimer_restart(&seconds);
    }
    etimer_set(&timers[0], 700);
    PROCESS_WAIT_EVENT_UNTIL(etimer_expired(&timers[0]));
  }
  print_clock("end");
  PROCESS_END();
}
