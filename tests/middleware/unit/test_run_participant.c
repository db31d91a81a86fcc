/* SPDX-License-Identifier: Apache-2.0 */
/* Mote 4, publisher 3, between its child 5 and its parent 3; control node 9. */
#include <string.h>
#include "configured-routes.h"
#include "host.h"
#include "pubsub.h"
#include "pubsub-octets.h"
#include "run-frames.h"

static unsigned initialised, started;
static uint32_t started_at;
static struct run_place place;

static void initialise(void) { initialised++; }
static void start(uint32_t at) { started++; started_at = at; }
static const struct run_callbacks callbacks = { initialise, start };
static bool nothing(const struct pubsub_event *event, uint16_t from)
{ return false; }
/*---------------------------------------------------------------------------*/
static void
mote(uint16_t self, uint16_t parent)
{
  place = (struct run_place){
    .self = self, .parent = parent, .control = 9, .subscriber = 1,
    .publisher = self - 1, .publishers = 5
  };
  configured_routes_set(parent);
  configured_routes_add_neighbour(9);
  configured_routes_add_neighbour(self + 1);
  if(parent != 0) {
    configured_routes_add_neighbour(parent);
  }
  pubsub_routing_init(self, &configured_routes, nothing);
  run_participant_init(&place, &callbacks);
  host_pass(1000);
}
/*---------------------------------------------------------------------------*/
static void
arrive(uint8_t type, uint16_t from, uint16_t to,
       const uint8_t *body, uint16_t length)
{
  uint8_t frame[PUBSUB_FRAME_SIZE] = { 0x10 | type };

  pubsub_put16(pubsub_put16(pubsub_put16(frame + 1, from), to), 1);
  memcpy(frame + PUBSUB_FRAME_HEADER_SIZE, body, length);
  host_receive(frame, PUBSUB_FRAME_HEADER_SIZE + length);
}

static void
command(uint16_t from, struct run_command c)
{
  uint8_t body[RUN_COMMAND_SIZE];

  run_command_encode(&c, body);
  arrive(RUN_COMMAND, from, PUBSUB_EVERYBODY, body, sizeof(body));
}

static void
probe(uint16_t from, uint8_t publisher, uint16_t number, uint8_t times)
{
  uint8_t body[RUN_PROBE_SIZE] = { publisher, number & 255, number >> 8, times };

  arrive(RUN_PROBE, from, place.self, body, sizeof(body));
}
/*---------------------------------------------------------------------------*/
/* Counts the frames of a type that were sent to a mote so far. */
static unsigned
sent(uint8_t type, uint16_t to)
{
  unsigned n = 0;

  for(unsigned i = 0; i < host_sent_frames; i++) {
    n += (host_sent[i].bytes[0] & 0xf) == type && host_next_hop(i) == to;
  }
  return n;
}
/*---------------------------------------------------------------------------*/
static void
a_command_is_passed_on_once(void)
{
  mote(4, 3);
  command(3, (struct run_command){ .number = 1, .code = RUN_INITIALISE });
  command(9, (struct run_command){ .number = 1, .code = RUN_INITIALISE });
  host_pass(5000);
  CHECK_EQUAL(initialised, 1);
  CHECK_EQUAL(sent(RUN_COMMAND, PUBSUB_EVERYBODY), 1);
  command(9, (struct run_command){ .number = 2, .code = RUN_INITIALISE });
  host_pass(5000);
  CHECK_EQUAL(initialised, 1);
  CHECK_EQUAL(sent(RUN_COMMAND, PUBSUB_EVERYBODY), 2);
  /* This is an older one that took another way. */
  command(3, (struct run_command){ .number = 1, .code = RUN_INITIALISE });
  host_pass(5000);
  CHECK_EQUAL(host_sent_frames, 2);
}
/*---------------------------------------------------------------------------*/
static void
a_childs_repeat_is_not_a_command(void)
{
  mote(4, 3);
  command(5, (struct run_command){ .number = 1, .code = RUN_INITIALISE });
  host_pass(5000);
  CHECK_EQUAL(initialised, 0);
  CHECK_EQUAL(host_sent_frames, 0);
}
/*---------------------------------------------------------------------------*/
static void
who_missed_the_first_command_is_initialised_by_another(void)
{
  mote(4, 3);
  command(9, (struct run_command){
    .number = 7, .code = RUN_VERIFY, .target = 1, .times = 1 });
  CHECK_EQUAL(initialised, 1);
}
/*---------------------------------------------------------------------------*/
static void
only_the_publisher_asked_for_sends_a_probe(void)
{
  mote(4, 3);
  command(3, (struct run_command){
    .number = 1, .code = RUN_VERIFY, .target = 2, .times = 1 });
  host_pass(5000);
  CHECK_EQUAL(sent(RUN_PROBE, 3), 0);
  command(3, (struct run_command){
    .number = 2, .code = RUN_VERIFY, .target = 3, .times = 1 });
  host_pass(5000);
  CHECK_EQUAL(sent(RUN_PROBE, 3), 1);
  command(3, (struct run_command){
    .number = 3, .code = RUN_VERIFY, .target = 3, .times = 3 });
  host_pass(5000);
  CHECK_EQUAL(sent(RUN_PROBE, 3), 4);
  CHECK_EQUAL(sent(RUN_COMMAND, PUBSUB_EVERYBODY), 5);
}
/*---------------------------------------------------------------------------*/
static void
probes_go_up_the_route_each_once(void)
{
  mote(4, 3);
  probe(5, 4, 1, 1);
  probe(5, 4, 1, 1);
  host_pass(5000);
  CHECK_EQUAL(sent(RUN_PROBE, 3), 1);
  probe(5, 4, 2, 3);
  host_pass(5000);
  CHECK_EQUAL(sent(RUN_PROBE, 3), 4);
  probe(3, 2, 3, 1); /* the parent's is none of ours */
  host_pass(5000);
  CHECK_EQUAL(host_sent_frames, 4);
}
/*---------------------------------------------------------------------------*/
static void
the_subscriber_confirms(void)
{
  mote(1, 0);
  probe(2, 4, 1, 1);
  host_pass(5000);
  CHECK_EQUAL(sent(RUN_CONFIRM, 9), 1);
  CHECK_EQUAL(host_sent_frames, 1);
  CHECK_EQUAL(host_sent[0].bytes[PUBSUB_FRAME_HEADER_SIZE], 4);
}
/*---------------------------------------------------------------------------*/
static struct run_command
start_command(uint8_t number, uint32_t remaining, uint32_t previous)
{
  return (struct run_command){
    .code = RUN_START,
    .start = { number, 1, remaining, previous }
  };
}

static void
the_run_starts_when_told(void)
{
  struct run_command passed;
  uint32_t now;

  mote(4, 3);
  now = run_now();
  command(9, start_command(1, 4000, START_TIME_UNKNOWN));
  host_pass(250);
  /* When frame 1 had been sent, 3970 ms were left. */
  command(9, start_command(2, 3740, 3970));
  CHECK(run_start_time()->exact);
  CHECK_EQUAL(run_start_time()->at, now + 3970);
  host_pass(3000);
  CHECK_EQUAL(started, 0);
  host_pass(719);
  CHECK_EQUAL(started, 0);
  host_pass(1);
  CHECK_EQUAL(started, 1);
  CHECK_EQUAL(started_at, run_now());
  /* What it told its children was right, and it stopped telling in time. */
  CHECK(host_sent_frames >= 10 && host_sent_frames <= 20);
  CHECK(run_command_decode(&passed, host_sent[host_sent_frames - 1].bytes
                           + PUBSUB_FRAME_HEADER_SIZE, RUN_COMMAND_SIZE));
  CHECK_EQUAL(passed.start.hops, 2);
  CHECK_EQUAL(passed.start.remaining_at_previous - passed.start.remaining
              > START_TIME_UNKNOWN / 2, 0);
  now = host_sent_frames;
  command(9, start_command(3, 1000, START_TIME_UNKNOWN));
  probe(5, 4, 9, 3);
  host_pass(60000);
  CHECK_EQUAL(started, 1);
  CHECK_EQUAL(host_sent_frames, now);
}
/*---------------------------------------------------------------------------*/
static void
other_lengths_and_codes_are_malformed(void)
{
  uint8_t body[32] = { 1, 0, RUN_INITIALISE };
  struct run_command decoded;
  struct run_probe decoded_probe;

  for(unsigned n = 0; n < sizeof(body); n++) {
    CHECK_EQUAL(run_command_decode(&decoded, body, n), n == RUN_COMMAND_SIZE);
    CHECK_EQUAL(run_probe_decode(&decoded_probe, body, n), n == RUN_PROBE_SIZE);
  }
  for(unsigned code = 0; code < 256; code++) {
    body[2] = code;
    CHECK_EQUAL(run_command_decode(&decoded, body, RUN_COMMAND_SIZE),
                code >= 1 && code <= 3);
  }
}
/*---------------------------------------------------------------------------*/
int
main(int argc, char **argv)
{
#define T(name) { #name, name }
  static const struct test tests[] = {
    T(a_command_is_passed_on_once), T(a_childs_repeat_is_not_a_command),
    T(who_missed_the_first_command_is_initialised_by_another),
    T(only_the_publisher_asked_for_sends_a_probe),
    T(probes_go_up_the_route_each_once), T(the_subscriber_confirms),
    T(the_run_starts_when_told), T(other_lengths_and_codes_are_malformed),
    { 0 }
  };

  return host_main(tests, argc, argv);
}
