/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include "contiki.h"
#include "lib/random.h"
#include "sys/ctimer.h"
#include "pubsub-octets.h"
#include "pubsub-routing.h"
#include "run-frames.h"
#include "start-sender.h"

/* A command is repeated after a random part of this, so that neighbours without
   CSMA don't do it all at once. */
#define RELAY_SPREAD (CLOCK_SECOND / 32)
/* A probe waits until its command has been relayed around here. */
#define PROBE_WAIT (CLOCK_SECOND * 3 / 20)

static const struct run_place *place;
static const struct run_callbacks *callbacks;
static struct start_time start;
static bool initialised, started;

static struct run_command relayed;
static struct ctimer relay_timer, probe_timer, start_timer;
static uint16_t probe_number;

static bool command_input(uint16_t from, const uint8_t *body, uint16_t length);
static bool probe_input(uint16_t from, const uint8_t *body, uint16_t length);
static struct pubsub_protocol command_protocol = {
  NULL, RUN_COMMAND, command_input
};
static struct pubsub_protocol probe_protocol = {
  NULL, RUN_PROBE, probe_input
};
/*---------------------------------------------------------------------------*/
static void
relay(void *unused)
{
  if(relayed.code == RUN_START) {
    start_sender_send(relayed.number, start.at, start.exact, start.hops + 1);
  } else {
    run_command_send(&relayed, NULL);
  }
}
/*---------------------------------------------------------------------------*/
static void
probe(void *unused)
{
  run_probe_send(RUN_PROBE, place->parent, place->publisher, probe_number);
}
/*---------------------------------------------------------------------------*/
static void
begin(void *unused)
{
  started = true;
  ctimer_stop(&relay_timer);
  ctimer_stop(&probe_timer);
  callbacks->start(start.at);
}
/*---------------------------------------------------------------------------*/
static void
start_frame(uint16_t from, const struct start_frame *frame)
{
  int32_t left;

  if(start_time_heard(&start, frame, from, run_now())) {
    left = (int32_t)(start.at - run_now());
    ctimer_set(&start_timer,
               left > 0 ? (clock_time_t)((uint64_t)left * CLOCK_SECOND / 1000)
               : 0, begin, NULL);
  }
}
/*---------------------------------------------------------------------------*/
static bool
command_input(uint16_t from, const uint8_t *body, uint16_t length)
{
  struct run_command command;

  if(!run_command_decode(&command, body, length)) {
    return false;
  }
  if(started || (from != place->control && from != place->parent)) {
    return true; /* a neighbour's repeat, meant for its own children */
  }
  if(!initialised) {
    initialised = true;
    callbacks->initialise();
  }
  if(command.code == RUN_START) {
    start_frame(from, &command.start);
  }
  if((int16_t)(command.number - relayed.number) <= 0) {
    return true;
  }
  relayed = command;
  ctimer_set(&relay_timer, random_rand() % RELAY_SPREAD, relay, NULL);
  if(command.code == RUN_VERIFY && command.target == place->publisher) {
    probe_number = command.number;
    ctimer_set(&probe_timer, PROBE_WAIT, probe, NULL);
  }
  return true;
}
/*---------------------------------------------------------------------------*/
static bool
probe_input(uint16_t from, const uint8_t *body, uint16_t length)
{
  if(length != RUN_PROBE_SIZE) {
    return false;
  }
  if(started || from == place->parent) {
    return true;
  }
  if(place->self == place->subscriber) {
    run_probe_send(RUN_CONFIRM, place->control,
                   body[0], octets_get16(body + 1));
  } else {
    run_probe_send(RUN_PROBE, place->parent, body[0], octets_get16(body + 1));
  }
  return true;
}
/*---------------------------------------------------------------------------*/
void
run_participant_init(const struct run_place *where,
                     const struct run_callbacks *what)
{
  place = where;
  callbacks = what;
  memset(&start, 0, sizeof(start));
  memset(&relayed, 0, sizeof(relayed));
  initialised = started = false;
  pubsub_routing_add_protocol(&command_protocol);
  pubsub_routing_add_protocol(&probe_protocol);
}
/*---------------------------------------------------------------------------*/
const struct start_time *
run_start_time(void)
{
  return &start;
}
