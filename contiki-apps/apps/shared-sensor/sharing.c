/* SPDX-License-Identifier: Apache-2.0 */
#include "contiki.h"
#include "blackboard-binding.h"
#include "blackboard-thread.h"
#include "modelled-sensor.h"
#include "needs.h"
#include "thread-lock.h"
#include "timed-run.h"

THREAD(sampler, THREAD_PRIORITY_NORMAL, 256);
THREAD(control, THREAD_PRIORITY_NORMAL, 256);
THREAD(watch, THREAD_PRIORITY_NORMAL, 256);
THREAD(record, THREAD_PRIORITY_NORMAL, 256);

static struct thread *const threads[APPLICATIONS] = {
  &control, &watch, &record
};
static struct thread_semaphore notified[APPLICATIONS] = {
  THREAD_SEMAPHORE(0), THREAD_SEMAPHORE(0), THREAD_SEMAPHORE(0)
};
static int number[APPLICATIONS];
/*---------------------------------------------------------------------------*/
THREAD_BODY(sampler)
{
  uint32_t at = thread_now();

  while(1) {
    blackboard_publish_request(EVENT_READING,
                               (uint32_t)modelled_sensor_read());
    timed_run_sleep(&at, needs.period);
  }
}
/*---------------------------------------------------------------------------*/
/* The board has done the comparing. */
static void
run(unsigned application)
{
  while(1) {
    blackboard_wait(EVENT_READING, number[application],
                    &notified[application]);
    needs_use(application);
  }
}
/*---------------------------------------------------------------------------*/
THREAD_BODY(control)
{
  run(CONTROL);
}
THREAD_BODY(watch)
{
  run(WATCH);
}
THREAD_BODY(record)
{
  run(RECORD);
}
/*---------------------------------------------------------------------------*/
static bool
subscribe(unsigned application, uint8_t comparison, uint32_t limit,
          uint32_t deadline)
{
  const struct blackboard_condition condition = { comparison, limit };
  const struct blackboard_subscription subscription = {
    .conditions = &condition, .number_of_conditions = 1,
    .notification = BLACKBOARD_BY_SEMAPHORE,
    .thread = threads[application], .deadline = deadline,
    .handler.semaphore = &notified[application]
  };

  number[application] = blackboard_subscribe(EVENT_READING, &subscription);
  return number[application] >= 0;
}
/*---------------------------------------------------------------------------*/
bool
sharing_init(void)
{
  return blackboard_bind_all();
}
/*---------------------------------------------------------------------------*/
/* A thread that has not been started can't be notified. */
bool
sharing_start(void)
{
  unsigned i;

  for(i = 0; i < APPLICATIONS; i++) {
    thread_start(threads[i]);
  }
  thread_start(&sampler);
  return subscribe(CONTROL, BLACKBOARD_ALWAYS, 0, 0)
    && subscribe(WATCH, BLACKBOARD_GREATER, (uint32_t)needs.limit,
                 needs.deadline)
    && subscribe(RECORD, BLACKBOARD_CHANGED, (uint32_t)needs.delta, 0);
}
/*---------------------------------------------------------------------------*/
void
sharing_stop(void)
{
  unsigned i;

  thread_stop(&sampler);
  for(i = 0; i < APPLICATIONS; i++) {
    thread_stop(threads[i]);
  }
}
