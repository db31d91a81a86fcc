/* SPDX-License-Identifier: Apache-2.0 */
/* Control node 9 of three publishers, whose subscriber is mote 1. Times are those of run-director.c: 2 s for the others to
   boot, three commands to initialise 250 ms apart, 100 ms between a confirmation and the next publisher. */
#include <string.h>
#include "configured-routes.h"
#include "host.h"
#include "pubsub-octets.h"
#include "pubsub-routing.h"
#include "run-frames.h"
#include "start-sender.h"

#define INITIALISED 2750 /* ms after the director's boot: the first probe is asked for */
#define PROBE_TAKES (400 + 130 * 8) /* ms: base, and 8 hops to allow for with three publishers */
#define START_TAKES (500 + 100 * 8 + 10 * 250)

static struct {
  uint32_t at; /* ms after the director's boot */
  struct run_command command;
} commands[200];
static unsigned number_of_commands;

static uint32_t boot;
static unsigned initialised, started, reports;
static uint32_t started_at;
static uint8_t unverified;
static struct run_place place;

static uint32_t since_boot(void) { return clock_time() - boot; }
static void initialise(void) { initialised++; }
static void start(uint32_t at) { started++; started_at = at; }
static const struct run_callbacks callbacks = { initialise, start };
static void report(uint8_t failed) { reports++; unverified = failed; }
static bool nothing(const struct pubsub_event *event, uint16_t from)
{ return false; }
/*---------------------------------------------------------------------------*/
/* Takes over what was sent since its last call. */
static void
keep_commands(void)
{
  static unsigned taken;

  for(; taken < host_sent_frames; taken++) {
    const struct host_frame *frame = &host_sent[taken % 256];

    CHECK_EQUAL(frame->bytes[0] & 0xf, RUN_COMMAND);
    CHECK_EQUAL(host_next_hop(taken % 256), PUBSUB_EVERYBODY);
    commands[number_of_commands].at = since_boot();
    CHECK(run_command_decode(&commands[number_of_commands++].command,
                             frame->bytes + PUBSUB_FRAME_HEADER_SIZE,
                             frame->length - PUBSUB_FRAME_HEADER_SIZE));
  }
}

static void
until(uint32_t ms)
{
  while(since_boot() < ms) {
    host_pass(1);
    keep_commands();
  }
}
/*---------------------------------------------------------------------------*/
static void
director(uint32_t begins)
{
  place = (struct run_place){
    .self = 9, .control = 9, .subscriber = 1, .publishers = 3, .begins = begins
  };
  boot = clock_time();
  configured_routes_set(0);
  configured_routes_add_neighbour(1);
  configured_routes_add_neighbour(2);
  pubsub_routing_init(9, &configured_routes, nothing);
  run_director_init(&place, &callbacks, report);
}

static void
confirm(uint16_t from, uint8_t publisher)
{
  uint8_t frame[PUBSUB_FRAME_HEADER_SIZE + RUN_PROBE_SIZE] = { 0x10 | RUN_CONFIRM };

  pubsub_put16(pubsub_put16(pubsub_put16(frame + 1, from), 9), 1);
  frame[PUBSUB_FRAME_HEADER_SIZE] = publisher;
  frame[PUBSUB_FRAME_HEADER_SIZE + 1] = 1;
  host_receive(frame, sizeof(frame));
}

static void
check_command(unsigned i, uint32_t at, uint8_t code, uint8_t target, uint8_t times)
{
  CHECK(i < number_of_commands);
  CHECK_EQUAL(commands[i].at, at);
  CHECK_EQUAL(commands[i].command.code, code);
  CHECK_EQUAL(commands[i].command.target, target);
  CHECK_EQUAL(commands[i].command.times, times);
}
/*---------------------------------------------------------------------------*/
static void
all_are_initialised_three_times(void)
{
  director(0);
  until(1999);
  CHECK_EQUAL(initialised, 0);
  until(INITIALISED - 1);
  CHECK_EQUAL(initialised, 1);
  CHECK_EQUAL(number_of_commands, 3);
  for(unsigned i = 0; i < 3; i++) {
    check_command(i, 2000 + 250 * i, RUN_INITIALISE, 0, 1);
    CHECK_EQUAL(commands[i].command.number, i + 1);
  }
}
/*---------------------------------------------------------------------------*/
static void
publishers_are_verified_one_after_the_other(void)
{
  director(0);
  for(unsigned i = 0; i < 3; i++) {
    until(INITIALISED + 130 * i + 30);
    check_command(3 + i, INITIALISED + 130 * i, RUN_VERIFY, i + 1, 1);
    CHECK_EQUAL(commands[3 + i].command.number, 4 + i);
    CHECK_EQUAL(reports, 0);
    confirm(1, i + 1);
  }
  until(INITIALISED + 390 - 1);
  CHECK_EQUAL(reports, 0);
  CHECK_EQUAL(number_of_commands, 6);
  until(INITIALISED + 390);
  CHECK_EQUAL(reports, 1);
  CHECK_EQUAL(unverified, 0);
}
/*---------------------------------------------------------------------------*/
static void
the_run_starts_as_soon_as_it_can(void)
{
  uint32_t known = INITIALISED + 300, told = known + START_TAKES, shortest = 250;
  unsigned i;

  director(0);
  for(i = 0; i < 3; i++) {
    until(INITIALISED + 100 * i);
    confirm(1, i + 1);
  }
  until(told - 1);
  CHECK_EQUAL(started, 0);
  until(told);
  CHECK_EQUAL(started, 1);
  CHECK_EQUAL(started_at, run_now());
  CHECK_EQUAL(number_of_commands, 6 + START_SENDER_REPEATS);
  for(i = 6; i < number_of_commands; i++) {
    const struct start_time_frame *frame = &commands[i].command.start;

    CHECK_EQUAL(commands[i].command.code, RUN_START);
    CHECK_EQUAL(frame->number, i - 5);
    CHECK_EQUAL(frame->hops, 1);
    CHECK_EQUAL(commands[i].at + frame->remaining, told);
    /* What was left when the earlier one was sent; here it goes at once. */
    CHECK_EQUAL(frame->remaining_at_previous,
                i == 6 ? START_TIME_UNKNOWN : commands[i - 1].command.start.remaining);
    if(i > 6) {
      uint32_t interval = commands[i].at - commands[i - 1].at;

      CHECK(interval > 125 && interval <= 250);
      shortest = interval < shortest ? interval : shortest;
    }
  }
  CHECK(shortest < 125 + 40); /* drawn from the whole half */
  CHECK_EQUAL(commands[6].at, known);
  until(told + 10000);
  CHECK_EQUAL(started, 1);
  CHECK_EQUAL(number_of_commands, 6 + START_SENDER_REPEATS);
}
/*---------------------------------------------------------------------------*/
/* Two short attempts, then six whose command is sent three times with one number. */
static void
a_route_is_tried_eight_times(void)
{
  uint32_t at = INITIALISED;
  unsigned i = 3;
  uint16_t number = 4;

  director(0);
  until(INITIALISED + 1);
  CHECK_EQUAL(number_of_commands, 4);
  until(INITIALISED + 2 * PROBE_TAKES + 6 * 3 * PROBE_TAKES + 100);
  for(unsigned attempt = 0; attempt < 8; attempt++) {
    unsigned times = attempt < 2 ? 1 : 3;

    for(unsigned repeat = 0; repeat < times; repeat++) {
      check_command(i, at + 100 * repeat, RUN_VERIFY, 1, times);
      CHECK_EQUAL(commands[i++].command.number, number);
    }
    number++;
    at += times * PROBE_TAKES;
  }
  check_command(i, at + 100, RUN_VERIFY, 2, 1); /* the next publisher */
  CHECK_EQUAL(commands[i].command.number, number);
  CHECK_EQUAL(number_of_commands, i + 1);
  confirm(1, 2);
  until(at + 200);
  confirm(1, 3);
  until(at + 300);
  CHECK_EQUAL(reports, 1);
  CHECK_EQUAL(unverified, 1);
  until(at + 60000);
  CHECK_EQUAL(started, 0);
  CHECK_EQUAL(number_of_commands, i + 2);
}
/*---------------------------------------------------------------------------*/
static void
a_confirmation_ends_the_repeats(void)
{
  uint32_t third = INITIALISED + 2 * PROBE_TAKES;

  director(0);
  until(third + 150);
  CHECK_EQUAL(number_of_commands, 3 + 2 + 2);
  confirm(1, 1);
  until(third + 249);
  CHECK_EQUAL(number_of_commands, 7);
  until(third + 250);
  check_command(7, third + 250, RUN_VERIFY, 2, 1);
}
/*---------------------------------------------------------------------------*/
static void
only_the_subscriber_confirms_and_only_who_is_asked(void)
{
  uint8_t malformed[PUBSUB_FRAME_HEADER_SIZE + 2] = { 0x10 | RUN_CONFIRM };

  director(0);
  until(INITIALISED + 10);
  confirm(2, 1);
  confirm(1, 2);
  pubsub_put16(pubsub_put16(pubsub_put16(malformed + 1, 1), 9), 1);
  host_receive(malformed, sizeof(malformed));
  until(INITIALISED + 500);
  CHECK_EQUAL(number_of_commands, 4);
  confirm(1, 1);
  confirm(1, 1);
  until(INITIALISED + 600);
  check_command(4, INITIALISED + 600, RUN_VERIFY, 2, 1);
  CHECK_EQUAL(number_of_commands, 5);
}
/*---------------------------------------------------------------------------*/
static void
the_start_is_when_it_was_set(void)
{
  director(20000);
  for(unsigned i = 0; i < 3; i++) {
    until(INITIALISED + 100 * i);
    confirm(1, i + 1);
  }
  until(20000 - START_TAKES - 1);
  CHECK_EQUAL(number_of_commands, 6);
  until(20000 - START_TAKES + 1);
  CHECK_EQUAL(number_of_commands, 7);
  CHECK_EQUAL(commands[6].at + commands[6].command.start.remaining, 20000);
  until(19999);
  CHECK_EQUAL(started, 0);
  until(20000);
  CHECK_EQUAL(started, 1);
  CHECK_EQUAL(started_at, run_now());
}
/*---------------------------------------------------------------------------*/
/* Publishers not verified when the start must be told stay unverified; the first one is tried until then. */
static void
a_start_that_comes_too_soon_is_reported(void)
{
  uint32_t last = 10000 - START_TAKES;

  director(10000);
  until(last);
  CHECK_EQUAL(reports, 0);
  until(last + 1 + 100);
  CHECK_EQUAL(reports, 1);
  CHECK_EQUAL(unverified, 3);
  until(60000);
  CHECK_EQUAL(started, 0);
}

static void
so_is_one_that_the_last_confirmation_missed(void)
{
  uint32_t last = 10000 - START_TAKES;

  director(10000);
  for(unsigned i = 0; i < 2; i++) {
    until(INITIALISED + 100 * i);
    confirm(1, i + 1);
  }
  until(last - 50);
  confirm(1, 3);
  until(60000);
  CHECK_EQUAL(reports, 1);
  CHECK_EQUAL(unverified, 1);
  CHECK_EQUAL(started, 0);
}

static void
one_that_is_just_in_time_is_kept(void)
{
  uint32_t last = 10000 - START_TAKES;

  director(10000);
  for(unsigned i = 0; i < 2; i++) {
    until(INITIALISED + 100 * i);
    confirm(1, i + 1);
  }
  until(last - 100);
  confirm(1, 3);
  until(60000);
  CHECK_EQUAL(reports, 1);
  CHECK_EQUAL(unverified, 0);
  CHECK_EQUAL(started, 1);
  CHECK_EQUAL(started_at, run_now() - 50000);
}
/*---------------------------------------------------------------------------*/
int
main(int argc, char **argv)
{
#define T(name) { #name, name }
  static const struct test tests[] = {
    T(all_are_initialised_three_times),
    T(publishers_are_verified_one_after_the_other),
    T(the_run_starts_as_soon_as_it_can), T(a_route_is_tried_eight_times),
    T(a_confirmation_ends_the_repeats),
    T(only_the_subscriber_confirms_and_only_who_is_asked),
    T(the_start_is_when_it_was_set),
    T(a_start_that_comes_too_soon_is_reported),
    T(so_is_one_that_the_last_confirmation_missed),
    T(one_that_is_just_in_time_is_kept),
    { 0 }
  };

  return host_main(tests, argc, argv);
}
