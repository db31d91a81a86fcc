/* SPDX-License-Identifier: Apache-2.0 */
/* PushDPC, and ReliableCPC in its floods. */
#include "dpc_node.h"

#define LONG (10 * PUSH_DPC_JITTER)
/*---------------------------------------------------------------------------*/
static void
a_subscription_costs_no_message(void)
{
  node(&push_dpc_routes);
  CHECK(pubsub_subscribe(TOPIC, arrived, NULL, NULL) != NULL);
  CHECK(pubsub_announce(TOPIC, NULL) != NULL);
  host_pass(100000);
  CHECK_EQUAL(host_sent_frames, 0);
}
/*---------------------------------------------------------------------------*/
static void
an_event_is_sent_on_once(void)
{
  node(&push_dpc_routes);
  pushed(3, 9, 1, 0);
  CHECK_EQUAL(host_sent_frames, 0); /* not all neighbours at the same time */
  pushed(5, 9, 1, 0);
  host_pass(LONG);
  CHECK_EQUAL(host_sent_frames, 1);
  CHECK_EQUAL(kind(0), PUBSUB_FRAME_PUSHED_EVENTS);
  CHECK_EQUAL(host_next_hop(0), PUBSUB_EVERYBODY);
  pushed(2, 9, 1, 0);
  host_pass(LONG);
  CHECK_EQUAL(host_sent_frames, 1);
  CHECK_EQUAL(push_dpc_counters.pushes_duplicate, 2);
  CHECK_EQUAL(push_dpc_counters.pushes_sent, 1);
  pushed(2, 9, 2, 0);
  host_pass(LONG);
  CHECK_EQUAL(host_sent_frames, 2);
}
/*---------------------------------------------------------------------------*/
static void
a_subscriber_gets_it_once_and_sends_it_on(void)
{
  node(&push_dpc_routes);
  pubsub_subscribe(TOPIC, arrived, NULL, NULL);
  pushed(3, 9, 1, 0);
  pushed(5, 9, 1, 0);
  host_pass(LONG);
  CHECK_EQUAL(got, 1);
  CHECK_EQUAL(last_publisher, 9);
  CHECK_EQUAL(host_sent_frames, 1);
}
/*---------------------------------------------------------------------------*/
static void
our_own_comes_back_for_nothing(void)
{
  struct pubsub_publisher_channel *channel;
  uint8_t body[PUBSUB_FRAME_SIZE];

  node(&push_dpc_routes);
  channel = pubsub_announce(TOPIC, NULL);
  CHECK(pubsub_publish(channel, "hi", 2, 0));
  host_pass(LONG);
  CHECK_EQUAL(host_sent_frames, 1);
  memcpy(body, host_sent[0].bytes + 7, host_sent[0].length - 7);
  receive(PUBSUB_FRAME_PUSHED_EVENTS, 3, PUBSUB_EVERYBODY, body, host_sent[0].length - 7);
  host_pass(LONG);
  CHECK_EQUAL(host_sent_frames, 1);
}
/*---------------------------------------------------------------------------*/
static void
events_that_wait_share_a_frame(void)
{
  struct pubsub_publisher_channel *t, *u;

  node(&configured_routes);
  t = pubsub_announce(TOPIC, NULL);
  u = pubsub_announce(OTHER, NULL);
  CHECK(pubsub_publish_by(&push_dpc_routes, t, "hi", 2, 0));
  CHECK(pubsub_publish_by(&push_dpc_routes, u, "ho", 2, 0));
  host_pass(LONG);
  CHECK_EQUAL(host_sent_frames, 1);
  CHECK_EQUAL(host_sent[0].length, 7 + 2 * (11 + 2 + 3 + 2));
  CHECK_EQUAL(push_dpc_counters.pushes_merged, 1);
  pushed(3, 9, 1, 0);
  pushed(3, 9, 2, 0);
  host_pass(LONG);
  CHECK_EQUAL(host_sent_frames, 2);
  CHECK_EQUAL(push_dpc_counters.pushes_merged, 2);
}
/*---------------------------------------------------------------------------*/
/* Both events in one frame are taken, although the delivery of the first one sends. */
static struct pubsub_publisher_channel *answers;

static void
answer(const struct pubsub_event *event, uint16_t from, void *context)
{
  got++;
  pubsub_publish_by(&configured_routes, answers, "", 0, 0);
}

static void
a_frame_outlives_what_is_sent_meanwhile(void)
{
  uint8_t body[PUBSUB_FRAME_SIZE];
  uint16_t size = 0;
  unsigned i;

  node(&configured_routes);
  configured_routes_set(3);
  answers = pubsub_announce(OTHER, NULL);
  pubsub_subscribe(TOPIC, answer, NULL, NULL);
  for(i = 1; i < 4; i++) {
    struct pubsub_event event = make(TOPIC, 9, i, 0);
    size += pubsub_event_encode(&event, body + size, sizeof(body) - size);
    pubsub_put16(body + size, 0);
    size += 2;
  }
  receive(PUBSUB_FRAME_PUSHED_EVENTS, 3, PUBSUB_EVERYBODY, body, size);
  CHECK_EQUAL(got, 3);
}
/*---------------------------------------------------------------------------*/
static void
more_publishers_than_there_is_room_for_are_refused_for_a_time(void)
{
  unsigned i;

  node(&push_dpc_routes);
  for(i = 0; i <= PUSH_DPC_MAX_FLOWS; i++) {
    pushed(3, 10 + i, 1, 0);
  }
  host_pass(LONG);
  CHECK_EQUAL(push_dpc_counters.pushes_refused, 1);
  pushed(5, 10, 1, 0); /* none of those remembered gave way */
  CHECK_EQUAL(push_dpc_counters.pushes_refused, 1);
  host_pass(PUSH_DPC_LIFETIME);
  host_sent_frames = 0;
  pushed(3, 10 + PUSH_DPC_MAX_FLOWS, 1, 0);
  host_pass(LONG);
  CHECK_EQUAL(host_sent_frames, 1);
}
/*---------------------------------------------------------------------------*/
static void
a_publisher_that_boots_again_is_heard(void)
{
  struct pubsub_event event = make(TOPIC, 9, 1, 0);
  uint8_t body[PUBSUB_FRAME_SIZE];
  uint16_t size = pubsub_event_encode(&event, body, sizeof(body));

  node(&push_dpc_routes);
  CHECK(pubsub_incarnation != 0);
  pushed(3, 9, 1, 0);
  host_pass(LONG);
  pubsub_put16(body + size, 77);
  receive(PUBSUB_FRAME_PUSHED_EVENTS, 3, PUBSUB_EVERYBODY, body, size + 2);
  host_pass(LONG);
  CHECK_EQUAL(host_sent_frames, 2);
}
/*---------------------------------------------------------------------------*/
static void
neighbours_that_are_not_heard_get_a_reliable_event_again(void)
{
  node(&push_dpc_routes);
  reliable_cpc_init();
  pushed(2, 8, 1, 0); /* 2, 3 and 5 are neighbours */
  pushed(3, 8, 1, 0);
  pushed(5, 8, 1, 0);
  host_pass(LONG);
  host_sent_frames = 0;
  pushed(3, 9, 1, PUBSUB_RELIABLE);
  host_pass(PUSH_DPC_JITTER + 1);
  CHECK_EQUAL(host_sent_frames, 1);
  pushed(5, 9, 1, PUBSUB_RELIABLE);
  host_pass(RELIABLE_CPC_PATIENCE + 1);
  CHECK_EQUAL(host_sent_frames, 2);
  CHECK_EQUAL(host_next_hop(1), 2);
  CHECK_EQUAL(cpc_counters.cpc_repeated, 1);
  host_pass(10 * RELIABLE_CPC_PATIENCE);
  CHECK_EQUAL(host_sent_frames, 2);
}
/*---------------------------------------------------------------------------*/
static void
a_neighbour_may_be_first_to_send_a_reliable_event_on(void)
{
  node(&push_dpc_routes);
  reliable_cpc_init();
  pushed(2, 8, 1, 0);
  pushed(3, 8, 1, 0);
  pushed(5, 8, 1, 0);
  host_pass(LONG);
  host_sent_frames = 0;
  pushed(3, 9, 1, PUBSUB_RELIABLE);
  pushed(2, 9, 1, PUBSUB_RELIABLE); /* while this mote's own frame waits */
  pushed(5, 8, 2, 0);               /* another event */
  host_pass(10 * RELIABLE_CPC_PATIENCE);
  CHECK_EQUAL(cpc_counters.cpc_repeated, 1);
  CHECK_EQUAL(host_next_hop(host_sent_frames - 1), 5);
}
/*---------------------------------------------------------------------------*/
/* One after the other, so that a neighbour has time to be heard, and the queue has room. */
static void
repetitions_are_apart(void)
{
  unsigned second;

  node(&push_dpc_routes);
  reliable_cpc_init();
  pushed(2, 8, 1, 0);
  pushed(3, 8, 1, 0);
  pushed(5, 8, 1, 0);
  host_pass(LONG);
  pushed(3, 9, 1, PUBSUB_RELIABLE);
  while(cpc_counters.cpc_repeated == 0) {
    host_pass(1);
  }
  CHECK_EQUAL(cpc_counters.cpc_repeated, 1);
  second = host_next_hop(host_sent_frames - 1) == 2 ? 5 : 2;
  pushed(second, 9, 1, PUBSUB_RELIABLE); /* it has it meanwhile */
  host_pass(10 * RELIABLE_CPC_PATIENCE);
  CHECK_EQUAL(cpc_counters.cpc_repeated, 1);
}
/*---------------------------------------------------------------------------*/
static void
nothing_is_repeated_while_frames_wait(void)
{
  node(&push_dpc_routes);
  reliable_cpc_init();
  pushed(2, 8, 1, 0);
  pushed(3, 8, 1, 0);
  pushed(5, 8, 1, 0);
  host_pass(LONG);
  host_link_busy = true;
  pushed(3, 9, 1, PUBSUB_RELIABLE);
  host_pass(10 * RELIABLE_CPC_PATIENCE);
  CHECK_EQUAL(cpc_counters.cpc_repeated, 0);
  pushed(2, 9, 1, PUBSUB_RELIABLE);
  host_link_busy = false;
  host_pass(10 * RELIABLE_CPC_PATIENCE);
  CHECK_EQUAL(cpc_counters.cpc_repeated, 1);
}
/*---------------------------------------------------------------------------*/
static void
a_reliable_flood_that_loses_nothing_costs_one_frame(void)
{
  struct pubsub_publisher_channel *channel;
  uint8_t body[PUBSUB_FRAME_SIZE];

  node(&push_dpc_routes);
  reliable_cpc_init();
  pushed(2, 8, 1, 0);
  host_pass(LONG);
  host_sent_frames = 0;
  channel = pubsub_announce(TOPIC, NULL);
  pubsub_publish(channel, "", 0, PUBSUB_RELIABLE);
  host_pass(PUSH_DPC_JITTER);
  memcpy(body, host_sent[0].bytes + 7, host_sent[0].length - 7);
  receive(PUBSUB_FRAME_PUSHED_EVENTS, 2, PUBSUB_EVERYBODY, body, host_sent[0].length - 7);
  host_pass(10 * RELIABLE_CPC_PATIENCE);
  CHECK_EQUAL(host_sent_frames, 1);
}
/*---------------------------------------------------------------------------*/
static void
a_silent_neighbour_is_forgotten(void)
{
  uint16_t i;

  node(&push_dpc_routes);
  reliable_cpc_init();
  pushed(2, 8, 1, 0);
  pushed(3, 8, 1, 0);
  host_link_silent = 2;
  for(i = 1; i <= RELIABLE_CPC_MOST_MISSED + 2; i++) {
    pushed(3, 9, i, PUBSUB_RELIABLE);
    host_pass(2 * RELIABLE_CPC_PATIENCE);
  }
  CHECK_EQUAL(cpc_counters.cpc_unanswered, RELIABLE_CPC_MOST_MISSED);
  CHECK_EQUAL(cpc_counters.cpc_repeated, RELIABLE_CPC_MOST_MISSED);
}
/*---------------------------------------------------------------------------*/
static void
reliability_that_is_not_linked_is_counted(void)
{
  node(&push_dpc_routes);
  pushed(3, 9, 1, PUBSUB_RELIABLE);
  host_pass(10 * RELIABLE_CPC_PATIENCE);
  CHECK_EQUAL(host_sent_frames, 1);
  CHECK_EQUAL(cpc_counters.cpc_not_linked, 1);
}
/*---------------------------------------------------------------------------*/
static void
more_reliable_floods_than_there_is_room_for_are_sent_all_the_same(void)
{
  unsigned i;

  node(&push_dpc_routes);
  reliable_cpc_init();
  for(i = 1; i <= RELIABLE_CPC_MAX_FLOODS + 1; i++) {
    pushed(3, 9, i, PUBSUB_RELIABLE);
  }
  host_pass(PUSH_DPC_JITTER + 1);
  CHECK_EQUAL(host_sent_frames, RELIABLE_CPC_MAX_FLOODS + 1);
  CHECK_EQUAL(cpc_counters.cpc_untracked, 1);
}
/*---------------------------------------------------------------------------*/
static void
malformed_frames_are_counted(void)
{
  uint8_t body[PUBSUB_FRAME_SIZE] = { 0 };

  node(&push_dpc_routes);
  receive(PUBSUB_FRAME_PUSHED_EVENTS, 3, PUBSUB_EVERYBODY, body, 0);
  receive(PUBSUB_FRAME_PUSHED_EVENTS, 3, PUBSUB_EVERYBODY, body, 11);
  receive(PUBSUB_FRAME_PUSHED_EVENTS, 3, PUBSUB_EVERYBODY, body, sizeof(body));
  pushed(0, 9, 1, 0);
  pushed(PUBSUB_SEVERAL, 9, 1, 0);
  host_pass(LONG);
  CHECK_EQUAL(pubsub_counters.packets_malformed, 5);
  CHECK_EQUAL(host_sent_frames, 0);
}
/*---------------------------------------------------------------------------*/
int
main(int argc, char **argv)
{
#define T(name) { #name, name }
  static const struct test tests[] = {
    T(a_subscription_costs_no_message),
    T(an_event_is_sent_on_once),
    T(a_subscriber_gets_it_once_and_sends_it_on),
    T(our_own_comes_back_for_nothing),
    T(events_that_wait_share_a_frame),
    T(a_frame_outlives_what_is_sent_meanwhile),
    T(more_publishers_than_there_is_room_for_are_refused_for_a_time),
    T(a_publisher_that_boots_again_is_heard),
    T(neighbours_that_are_not_heard_get_a_reliable_event_again),
    T(a_neighbour_may_be_first_to_send_a_reliable_event_on),
    T(repetitions_are_apart),
    T(nothing_is_repeated_while_frames_wait),
    T(a_reliable_flood_that_loses_nothing_costs_one_frame),
    T(a_silent_neighbour_is_forgotten),
    T(reliability_that_is_not_linked_is_counted),
    T(more_reliable_floods_than_there_is_room_for_are_sent_all_the_same),
    T(malformed_frames_are_counted),
    { 0 }
  };

  return host_main(tests, argc, argv);
}
