/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Publishers publish readings in bursts. A mote that nobody sends to has its
 * radio on only while there is something to send: as long as the MAC's queue,
 * whose length the MAC publishes on the blackboard, isn't empty; or, for
 * comparison, for a fixed time, or always. README.md explains.
 */
#include <stdio.h>
#include "contiki.h"
#include "acknowledged-routes.h"
#include "blackboard-crosslayer.h"
#include "blackboard-log.h"
#include "blackboard-thread.h"
#include "counters-dump.h"
#include "duty-radio.h"
#include "eeprom-fields.h"
#include "identity.h"
#include "pubsub-octets.h"
#include "timed-run.h"

static struct pubsub_publisher_channel *channel;
static uint8_t radio, burst;
static uint32_t period, window; /* ms */
static uint32_t deadline;       /* us */

PROCESS(duty_cycle_process, "Duty cycle");
PROCESS(duty_cycle_publisher_process, "Publisher");
AUTOSTART_PROCESSES(&identity_process, &duty_cycle_process);
/*---------------------------------------------------------------------------*/
static const char *
configure(void)
{
  struct eeprom_fields fields;
  const char *fault;

  if(!eeprom_fields_read(&fields)) {
    return "the EEPROM holds no image of this application";
  }
  radio = fields.radio;
  burst = fields.burst;
  period = fields.period_ms;
  window = fields.window_ms;
  deadline = fields.deadline_us;
  fault = timed_run_take(&(struct timed_run)TIMED_RUN_OF(fields),
                         fields.neighbours_count, eeprom_fields_neighbours);
  return fault != NULL
    || (radio >= DUTY_ALWAYS && radio <= DUTY_QUEUE && period > 0) ? fault
    : "the EEPROM image holds a value out of range";
}
/*---------------------------------------------------------------------------*/
/* Draws a number of this mote's own for each burst, 0 .. below - 1, from the seed,
   so that no fixed time fits all bursts and some meet those of other motes. */
static uint32_t
drawn(uint32_t what, uint32_t burst_number, uint32_t below)
{
  uint32_t x = timed_run.seed * 65599UL + timed_run.mote;

  x = (x * 8191 + burst_number) * 2 + what;
  x = (x ^ x >> 16) * 2654435761UL; /* Knuth's multiplier */
  return (x ^ x >> 15) % below;
}
/*---------------------------------------------------------------------------*/
/* There is one burst in each period, at some time in it. */
PROCESS_THREAD(duty_cycle_publisher_process, ev, data)
{
  static struct etimer timer;
  static uint32_t number, phase, before;
  uint8_t octets[2];
  unsigned i;

  PROCESS_BEGIN();

  before = 0;
  for(number = 0;; number++) {
    phase = drawn(0, number, period);
    etimer_set(&timer, pubsub_ticks((number > 0 ? period : 0) + phase - before));
    before = phase;
    PROCESS_WAIT_UNTIL(etimer_expired(&timer));
    if(timed_run_only_sends()) {
      duty_radio_expect_burst();
    }
    for(i = 1 + drawn(1, number, burst); i > 0; i--) {
      pubsub_put16(octets, channel->sequence);
      pubsub_publish(channel, octets, sizeof(octets), 0);
    }
  }

  PROCESS_END();
}
/*---------------------------------------------------------------------------*/
static void
start(void)
{
  blackboard_log_start(timed_run.trace);
  blackboard_crosslayer_start(); /* only now, because it observes the same as the
                                    trace */
  if(timed_run_only_sends() && !duty_radio_start(radio, pubsub_ticks(window), deadline)) {
    timed_run_refused("duty-cycle");
  }
  if(timed_run.index != 0) {
    process_start(&duty_cycle_publisher_process, NULL);
  }
}
/*---------------------------------------------------------------------------*/
static void
stop(void)
{
  process_exit(&duty_cycle_publisher_process);
}
/*---------------------------------------------------------------------------*/
static void
dump(void)
{
  blackboard_log_dump();
  counters_dump_one("link_transmissions", acknowledged_routes_transmissions);
  if(timed_run_only_sends()) {
    duty_radio_stop();
  }
}
/*---------------------------------------------------------------------------*/
static const struct timed_run_callbacks callbacks = { start, stop, dump };
/*---------------------------------------------------------------------------*/
PROCESS_THREAD(duty_cycle_process, ev, data)
{
  const char *fault;
  bool ready = true;

  PROCESS_BEGIN();

  fault = configure();
  if(fault != NULL) {
    printf("duty-cycle: %s\n", fault);
    PROCESS_EXIT();
  }
  timed_run_begin(&callbacks);
  acknowledged_routes_init();
  blackboard_start();
  if(timed_run.role == TIMED_RUN_SUBSCRIBER) {
    ready = pubsub_subscribe(pubsub_subject("reading"), timed_run_arrived, NULL, NULL)
      != NULL;
  } else if(timed_run.index != 0) {
    channel = pubsub_announce(pubsub_subject("reading"), NULL);
    ready = channel != NULL;
  }
  if(!ready) {
    timed_run_refused("duty-cycle");
  }

  PROCESS_END();
}
