/* SPDX-License-Identifier: Apache-2.0 */
/* Processes, events, polls, protothreads, semaphores. */
#include "contiki.h"
#include "sys/pt-sem.h"

#include "check.h"

PROCESS(main_process, "Main");
PROCESS(echo_process, "Echo");
PROCESS(short_process, "Short");
AUTOSTART_PROCESSES(&main_process);

static process_event_t question;
static int echoed, polled, exits;
static struct pt_sem sem;

PROCESS_THREAD(echo_process, ev, data)
{
  PROCESS_EXITHANDLER(exits++);
  PROCESS_POLLHANDLER(polled++);
  PROCESS_BEGIN();
  CHECK(ev == PROCESS_EVENT_INIT && data == &echoed);
  while(1) {
    PROCESS_WAIT_EVENT_UNTIL(ev == question);
    echoed = echoed * 10 + *(int *)data;
  }
  PROCESS_END();
}

PROCESS_THREAD(short_process, ev, data)
{
  PROCESS_BEGIN();
  printf("short\n");
  PROCESS_END();
}

static
PT_THREAD(child(struct pt *pt, int *count))
{
  PT_BEGIN(pt);
  PT_SEM_WAIT(pt, &sem);
  ++*count;
  PT_YIELD(pt);
  ++*count;
  PT_SEM_WAIT(pt, &sem);
  ++*count;
  PT_END(pt);
}

PROCESS_THREAD(main_process, ev, data)
{
  static int one = 1, two = 2, three = 3, count, i;
  static struct pt pt;

  PROCESS_BEGIN();
  question = process_alloc_event();
  CHECK(question >= PROCESS_EVENT_MAX && process_alloc_event() == question + 1);

  process_start(&echo_process, &echoed);
  CHECK(process_is_running(&echo_process) && PROCESS_CURRENT() == &main_process);
  process_start(&echo_process, NULL);
  CHECK(process_post(&echo_process, question, &one) == PROCESS_ERR_OK);
  CHECK(echoed == 0 && process_nevents() > 0);
  process_post_synch(&echo_process, question, &two);
  CHECK(echoed == 2 && PROCESS_CURRENT() == &main_process);
  PROCESS_PAUSE();
  CHECK(echoed == 21);

  process_poll(&echo_process);
  process_post(&echo_process, question, &three);
  PROCESS_PAUSE();
  CHECK(polled == 1 && echoed == 213);

  process_post(PROCESS_BROADCAST, question, &one);
  PROCESS_WAIT_EVENT_UNTIL(ev == question);
  PROCESS_PAUSE();
  CHECK(echoed == 2131);

  for(i = 0; process_post(&echo_process, question, &two) == PROCESS_ERR_OK; i++) {
  }
  CHECK(i == PROCESS_CONF_NUMEVENTS);
  echoed = 0;
  while(process_nevents() > 0) { /* a poll needs no place in the queue */
    process_poll(&main_process);
    PROCESS_WAIT_EVENT_UNTIL(ev == PROCESS_EVENT_POLL);
  }
  CHECK(echoed != 0);

  process_start(&short_process, NULL);
  CHECK(!process_is_running(&short_process));
  process_start(&short_process, NULL);

  process_exit(&echo_process);
  CHECK(exits == 1 && !process_is_running(&echo_process));
  process_exit(&echo_process);
  CHECK(exits == 1);
  process_post(&echo_process, question, &two);
  echoed = 0;
  PROCESS_PAUSE();
  CHECK(echoed == 0);

  PT_SEM_INIT(&sem, 1);
  PT_INIT(&pt);
  CHECK(child(&pt, &count) == PT_YIELDED && count == 1 && PT_SEM_COUNT(&sem) == 0);
  CHECK(PT_SCHEDULE(child(&pt, &count)) && count == 2);
  CHECK(child(&pt, &count) == PT_WAITING && count == 2);
  PT_SEM_SIGNAL(pt, &sem);
  CHECK(child(&pt, &count) == PT_ENDED && count == 3);
  PT_SEM_SIGNAL(pt, &sem);
  PT_SEM_SIGNAL(pt, &sem);
  process_poll(&main_process);
  PROCESS_PT_SPAWN(&pt, child(&pt, &count));
  CHECK(count == 6);
  REPORT_CHECKS();

  /* It runs for ever, but time goes on. */
  for(i = 0; clock_time() < 1000; i++) {
    PROCESS_PAUSE();
  }
  printf("paused until 1000\n");
  PROCESS_END();
}
