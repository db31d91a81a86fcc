/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A publisher's and a subscriber's thread on a bare Cortex-M3, for counting the
 * instructions from a publication to the subscriber's first one. The clock
 * stands; no thread uses the CPU longer than its instructions.
 */
#include "../clock_requests.h"
#include "blackboard-thread.h"
#include "board.h"
#include "thread-lock.h"
#include "thread.h"

#ifndef SUBSCRIBERS
#define SUBSCRIBERS 1 /* of each event; of the last, one is the thread */
#endif
#define MEASURED (BLACKBOARD_NUMBER_OF_EVENTS - 1)

static struct thread_semaphore go = THREAD_SEMAPHORE(0);
static struct thread_semaphore notification = THREAD_SEMAPHORE(0);
static unsigned first; /* the events from here to the last are published */
static uint32_t called;
static uint32_t refused;

/*---------------------------------------------------------------------------*/
/* The clock of thread-port.h. */
uint32_t
thread_clock_now(void)
{
  return 1000;
}
void
thread_clock_alarm(uint32_t time)
{
}
void
thread_clock_overflowed(const struct thread *thread)
{
  refused += 1000;
}
/*---------------------------------------------------------------------------*/
/* What the emulator watches for. */
__attribute__((noinline)) void
test_publishes(void)
{
  __asm__ volatile("");
}
__attribute__((noinline)) void
test_notified(void)
{
  __asm__ volatile("");
}
/*---------------------------------------------------------------------------*/
static void
count(uint8_t event, uint8_t number, const uint32_t *value)
{
  called++;
}
/*---------------------------------------------------------------------------*/
THREAD(publisher, THREAD_PRIORITY_NORMAL, 512);
THREAD(subscriber, THREAD_PRIORITY_NORMAL, 512);

THREAD_BODY(publisher)
{
  static uint32_t value;
  unsigned event;

  while(1) {
    thread_semaphore_wait(&go);
    value++;
    test_publishes();
    for(event = first; event <= MEASURED; event++) {
      refused += blackboard_publish_request(event, value) != BLACKBOARD_OK;
    }
  }
}
/*---------------------------------------------------------------------------*/
THREAD_BODY(subscriber)
{
  const struct blackboard_subscription mine = {
    .notification = BLACKBOARD_BY_SEMAPHORE, .deadline = 10000,
    .thread = &subscriber,
    .handler.semaphore = &notification };
  const struct blackboard_subscription others = {
    .notification = BLACKBOARD_BY_CALLBACK, .thread = NULL,
    .handler.callback = count };
  unsigned event;
  unsigned other;
  int number = -1;

  for(event = 0; event < BLACKBOARD_NUMBER_OF_EVENTS; event++) {
    for(other = event == MEASURED; other < SUBSCRIBERS; other++) {
      refused += blackboard_subscribe(event, &others) < 0;
    }
    if(event == MEASURED) {
      number = blackboard_subscribe(event, &mine);
      refused += number < 0;
    }
  }
  while(1) {
    blackboard_wait(MEASURED, number, &notification);
    test_notified();
  }
}
/*---------------------------------------------------------------------------*/
static void
run(void)
{
  do {
    requested = false;
    threads_run();
  } while(requested);
}
/*---------------------------------------------------------------------------*/
static void
publish(unsigned from)
{
  first = from;
  thread_semaphore_post(&go);
  run();
}
/*---------------------------------------------------------------------------*/
/* It publishes the last event alone, then all of them in order. */
int
main(void)
{
  blackboard_start();
  thread_start(&subscriber);
  thread_start(&publisher);
  run();
  publish(MEASURED);
  publish(0);
  if(refused > 0) {
    __builtin_trap();
  }
  return 0;
}
/*---------------------------------------------------------------------------*/
void
board_tick(void)
{
}
