/* SPDX-License-Identifier: Apache-2.0 */
#include "contiki.h"
#include "alarm.h"
#include "blackboard-thread.h"
#include "cpu-use.h"
#include "modelled-sensor.h"
#include "thread-lock.h"
#include "timed-run.h"

THREAD(sensor, THREAD_PRIORITY_HIGH, 256);
THREAD(watcher, THREAD_PRIORITY_NORMAL, 256);

static struct thread_semaphore notified = THREAD_SEMAPHORE(0);
static struct blackboard_box box = { 0, &notified };
static int number;
/*---------------------------------------------------------------------------*/
THREAD_BODY(sensor)
{
  uint32_t at = thread_now();

  while(1) {
    blackboard_publish_request(EVENT_READING,
                               (uint32_t)modelled_sensor_read());
    timed_run_sleep(&at, alarm_settings.interval);
  }
}
/*---------------------------------------------------------------------------*/
THREAD_BODY(watcher)
{
  while(1) {
    blackboard_wait(EVENT_READING, number, &notified);
    cpu_use(alarm_settings.work);
    blackboard_publish_request(EVENT_ALARM, box.value);
  }
}
/*---------------------------------------------------------------------------*/
bool
watcher_start(void)
{
  const struct blackboard_condition condition = {
    BLACKBOARD_GREATER, (uint32_t)alarm_settings.limit
  };
  const struct blackboard_subscription subscription = {
    .conditions = &condition, .number_of_conditions = 1,
    .notification = BLACKBOARD_BY_SEMAPHORE | BLACKBOARD_WITH_VALUE,
    .thread = &watcher, .deadline = alarm_settings.deadline,
    .handler.box = &box
  };

  thread_start(&watcher);
  thread_start(&sensor);
  number = blackboard_subscribe(EVENT_READING, &subscription);
  return number >= 0;
}
/*---------------------------------------------------------------------------*/
void
watcher_stop(void)
{
  thread_stop(&sensor);
  thread_stop(&watcher);
}
