/* SPDX-License-Identifier: Apache-2.0 */
/* What Contiki-NG documents of process.h: every process prints when it is called and with what. */
#include "contiki.h"

#include <stdio.h>

PROCESS(first_process, "First");
PROCESS(second_process, "Second");
PROCESS(third_process, "Third");
PROCESS(director_process, "Director");
AUTOSTART_PROCESSES(&first_process, &second_process, &director_process);

static process_event_t event, other_event;
static bool poll_first, exit_third, post_on;

static void
say(const char *what, process_event_t ev, process_data_t data)
{
  printf("%s: event %d%s, data %d, current %s\n", what, ev >= PROCESS_EVENT_MAX ? ev - event : ev,
         ev >= PROCESS_EVENT_MAX ? " of ours" : "", (int)(intptr_t)data < 1000 ? (int)(intptr_t)data : -1,
         PROCESS_NAME_STRING(PROCESS_CURRENT()));
}

static process_data_t
number(int i)
{
  return (process_data_t)(intptr_t)i;
}

PROCESS_THREAD(first_process, ev, data)
{
  PROCESS_BEGIN();
  while(1) {
    PROCESS_YIELD();
    if(ev == PROCESS_EVENT_EXITED) {
      printf("first: exited third %d\n", data == &third_process);
    } else if(ev != PROCESS_EVENT_INIT && ev < PROCESS_EVENT_MAX + 10) {
      say("first", ev, data);
    }
  }
  PROCESS_END();
}

PROCESS_THREAD(second_process, ev, data)
{
  PROCESS_POLLHANDLER(printf("second: polled\n"));
  PROCESS_BEGIN();
  while(1) {
    PROCESS_YIELD_UNTIL(ev == event || ev == other_event);
    say("second", ev, data);
    if(poll_first) {
      poll_first = false;
      process_poll(&first_process);
    }
    if(exit_third) {
      exit_third = false;
      process_exit(&third_process);
    }
    if(post_on) {
      post_on = false;
      process_post(&first_process, other_event, number(77));
      process_post_synch(&first_process, event, number(78));
      say("second after", ev, data);
    }
  }
  PROCESS_END();
}

PROCESS_THREAD(third_process, ev, data)
{
  PROCESS_EXITHANDLER(say("third exits", ev, data));
  PROCESS_BEGIN();
  say("third begins", ev, data);
  while(1) {
    PROCESS_YIELD();
    say("third", ev, data);
    if(ev == other_event) {
      PROCESS_EXIT();
    }
  }
  PROCESS_END();
}

PROCESS_THREAD(director_process, ev, data)
{
  static struct etimer timer;
  static int i;

  PROCESS_BEGIN();
  event = process_alloc_event();
  other_event = process_alloc_event();
  printf("events %d apart, after %d\n", other_event - event, event > PROCESS_EVENT_MAX - 1);
  /* From here on, the processes that print their events get only our own. */
  etimer_set(&timer, 10);
  PROCESS_WAIT_EVENT_UNTIL(etimer_expired(&timer));

  printf("-- start, twice\n");
  process_start(&third_process, number(5));
  process_start(&third_process, number(6));
  printf("running %d %d\n", process_is_running(&third_process), process_is_running(&director_process));

  printf("-- in the order of posting, after what runs\n");
  process_post(&third_process, event, number(1));
  process_post(&second_process, event, number(2));
  process_post(&third_process, event, number(3));
  printf("waiting %d\n", process_nevents());
  PROCESS_PAUSE();

  printf("-- synchronously, within what runs\n");
  process_post(&third_process, event, number(4));
  process_post_synch(&third_process, event, number(5));
  say("director", ev, NULL);
  PROCESS_PAUSE();

  printf("-- to all, the youngest first\n");
  process_post(PROCESS_BROADCAST, event, number(6));
  PROCESS_WAIT_EVENT_UNTIL(ev == event);
  say("director", ev, data);
  PROCESS_PAUSE();

  printf("-- polls before events, and once\n");
  process_post(&third_process, event, number(7));
  process_poll(&second_process);
  process_poll(&first_process);
  process_poll(&second_process);
  PROCESS_PAUSE();

  printf("-- a poll while an event goes to all comes between\n");
  poll_first = true;
  process_post(PROCESS_BROADCAST, event, number(8));
  PROCESS_PAUSE();

  printf("-- a process that ends while an event goes to all\n");
  exit_third = true;
  process_post(PROCESS_BROADCAST, other_event, number(9));
  PROCESS_PAUSE();
  printf("running %d\n", process_is_running(&third_process));

  printf("-- to one that has ended\n");
  process_post(&third_process, event, number(10));
  process_poll(&third_process);
  process_post_synch(&third_process, event, number(11));
  process_exit(&third_process);
  PROCESS_PAUSE();

  printf("-- again, ended by another\n");
  process_start(&third_process, number(12));
  exit_third = true;
  process_post(&second_process, event, number(13));
  PROCESS_PAUSE();

  printf("-- ended with events and a poll still to come, and started again\n");
  process_start(&third_process, number(14));
  process_post(&third_process, event, number(15));
  process_poll(&third_process);
  process_exit(&third_process);
  process_start(&third_process, number(16));
  PROCESS_PAUSE();
  process_exit(&third_process);

  printf("-- events within an event\n");
  post_on = true;
  process_post(&second_process, event, number(17));
  process_post(&first_process, event, number(18));
  PROCESS_PAUSE();
  PROCESS_PAUSE();

  printf("-- a full queue\n");
  etimer_set(&timer, 1);
  PROCESS_WAIT_EVENT_UNTIL(etimer_expired(&timer));
  for(i = 0; process_post(&second_process, PROCESS_EVENT_MSG, NULL) == PROCESS_ERR_OK; i++) {
  }
  printf("full with %d, waiting %d\n", i, process_nevents());
  process_poll(&second_process);
  printf("and a poll %d\n", process_nevents());
  etimer_set(&timer, 0);
  PROCESS_WAIT_EVENT_UNTIL(etimer_expired(&timer));
  printf("the timer came when the queue had room\n");

  printf("-- numbers of events\n");
  for(i = 0; process_alloc_event() != PROCESS_EVENT_NONE; i++) {
  }
  printf("some more: %d; then none: %d\n", i > 90, process_alloc_event() == PROCESS_EVENT_NONE);
  PROCESS_END();
}
