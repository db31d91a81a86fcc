/* SPDX-License-Identifier: Apache-2.0 */
#include "contiki.h"
#include "blackboard-log.h"
#include "blackboard-thread.h"
#include "configuration.h"
#include "cpu-use.h"
#include "test-case.h"
#include "thread-log.h"

#define SLICE 20000UL           /* us; the unit of phases */
#define PUBLISHER_SLEEP 30000UL /* us, section 6.1 */
#define SUBSCRIBER_SLEEP 10000UL
#define LATER 10000UL           /* us; subscriber 1's deadline is the earlier
                                   one */
#define UNIT 1000UL             /* us by which a missed deadline grows */

THREAD(publisher, THREAD_PRIORITY_NORMAL, 256);
THREAD(subscriber1, THREAD_PRIORITY_NORMAL, 256);
THREAD(subscriber2, THREAD_PRIORITY_NORMAL, 256);

static struct thread_semaphore notified[2] = {
  THREAD_SEMAPHORE(0), THREAD_SEMAPHORE(0)
};
static struct blackboard_subscription subscription[2];
static int number[2];
static uint32_t published; /* when; the next comes after its notifications */
static uint32_t drawn;     /* the generator's state */
static volatile bool is_over; /* no more publications */
/*---------------------------------------------------------------------------*/
/* Draws a number below a bound, the same on every system (Marsaglia 2003,
   xorshift). */
static uint32_t
draw(uint32_t bound)
{
  drawn ^= drawn << 13;
  drawn ^= drawn >> 17;
  drawn ^= drawn << 5;
  return drawn % bound;
}
/*---------------------------------------------------------------------------*/
static void
compute(uint32_t microseconds)
{
  if(microseconds > 0) {
    cpu_use(microseconds);
  }
}
/*---------------------------------------------------------------------------*/
THREAD_BODY(publisher)
{
  uint32_t count = 0;

  thread_sleep(PUBLISHER_SLEEP + draw(SLICE));
  while(!is_over) {
    compute(configuration.publisher_cost);
    published = thread_now();
    blackboard_publish_request(EVENT_NUMBER, ++count);
    if(configuration.gives_up) {
      thread_dispatch();
    }
    compute(configuration.extra_work);
    thread_sleep(PUBLISHER_SLEEP
                 + (configuration.each_phase ? draw(SLICE) : 0));
  }
}
/*---------------------------------------------------------------------------*/
/* Proposed in section 6.1, which doesn't specify it. */
static void
adapt(void)
{
  if(thread_now() - published > subscription[0].deadline) {
    subscription[0].deadline += UNIT;
    blackboard_modify_request(EVENT_NUMBER, number[0], &subscription[0]);
  }
}
/*---------------------------------------------------------------------------*/
THREAD_BODY(subscriber1)
{
  while(1) {
    blackboard_wait(EVENT_NUMBER, number[0], &notified[0]);
    if(configuration.adapts) {
      adapt();
    }
    compute(configuration.subscriber_cost);
  }
}
/*---------------------------------------------------------------------------*/
THREAD_BODY(subscriber2)
{
  while(1) {
    if(thread_semaphore_wait_for(&notified[1], 0) == THREAD_OK) {
      blackboard_taken(EVENT_NUMBER, number[1]);
      thread_deadline_served();
    }
    compute(configuration.subscriber_cost);
    thread_sleep(SUBSCRIBER_SLEEP);
  }
}
/*---------------------------------------------------------------------------*/
static int
subscribe(int which, struct thread *thread, uint32_t deadline)
{
  subscription[which].notification = BLACKBOARD_BY_SEMAPHORE;
  subscription[which].thread = thread;
  subscription[which].deadline = deadline;
  subscription[which].handler.semaphore = &notified[which];
  return blackboard_subscribe(EVENT_NUMBER, &subscription[which]);
}
/*---------------------------------------------------------------------------*/
void
test_case_start(void)
{
  drawn = (configuration.seed + 1) * 2654435761UL; /* Knuth's multiplier */
  if(drawn == 0) {
    drawn = 1;
  }
  draw(1); /* neighbouring seeds drift apart */
  draw(1);
  if(configuration.trace) {
    thread_log_trace();
  }
  /* Only a started thread can be notified; none runs before this returns. */
  blackboard_start();
  thread_start(&publisher);
  thread_start(&subscriber1);
  thread_start(&subscriber2);
  blackboard_log_start(configuration.trace);
  number[0] = subscribe(0, &subscriber1, configuration.deadline);
  number[1] = subscribe(1, &subscriber2, configuration.deadline + LATER);
}
/*---------------------------------------------------------------------------*/
void
test_case_publish_no_more(void)
{
  is_over = true;
}
/*---------------------------------------------------------------------------*/
void
test_case_stop(void)
{
  thread_stop(&publisher); /* unless it has returned */
  thread_stop(&subscriber1);
  thread_stop(&subscriber2);
}
