/* SPDX-License-Identifier: Apache-2.0 */
#include "contiki.h"
#include "modelled-sensor.h"
#include "needs.h"
#include "pubsub.h"
#include "pubsub-octets.h"
#include "thread.h"
#include "timed-run.h"

THREAD(control_alone, THREAD_PRIORITY_NORMAL, 256);
THREAD(watch_alone, THREAD_PRIORITY_NORMAL, 256);
THREAD(record_alone, THREAD_PRIORITY_NORMAL, 256);

static struct thread *const threads[APPLICATIONS] = {
  &control_alone, &watch_alone, &record_alone
};

/* A report on its way from a thread to the network, which is a process. */
static struct report {
  struct pubsub_publisher_channel *channel;
  int32_t reading;
  bool waiting;
} reports[APPLICATIONS];

PROCESS(alone_report_process, "Reports");
/*---------------------------------------------------------------------------*/
static void
run(unsigned application)
{
  struct recorded last = { false, 0 };
  uint32_t at = thread_now();

  while(1) {
    int32_t reading = modelled_sensor_read();
    if(needs_it(application, reading, &last)) {
      needs_use(application);
      reports[application].reading = reading;
      reports[application].waiting = true;
      process_poll(&alone_report_process);
    }
    timed_run_sleep(&at, needs.period);
  }
}
/*---------------------------------------------------------------------------*/
THREAD_BODY(control_alone)
{
  run(CONTROL);
}
THREAD_BODY(watch_alone)
{
  run(WATCH);
}
THREAD_BODY(record_alone)
{
  run(RECORD);
}
/*---------------------------------------------------------------------------*/
PROCESS_THREAD(alone_report_process, ev, data)
{
  uint8_t octets[4];
  unsigned i;

  PROCESS_BEGIN();

  while(1) {
    PROCESS_YIELD_UNTIL(ev == PROCESS_EVENT_POLL);
    for(i = 0; i < APPLICATIONS; i++) {
      if(reports[i].waiting) {
        reports[i].waiting = false;
        pubsub_put32(octets, (uint32_t)reports[i].reading);
        pubsub_publish(reports[i].channel, octets, sizeof(octets), 0);
      }
    }
  }

  PROCESS_END();
}
/*---------------------------------------------------------------------------*/
bool
alone_init(void)
{
  unsigned i;

  for(i = 0; i < APPLICATIONS; i++) {
    reports[i].channel = pubsub_announce(pubsub_subject(needs_names[i]), NULL);
    if(reports[i].channel == NULL) {
      return false;
    }
  }
  process_start(&alone_report_process, NULL);
  return true;
}
/*---------------------------------------------------------------------------*/
bool
alone_start(void)
{
  unsigned i;

  for(i = 0; i < APPLICATIONS; i++) {
    thread_start(threads[i]);
  }
  return true;
}
/*---------------------------------------------------------------------------*/
void
alone_stop(void)
{
  unsigned i;

  for(i = 0; i < APPLICATIONS; i++) {
    thread_stop(threads[i]);
  }
}
