/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The experiments of Schiefer, Steup and Kaiser (2013), "Real World Testing of
 * Aggregation in Publish/Subscribe Systems": publishers along configured routes
 * to one subscriber, and a control node. README.md says what is the paper's and
 * what is ours.
 */
#include <stdio.h>
#include "contiki.h"
#include "sys/ctimer.h"
#include "configuration.h"
#include "configured-routes.h"
#include "dump.h"
#include "event-trace.h"
#include "identity.h"
#include "publisher.h"
#include "pubsub.h"
#include "run-control.h"
#include "subscriber.h"

static struct run_place place;
static struct ctimer stop_timer, end_timer, dumped_timer;

PROCESS(aggregation_process, "Aggregation");
AUTOSTART_PROCESSES(&identity_process, &aggregation_process);
/*---------------------------------------------------------------------------*/
/* Logs a phase of the run, as the control node sees it. */
static void
report(const char *phase, unsigned publishers)
{
  if(configuration.role == ROLE_CONTROL) {
    printf("!run,%s,%u\n", phase, publishers);
  }
}
/*---------------------------------------------------------------------------*/
static void
dumped(void *unused)
{
  report("end", configuration.publishers);
}
/*---------------------------------------------------------------------------*/
static void
end(void *unused)
{
  event_trace_switch(false);
  subscriber_stop();
  dump_end_measuring();
  dump_start();
  ctimer_set(&dumped_timer, DUMP_ALL, dumped, NULL);
}
/*---------------------------------------------------------------------------*/
static void
stop(void *unused)
{
  report("stop", configuration.publishers);
}
/*---------------------------------------------------------------------------*/
static void
initialise(void)
{
  switch(configuration.role) {
  case ROLE_SUBSCRIBER:
    subscriber_initialise();
    break;
  case ROLE_PUBLISHER:
  case ROLE_RELAY:
    publisher_initialise();
    break;
  default:
    report("init", configuration.publishers);
    break;
  }
}
/*---------------------------------------------------------------------------*/
static void
start(uint32_t at)
{
  uint32_t stop_at = at + configuration.publication.duration;

  report("start", configuration.publishers);
  dump_begin_measuring();
  event_trace_switch(configuration.trace);
  ctimer_set(&stop_timer, run_ticks_until(stop_at), stop, NULL);
  ctimer_set(&end_timer, run_ticks_until(stop_at + configuration.drain),
             end, NULL);
  if(configuration.role == ROLE_SUBSCRIBER) {
    subscriber_start(at);
  } else if(configuration.role != ROLE_CONTROL) {
    publisher_start(at);
  }
}
/*---------------------------------------------------------------------------*/
static void
verified(uint8_t unverified)
{
  if(unverified > 0) {
    report("unverified", unverified);
  } else {
    report("verified", configuration.publishers);
  }
}
/*---------------------------------------------------------------------------*/
static const struct run_callbacks callbacks = { initialise, start };
/*---------------------------------------------------------------------------*/
PROCESS_THREAD(aggregation_process, ev, data)
{
  const char *fault;

  PROCESS_BEGIN();

  fault = configuration_read();
  if(fault != NULL) {
    printf("aggregation: %s\n", fault);
    PROCESS_EXIT();
  }
  place.self = configuration.mote;
  place.parent = configuration.parent;
  place.control = configuration.control;
  place.subscriber = configuration.subscriber;
  place.publisher = configuration.index;
  place.publishers = configuration.publishers;
  place.begins = configuration.begins;
  pubsub_init(configuration.mote, configuration.index, &configured_routes);
  if(configuration.role == ROLE_CONTROL) {
    run_director_init(&place, &callbacks, verified);
  } else {
    run_participant_init(&place, &callbacks);
  }

  PROCESS_END();
}
