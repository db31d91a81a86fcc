/* SPDX-License-Identifier: Apache-2.0 */
/* Notifications pile up, or there are more threads than numbers for them: each mote plays another story. */
#include "blackboard-story.h"

#define THREADS 10

THREAD(server, THREAD_PRIORITY_NORMAL, 256);
THREAD(rival, THREAD_PRIORITY_NORMAL, 256);
THREAD(publisher, THREAD_PRIORITY_HIGH, 256);

static struct thread_semaphore of_server = THREAD_SEMAPHORE(0), of_rival = THREAD_SEMAPHORE(0);
static struct etimer timer;

PROCESS(story_process, "Story");
AUTOSTART_PROCESSES(&story_process);

/* --- 1: a second notification has its own deadline -------------------------- */

THREAD_BODY(server)
{
  int number = subscribe(EVENT_0, &server, 100 * MS, &of_server);

  while(blackboard_wait(EVENT_0, number, &of_server) == THREAD_OK) {
    cpu_use(30 * MS);
    say("done", thread_now());
  }
}

THREAD_BODY(rival)
{
  int number = subscribe(EVENT_1, &rival, 95 * MS, &of_rival);

  while(blackboard_wait(EVENT_1, number, &of_rival) == THREAD_OK) {
    cpu_use(50 * MS);
    say("done", thread_now());
  }
}

/* Publishes at 5 ms for the server; a process does so at 15 ms for it and the rival: deadlines at 105, 115, 110 ms. */
THREAD_BODY(publisher)
{
  thread_sleep(4 * MS);
  blackboard_publish_request(EVENT_0, 1);
}

/* --- 3: twice notified 40 minutes late, when the urgent one of no deadline is ready --- */

THREAD(urgent, THREAD_PRIORITY_HIGH, 256);
THREAD_BODY(urgent)
{
  cpu_use(50 * MS);
  say("done", thread_now());
}

/* --- 2: ten threads subscribe one after the other ----------------------------- */

static struct thread_semaphore semaphores[THREADS] = {
  THREAD_SEMAPHORE(0), THREAD_SEMAPHORE(0), THREAD_SEMAPHORE(0), THREAD_SEMAPHORE(0), THREAD_SEMAPHORE(0),
  THREAD_SEMAPHORE(0), THREAD_SEMAPHORE(0), THREAD_SEMAPHORE(0), THREAD_SEMAPHORE(0), THREAD_SEMAPHORE(0)
};

static void in_turn(unsigned which);
#define TURN(n) THREAD(t##n, THREAD_PRIORITY_NORMAL, 256); THREAD_BODY(t##n) { in_turn(n); }
TURN(0) TURN(1) TURN(2) TURN(3) TURN(4) TURN(5) TURN(6) TURN(7) TURN(8) TURN(9)
static struct thread *const turns[THREADS] = { &t0, &t1, &t2, &t3, &t4, &t5, &t6, &t7, &t8, &t9 };

/* All but the first and the third unsubscribe before they end; the remaining threads get their numbers. */
static void
in_turn(unsigned which)
{
  int number = subscribe(EVENT_0, thread_self(), 10 * MS, &semaphores[which]);

  say("number", number);
  if(number >= 0 && which != 0 && which != 2 && which < THREADS - 1) {
    say("unsubscribed", blackboard_unsubscribe(EVENT_0, number));
  }
  if(which == THREADS - 1) {
    say("notified", blackboard_wait(EVENT_0, number, &semaphores[which]));
  }
}

PROCESS_THREAD(story_process, ev, data)
{
  static unsigned i;

  PROCESS_BEGIN();
  blackboard_start();
  blackboard_log_start(true);
  if(simMoteID == 1) {
    thread_start(&server);
    thread_start(&rival);
    thread_start(&publisher);
  } else if(simMoteID == 3) {
    thread_start(&server);
    for(i = 0; i < 2; i++) {
      etimer_set(&timer, 100);
      PROCESS_WAIT_UNTIL(etimer_expired(&timer));
      blackboard_block(EVENT_0);
      blackboard_publish_request(EVENT_0, i);
      etimer_set(&timer, 40UL * 60 * CLOCK_SECOND);
      PROCESS_WAIT_UNTIL(etimer_expired(&timer));
      blackboard_unblock(EVENT_0);
      thread_start(&urgent);
    }
  } else {
    for(i = 0; i < THREADS; i++) {
      thread_start(turns[i]);
      etimer_set(&timer, 1);
      PROCESS_WAIT_UNTIL(etimer_expired(&timer));
    }
    thread_start(&t0); /* its subscription is still its own, because no other thread had one */
    blackboard_publish_request(EVENT_0, 1);
  }
  if(simMoteID == 1) {
    etimer_set(&timer, 14);
    PROCESS_WAIT_UNTIL(etimer_expired(&timer));
    blackboard_publish_request(EVENT_0, 2);
    blackboard_publish_request(EVENT_1, 3);
  }
  etimer_set(&timer, 150);
  PROCESS_WAIT_UNTIL(etimer_expired(&timer));
  blackboard_log_dump();
  thread_log_dump();
  PROCESS_END();
}
