/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Three applications of a mote share its one sensor by the blackboard, or each
 * samples for itself. This shows what sharing saves. README.md explains.
 */
#include <stdio.h>
#include "contiki.h"
#include "net/netstack.h"
#include "blackboard-binding.h"
#include "blackboard-log.h"
#include "blackboard-thread.h"
#include "counters-dump.h"
#include "eeprom-fields.h"
#include "identity.h"
#include "modelled-sensor.h"
#include "needs.h"
#include "timed-run.h"

/* When the radio of a mote that only sends is on. */
enum { RADIO_ALWAYS = 1, RADIO_SENDING };

static uint8_t radio;

PROCESS(shared_sensor_process, "Shared sensor");
AUTOSTART_PROCESSES(&identity_process, &shared_sensor_process);
/*---------------------------------------------------------------------------*/
static const char *
configure(void)
{
  struct eeprom_fields fields;
  const char *fault;

  if(!eeprom_fields_read(&fields)) {
    return "the EEPROM holds no image of this application";
  }
  needs.blackboard = fields.blackboard != 0;
  needs.period = fields.period_us;
  needs.conversion = fields.conversion_us;
  needs.work = fields.work_us;
  needs.limit = fields.limit;
  needs.delta = fields.delta;
  needs.deadline = fields.deadline_us;
  radio = fields.radio;
  fault = timed_run_take(&(struct timed_run)TIMED_RUN_OF(fields),
                         fields.neighbours_count, eeprom_fields_neighbours);
  return fault != NULL
    || (needs.period > 0 && radio >= RADIO_ALWAYS && radio <= RADIO_SENDING)
    ? fault
    : "the EEPROM image holds a value out of range";
}
/*---------------------------------------------------------------------------*/
/* Only a mote that samples has a blackboard. */
static bool
shares(void)
{
  return needs.blackboard && timed_run.index != 0;
}
/*---------------------------------------------------------------------------*/
static void
start(void)
{
  modelled_sensor_init(timed_run.seed, timed_run.mote, needs.conversion);
  if(shares()) {
    blackboard_log_start(timed_run.trace);
  }
  if(radio == RADIO_SENDING && timed_run_only_sends()) {
    NETSTACK_MAC.off(); /* its driver switches it on for a frame */
  }
  if(timed_run.index != 0
     && !(needs.blackboard ? sharing_start : alone_start)()) {
    timed_run_refused("shared-sensor");
  }
}
/*---------------------------------------------------------------------------*/
static void
stop(void)
{
  if(timed_run.index != 0) {
    (needs.blackboard ? sharing_stop : alone_stop)();
  }
}
/*---------------------------------------------------------------------------*/
static void
dump(void)
{
  if(timed_run.index != 0) {
    counters_dump_one("samples_taken", modelled_sensor_samples);
    printf("used by control %u watch %u record %u\n",
           (unsigned)needs_used[CONTROL], (unsigned)needs_used[WATCH],
           (unsigned)needs_used[RECORD]);
  }
  if(shares()) {
    blackboard_log_dump();
    blackboard_binding_dump();
  }
  if(timed_run.role == TIMED_RUN_SUBSCRIBER) {
    sink_dump();
  }
}
/*---------------------------------------------------------------------------*/
static const struct timed_run_callbacks callbacks = { start, stop, dump };
/*---------------------------------------------------------------------------*/
PROCESS_THREAD(shared_sensor_process, ev, data)
{
  const char *fault;
  bool ready = true;

  PROCESS_BEGIN();

  fault = configure();
  if(fault != NULL) {
    printf("shared-sensor: %s\n", fault);
    PROCESS_EXIT();
  }
  timed_run_begin(&callbacks);
  if(timed_run.role == TIMED_RUN_SUBSCRIBER) {
    ready = sink_init();
  } else if(timed_run.index != 0) {
    if(shares()) {
      blackboard_start();
    }
    ready = needs.blackboard ? sharing_init() : alone_init();
  }
  if(!ready) {
    timed_run_refused("shared-sensor");
  }

  PROCESS_END();
}
