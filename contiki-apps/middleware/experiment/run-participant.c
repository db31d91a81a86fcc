/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include "contiki.h"
#include "lib/random.h"
#include "sys/ctimer.h"
#include "pubsub-octets.h"
#include "pubsub-routing.h"
#include "run-frames.h"
#include "start-sender.h"

/* A command is passed on after a random part of this time, so that neighbours
   without CSMA don't all do so at once. Each repeat follows REPEAT_WAIT and
   such a part later. */
#define SPREAD (CLOCK_SECOND / 32)
#define REPEAT_WAIT (CLOCK_SECOND / 50)
/* A probe waits until its command has been passed on around here. */
#define PROBE_WAIT (CLOCK_SECOND * 3 / 20)

/* A frame that is sent several times. */
struct repeated {
  struct ctimer timer;
  uint8_t left;
  void (*send)(void);
};

static const struct run_place *place;
static const struct run_callbacks *callbacks;
static struct start_time start;
static bool initialised, started;

static void pass_command(void);
static void pass_probe(void);
static struct repeated command_repeated = { .send = pass_command };
static struct repeated probe_repeated = { .send = pass_probe };
static struct run_command command;
static struct run_probe probe;
static struct ctimer start_timer;
/*---------------------------------------------------------------------------*/
static void
again(void *ptr)
{
  struct repeated *repeated = ptr;

  if(--repeated->left > 0) {
    ctimer_set(&repeated->timer, REPEAT_WAIT + random_rand() % SPREAD,
               again, repeated);
  }
  repeated->send();
}
/*---------------------------------------------------------------------------*/
static void
repeat(struct repeated *repeated, uint8_t times, clock_time_t wait)
{
  repeated->left = times > 0 ? times : 1;
  ctimer_set(&repeated->timer, wait, again, repeated);
}
/*---------------------------------------------------------------------------*/
static void
pass_command(void)
{
  run_command_send(&command, NULL);
}
/*---------------------------------------------------------------------------*/
static void
pass_probe(void)
{
  if(place->self == place->subscriber) {
    run_probe_send(&probe, RUN_CONFIRM, place->control);
  } else {
    run_probe_send(&probe, RUN_PROBE, place->parent);
  }
}
/*---------------------------------------------------------------------------*/
static void
begin(void *unused)
{
  started = true;
  start_sender_stop();
  ctimer_stop(&command_repeated.timer);
  ctimer_stop(&probe_repeated.timer);
  callbacks->start(start.at);
}
/*---------------------------------------------------------------------------*/
static void
start_frame(uint16_t from, const struct start_time_frame *frame)
{
  bool known = start.known, exact = start.exact;

  if(start_time_heard(&start, frame, from, run_now())) {
    ctimer_set(&start_timer, run_ticks_until(start.at), begin, NULL);
  }
  if(!known || (start.exact && !exact)) {
    /* The children are told the start, and told again when a better estimate
       comes. */
    start_sender_begin(&start, random_rand() % SPREAD);
  }
}
/*---------------------------------------------------------------------------*/
static bool
command_input(uint16_t from, const uint8_t *body, uint16_t length)
{
  struct run_command heard;

  if(!run_command_decode(&heard, body, length)) {
    return false;
  }
  if(started || (from != place->control && from != place->parent)) {
    return true; /* a child passes it on to its own children */
  }
  if(!initialised) {
    initialised = true;
    callbacks->initialise();
  }
  if(heard.code == RUN_START) {
    start_frame(from, &heard.start);
    return true;
  }
  if((int16_t)(heard.number - command.number) <= 0) {
    return true;
  }
  command = heard;
  repeat(&command_repeated, command.times, random_rand() % SPREAD);
  if(command.code == RUN_VERIFY && command.target == place->publisher) {
    probe.publisher = place->publisher;
    probe.number = command.number;
    probe.times = command.times;
    repeat(&probe_repeated, probe.times, PROBE_WAIT);
  }
  return true;
}
/*---------------------------------------------------------------------------*/
static bool
probe_input(uint16_t from, const uint8_t *body, uint16_t length)
{
  struct run_probe heard;

  if(!run_probe_decode(&heard, body, length)) {
    return false;
  }
  if(started || from == place->parent
     || (heard.publisher == probe.publisher && heard.number == probe.number)) {
    return true;
  }
  probe = heard;
  repeat(&probe_repeated, probe.times, 0);
  return true;
}
/*---------------------------------------------------------------------------*/
void
run_participant_init(const struct run_place *where,
                     const struct run_callbacks *what)
{
  static struct pubsub_protocol commands = { NULL, RUN_COMMAND, command_input };
  static struct pubsub_protocol probes = { NULL, RUN_PROBE, probe_input };

  place = where;
  callbacks = what;
  memset(&start, 0, sizeof(start));
  memset(&command, 0, sizeof(command));
  memset(&probe, 0, sizeof(probe));
  initialised = started = false;
  pubsub_routing_add_protocol(&commands);
  pubsub_routing_add_protocol(&probes);
}
/*---------------------------------------------------------------------------*/
const struct start_time *
run_start_time(void)
{
  return &start;
}
