/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Eight events with six subscribers each, and every call there is: what of the
 * blackboard and the threads is linked for it (test_blackboard_size.py).
 */
#include "contiki.h"
#include "blackboard-thread.h"

THREAD(publisher, THREAD_PRIORITY_NORMAL, 256);
THREAD(subscriber, THREAD_PRIORITY_NORMAL, 256);

static struct thread_semaphore notified = THREAD_SEMAPHORE(0);
static bool is_wanted;

PROCESS(main_process, "Main");
AUTOSTART_PROCESSES(&main_process);

static void
wanted(uint8_t event, bool now)
{
  is_wanted = now;
}

static struct blackboard_producer producer = {
  .event = EVENT_0, .wanted = wanted
};

THREAD_BODY(publisher)
{
  blackboard_produce(&producer);
  while(1) {
    blackboard_publish_request(EVENT_0, 1);
    blackboard_publish_now(EVENT_1, 2);
    thread_dispatch();
    thread_sleep(30000);
  }
}

THREAD_BODY(subscriber)
{
  static const struct blackboard_subscription subscription = {
    .notification = BLACKBOARD_BY_SEMAPHORE, .thread = &subscriber,
    .deadline = 10000, .handler.semaphore = &notified
  };
  uint8_t number = blackboard_subscribe(EVENT_0, &subscription);
  uint32_t value;

  blackboard_subscribe_request(EVENT_1, &subscription);
  while(blackboard_wait(EVENT_0, number, &notified) == THREAD_OK) {
    blackboard_read(EVENT_0, 0, &value);
    blackboard_modify(EVENT_0, number, &subscription);
    blackboard_modify_request(EVENT_1, 0, &subscription);
    blackboard_pause(EVENT_0, number, value > 5);
    blackboard_pause_request(EVENT_1, 0, blackboard_poll(EVENT_1, 0) == 1);
    if(blackboard_block(EVENT_1) == BLACKBOARD_OK) {
      blackboard_unblock(EVENT_1);
    }
  }
  blackboard_unsubscribe(EVENT_0, number);
  blackboard_unsubscribe_request(EVENT_1, 0);
}

PROCESS_THREAD(main_process, ev, data)
{
  PROCESS_BEGIN();
  blackboard_start();
  thread_start(&publisher);
  thread_start(&subscriber);
  PROCESS_END();
}
