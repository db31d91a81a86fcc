/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An alarm with a deadline while long tasks run: in a publisher, from the sensor
 * to the process that sends the alarm, and in the subscriber, from the network to
 * the siren. README.md explains.
 */
#include <stdio.h>
#include "contiki.h"
#include "alarm.h"
#include "blackboard-binding.h"
#include "blackboard-log.h"
#include "blackboard-thread.h"
#include "counters-dump.h"
#include "cpu-use.h"
#include "eeprom-fields.h"
#include "identity.h"
#include "modelled-sensor.h"
#include "timed-run.h"

struct alarm_settings alarm_settings;

THREAD(task1, THREAD_PRIORITY_NORMAL, 256);
THREAD(task2, THREAD_PRIORITY_NORMAL, 256);
THREAD(task3, THREAD_PRIORITY_NORMAL, 256);

static struct thread *const tasks[ALARM_MOST_TASKS] = {
  &task1, &task2, &task3
};

PROCESS(alarm_process, "Alarm");
AUTOSTART_PROCESSES(&identity_process, &alarm_process);
/*---------------------------------------------------------------------------*/
static void
compute(void)
{
  while(1) {
    cpu_use(alarm_settings.task);
    thread_sleep(alarm_settings.rest);
  }
}
/*---------------------------------------------------------------------------*/
THREAD_BODY(task1)
{
  compute();
}
THREAD_BODY(task2)
{
  compute();
}
THREAD_BODY(task3)
{
  compute();
}
/*---------------------------------------------------------------------------*/
static const char *
configure(void)
{
  struct alarm_settings *s = &alarm_settings;
  struct eeprom_fields fields;
  const char *fault;

  if(!eeprom_fields_read(&fields)) {
    return "the EEPROM holds no image of this application";
  }
  s->deadline = fields.deadline_us;
  s->tasks = fields.tasks;
  s->task = fields.task_us;
  s->rest = fields.rest_us;
  s->interval = fields.interval_us;
  s->conversion = fields.conversion_us;
  s->work = fields.work_us;
  s->limit = fields.limit;
  fault = timed_run_take(&(struct timed_run)TIMED_RUN_OF(fields),
                         fields.neighbours_count, eeprom_fields_neighbours);
  return fault != NULL
    || (s->tasks <= ALARM_MOST_TASKS && s->interval > 0) ? fault
    : "the EEPROM image holds a value out of range";
}
/*---------------------------------------------------------------------------*/
static void
start(void)
{
  unsigned i;

  blackboard_log_start(timed_run.trace);
  modelled_sensor_init(timed_run.seed, timed_run.mote, alarm_settings.conversion);
  for(i = 0; i < alarm_settings.tasks; i++) {
    thread_start(tasks[i]);
  }
  if((timed_run.role == TIMED_RUN_SUBSCRIBER && !siren_start())
     || (timed_run.index != 0 && !watcher_start())) {
    timed_run_refused("alarm");
  }
}
/*---------------------------------------------------------------------------*/
static void
stop(void)
{
  unsigned i;

  for(i = 0; i < alarm_settings.tasks; i++) {
    thread_stop(tasks[i]);
  }
  if(timed_run.index != 0) {
    watcher_stop();
  }
}
/*---------------------------------------------------------------------------*/
static void
dump(void)
{
  if(timed_run.index != 0) {
    counters_dump_one("samples_taken", modelled_sensor_samples);
  }
  if(timed_run.role == TIMED_RUN_SUBSCRIBER) {
    siren_stop(); /* only now, because alarms came in during the drain */
  }
  blackboard_log_dump();
  blackboard_binding_dump();
}
/*---------------------------------------------------------------------------*/
static const struct timed_run_callbacks callbacks = { start, stop, dump };
/*---------------------------------------------------------------------------*/
PROCESS_THREAD(alarm_process, ev, data)
{
  const char *fault;
  bool ready = true;

  PROCESS_BEGIN();

  fault = configure();
  if(fault != NULL) {
    printf("alarm: %s\n", fault);
    PROCESS_EXIT();
  }
  timed_run_begin(&callbacks);
  blackboard_start();
  if(timed_run.role == TIMED_RUN_SUBSCRIBER) {
    /* The binding's subscription has no records of arrived events. */
    ready = blackboard_bind(BLACKBOARD_BINDING_alarm_HEARD, NULL)
      && pubsub_subscribe(pubsub_subject("alarm"), timed_run_arrived, NULL, NULL) != NULL;
  } else if(timed_run.index != 0) {
    ready = blackboard_bind(BLACKBOARD_BINDING_alarm_ALARM, NULL);
  }
  if(!ready) {
    timed_run_refused("alarm");
  }

  PROCESS_END();
}
