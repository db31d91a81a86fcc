/* SPDX-License-Identifier: Apache-2.0 */
#include "contiki.h"
#include "sys/ctimer.h"
#include "sys/etimer.h"
#include "pubsub-octets.h"
#include "pubsub-routing.h"
#include "run-frames.h"
#include "start-sender.h"

/* Motes have booted after this; one that hasn't is initialised by a later
   command. */
#define BOOT_WAIT (2 * CLOCK_SECOND)
#define INITIALISE_WAIT (CLOCK_SECOND / 4)
#define INITIALISE_REPEATS 3
/* Probes per publisher before its route counts as broken; from the third on,
   every frame of one is sent three times. */
#define VERIFY_ATTEMPTS 8
#define VERIFY_LIGHT 2
#define VERIFY_TIMES 3
/* The time between a confirmation and the next probe, for frames that are still
   under way. */
#define VERIFY_PAUSE (CLOCK_SECOND / 10)
/*
 * The longest time for one hop there and back: spread, longest first back-off
 * (42 ms in Cooja's CSMA) and frame, twice.
 */
#define VERIFY_PER_HOP (CLOCK_SECOND * 13 / 100)
#define VERIFY_BASE (CLOCK_SECOND * 2 / 5)
/* The time in which the start passes one more hop, and the time for everything
   else. */
#define START_PER_HOP (CLOCK_SECOND / 10)
#define START_BASE (CLOCK_SECOND / 2)

static const struct run_place *place;
static const struct run_callbacks *callbacks;
static void (*verified)(uint8_t unverified);

static uint16_t command_number;
static uint8_t target, attempt, repeat, unverified;
static bool confirmed;
static struct start_time start;
static struct ctimer start_timer;

PROCESS(run_director_process, "Run director");

/*---------------------------------------------------------------------------*/
/* Frames that the control node ignores: the subscriber's repeats of commands,
   and probes on their way. */
static bool
ignore_input(uint16_t from, const uint8_t *body, uint16_t length)
{
  return true;
}
/*---------------------------------------------------------------------------*/
static bool
confirm_input(uint16_t from, const uint8_t *body, uint16_t length)
{
  struct run_probe probe;

  if(!run_probe_decode(&probe, body, length)) {
    return false;
  }
  /* Any of this publisher's probes proves the route, even a late one. */
  if(from == place->subscriber && probe.publisher == target && !confirmed) {
    confirmed = true;
    process_poll(&run_director_process);
  }
  return true;
}
/*---------------------------------------------------------------------------*/
static void
send_command(uint8_t code, uint8_t publisher, uint8_t times)
{
  struct run_command command = {
    .number = ++command_number, .code = code, .target = publisher,
    .times = times
  };

  run_command_send(&command, NULL);
}
/*---------------------------------------------------------------------------*/
/* The hops to allow for: a chain of all publishers and some relays between them.
   On a longer route the first probes only come late, and late ones count,
   too. */
static unsigned
longest_route(void)
{
  return place->publishers + 5;
}
/*---------------------------------------------------------------------------*/
/* The time that it takes to announce the start to all motes. */
static clock_time_t
start_takes(void)
{
  return START_BASE + START_PER_HOP * longest_route()
    + START_SENDER_REPEATS * START_SENDER_INTERVAL;
}
/*---------------------------------------------------------------------------*/
static clock_time_t
begins(void)
{
  return pubsub_ticks(place->begins);
}
/*---------------------------------------------------------------------------*/
/* Whether the time that was set for the start can't be kept any more. */
static bool
is_too_late(void)
{
  return place->begins != 0 && clock_time() + start_takes() > begins();
}
/*---------------------------------------------------------------------------*/
/* Waits for that long, or until it is too late. */
static clock_time_t
in_time(clock_time_t wait)
{
  clock_time_t left = begins() - start_takes() - clock_time();

  return place->begins == 0 || is_too_late() || wait <= left ? wait : left + 1;
}
/*---------------------------------------------------------------------------*/
static void
begin(void *unused)
{
  start_sender_stop();
  callbacks->start(start.at);
}
/*---------------------------------------------------------------------------*/
PROCESS_THREAD(run_director_process, ev, data)
{
  static struct etimer timer, pause;
  static uint8_t times;
  clock_time_t left, wait;

  PROCESS_BEGIN();

  etimer_set(&timer, BOOT_WAIT);
  PROCESS_WAIT_UNTIL(etimer_expired(&timer));
  callbacks->initialise();
  for(repeat = 0; repeat < INITIALISE_REPEATS; repeat++) {
    send_command(RUN_INITIALISE, 0, 1);
    etimer_set(&timer, INITIALISE_WAIT);
    PROCESS_WAIT_UNTIL(etimer_expired(&timer));
  }

  for(target = 1; target != 0 && target <= place->publishers; target++) {
    if(is_too_late()) {
      unverified += place->publishers - target + 1;
      break;
    }
    confirmed = false;
    for(attempt = 0; attempt < VERIFY_ATTEMPTS && !confirmed
        && !is_too_late(); attempt++) {
      times = attempt < VERIFY_LIGHT ? 1 : VERIFY_TIMES;
      etimer_set(&timer,
                 in_time(times * (VERIFY_BASE
                                  + VERIFY_PER_HOP * longest_route())));
      for(repeat = 0; repeat < times && !confirmed; repeat++) {
        /* With a new number each time, motes would answer every one. */
        command_number -= repeat > 0;
        send_command(RUN_VERIFY, target, times);
        etimer_set(&pause, VERIFY_PAUSE);
        PROCESS_WAIT_UNTIL(confirmed || etimer_expired(&pause));
      }
      PROCESS_WAIT_UNTIL(confirmed || etimer_expired(&timer));
    }
    if(!confirmed) {
      unverified++;
    }
    etimer_set(&timer, VERIFY_PAUSE);
    PROCESS_WAIT_UNTIL(etimer_expired(&timer));
  }
  if(unverified == 0 && is_too_late()) {
    unverified = 1; /* the last route was confirmed too late for the start */
  }
  verified(unverified);
  if(unverified > 0) {
    PROCESS_EXIT();
  }

  left = start_takes();
  wait = 0;
  if(place->begins != 0) {
    wait = begins() - left - clock_time();
    left += wait;
  }
  start.known = start.exact = true;
  start.hops = 0;
  start.at = run_now() + (uint32_t)((uint64_t)left * 1000 / CLOCK_SECOND);
  ctimer_set(&start_timer, left, begin, NULL);
  start_sender_begin(&start, wait);

  PROCESS_END();
}
/*---------------------------------------------------------------------------*/
void
run_director_init(const struct run_place *where,
                  const struct run_callbacks *what,
                  void (*report)(uint8_t unverified))
{
  static struct pubsub_protocol protocols[] = {
    { NULL, RUN_CONFIRM, confirm_input }, { NULL, RUN_COMMAND, ignore_input },
    { NULL, RUN_PROBE, ignore_input }
  };
  unsigned i;

  place = where;
  callbacks = what;
  verified = report;
  command_number = 0;
  unverified = 0;
  for(i = 0; i < sizeof(protocols) / sizeof(protocols[0]); i++) {
    pubsub_routing_add_protocol(&protocols[i]);
  }
  process_start(&run_director_process, NULL);
}
