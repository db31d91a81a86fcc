/* SPDX-License-Identifier: Apache-2.0 */
/* Somebody holds something of the blackboard for too long: each mote plays another story. */
#include "blackboard-story.h"

THREAD(blocker, THREAD_PRIORITY_LOW, 256);
THREAD(middle, THREAD_PRIORITY_NORMAL, 256);
THREAD(reader, THREAD_PRIORITY_HIGH, 256);
THREAD(other, THREAD_PRIORITY_HIGH, 256);

static struct thread_semaphore of_reader = THREAD_SEMAPHORE(0), of_other = THREAD_SEMAPHORE(0);
static struct etimer timer;

PROCESS(story_process, "Story");
AUTOSTART_PROCESSES(&story_process);

static void
publish(uint8_t event, uint32_t value)
{
  say("request", blackboard_publish_request(event, value));
}

/* It subscribes to the event that the other one's blocker holds up. */
THREAD_BODY(reader)
{
  int number = subscribe(EVENT_1, &reader, 10 * MS, &of_reader);

  while(blackboard_wait(EVENT_1, number, &of_reader) == THREAD_OK) {
    say("reads", thread_now());
  }
}

THREAD_BODY(other)
{
  int number = subscribe(EVENT_0, &other, 30 * MS, &of_other);

  while(blackboard_wait(EVENT_0, number, &of_other) == THREAD_OK) {
    say("reads", thread_now());
  }
}

/* Stories 1 to 3: the low one blocks event 0 and computes; the middle one asks for both events and computes for 2 s. */
THREAD_BODY(blocker)
{
  say("block", blackboard_block(EVENT_0));
  if(simMoteID == 4) { /* and waits with a deadline, which it inherits from whoever waits for it */
    say("lent", thread_wait_deadline());
  } else {
    cpu_use(simMoteID == 1 ? 25 * MS : 3000 * MS);
  }
  blackboard_unblock(EVENT_0);
  say("left", thread_now());
}

THREAD_BODY(middle)
{
  thread_sleep(10 * MS);
  if(simMoteID == 1) {
    say("not mine", thread_errors.not_owner);
    blackboard_unblock(EVENT_0);
    say("not mine", thread_errors.not_owner);
  }
  if(simMoteID == 2) {
    say("stops it", thread_stop(&blocker));
  }
  publish(EVENT_0, 1);
  publish(EVENT_1, 2);
  publish(EVENT_0, 3);
  thread_dispatch();
  if(simMoteID == 3) {
    say("stops it", thread_stop(&blocker));
  }
  cpu_use(2000 * MS);
  say("done", thread_now());
}

PROCESS_THREAD(story_process, ev, data)
{
  PROCESS_BEGIN();
  blackboard_start();
  blackboard_log_start(true);
  thread_start(&reader);
  thread_start(&other);
  if(simMoteID < 5) {
    thread_start(&blocker);
    thread_start(&middle);
  } else { /* a process blocks, and goes on later */
    etimer_set(&timer, 10);
    PROCESS_WAIT_UNTIL(etimer_expired(&timer));
    say("block", blackboard_block(EVENT_0));
    publish(EVENT_0, 1);
    publish(EVENT_1, 2);
    etimer_set(&timer, 1000);
    PROCESS_WAIT_UNTIL(etimer_expired(&timer));
    blackboard_unblock(EVENT_0);
  }
  etimer_set(&timer, 3000);
  PROCESS_WAIT_UNTIL(etimer_expired(&timer));
  blackboard_log_dump();
  thread_log_dump();
  PROCESS_END();
}
