/* SPDX-License-Identifier: Apache-2.0 */
/* The blackboard thread: each mote plays another story; the log's times are the test. */
#include "blackboard-story.h"

THREAD(publisher, THREAD_PRIORITY_NORMAL, 256);
THREAD(near, THREAD_PRIORITY_LOW, 256);
THREAD(far, THREAD_PRIORITY_HIGH, 256);

static struct thread_semaphore of_near = THREAD_SEMAPHORE(0), of_far = THREAD_SEMAPHORE(0);
static struct blackboard_box box = { 0, &of_near };
static int16_t number_of_near = -99;
static struct etimer timer;

PROCESS(story_process, "Story");
AUTOSTART_PROCESSES(&story_process);

/* Two subscribers of event 0; the less important one has the sooner deadline. */
THREAD_BODY(near)
{
  static const struct blackboard_condition above[] = { { BLACKBOARD_GREATER, 10 } };
  static const struct blackboard_subscription subscription = {
    .conditions = above, .number_of_conditions = 1, .notification = BLACKBOARD_BY_SEMAPHORE | BLACKBOARD_WITH_VALUE,
    .thread = &near, .deadline = 5 * MS, .handler.box = &box, .number = &number_of_near
  };

  blackboard_subscribe_request(EVENT_0, &subscription);
  while(blackboard_wait(EVENT_0, 1, &of_near) == THREAD_OK) {
    say("value", box.value);
    cpu_use(2 * MS);
  }
}

THREAD_BODY(far)
{
  say("number", subscribe(EVENT_0, &far, 50 * MS, &of_far));
  while(blackboard_wait(EVENT_0, 0, &of_far) == THREAD_OK) {
    uint32_t value;
    say("read", blackboard_read(EVENT_0, 0, &value) == BLACKBOARD_OK ? (long)value : -1);
    cpu_use(2 * MS);
  }
}

static void
called(uint8_t event, uint8_t number, const uint32_t *value)
{
  say("called", *value);
  if(*value < 3) {
    blackboard_publish_request(event, *value + 1);
  }
}

THREAD_BODY(publisher)
{
  static const struct blackboard_subscription by_call = {
    .notification = BLACKBOARD_BY_CALLBACK | BLACKBOARD_WITH_VALUE, .handler.callback = called
  };

  thread_sleep(4 * MS); /* the others have subscribed */
  switch(simMoteID) {
  case 1: /* the blackboard thread is next when the slice ends */
    say("request", blackboard_publish_request(EVENT_0, 11));
    cpu_use(30 * MS);
    break;
  case 2: /* or when the publisher gives up the CPU */
    say("request", blackboard_publish_request(EVENT_0, 10));
    thread_dispatch();
    say("request", blackboard_publish_request(EVENT_0, 12));
    cpu_use(3 * MS);
    break;
  case 3: /* a request waits until the event is left */
    say("block", blackboard_block(EVENT_0));
    say("direct", blackboard_publish_now(EVENT_0, 20));
    say("request", blackboard_publish_request(EVENT_0, 21));
    thread_dispatch();
    cpu_use(3 * MS);
    blackboard_unblock(EVENT_0);
    cpu_use(3 * MS);
    break;
  case 4: /* a callback makes requests */
    say("number", blackboard_subscribe(EVENT_1, &by_call));
    blackboard_publish_request(EVENT_1, 1);
    break;
  case 5: /* nobody waits for a full queue */
    for(int i = 0; i <= BLACKBOARD_QUEUE; i++) {
      say("request", blackboard_publish_request(EVENT_0, 30 + i));
    }
    break;
  case 6: /* one that has stopped is not notified */
    thread_stop(&near);
    say("request", blackboard_publish_request(EVENT_0, 40));
    break;
  }
  say("ends", thread_now());
}

PROCESS_THREAD(story_process, ev, data)
{
  PROCESS_BEGIN();
  thread_log_trace();
  blackboard_start();
  blackboard_log_start(true);
  thread_start(&far);
  thread_start(&near);
  thread_start(&publisher);
  etimer_set(&timer, 10);
  PROCESS_WAIT_UNTIL(etimer_expired(&timer));
  if(simMoteID == 7) { /* a process publishes, whatever thread computes */
    say("request", blackboard_publish_request(EVENT_0, 50));
  }
  etimer_set(&timer, 90);
  PROCESS_WAIT_UNTIL(etimer_expired(&timer));
  say("number of near", number_of_near);
  blackboard_log_dump();
  thread_log_dump();
  PROCESS_END();
}
