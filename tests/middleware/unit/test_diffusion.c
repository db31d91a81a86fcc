/* SPDX-License-Identifier: Apache-2.0 */
/* Diffusion: interests, gradients, and the way of events. */
#include "diffusion_node.h"
/*---------------------------------------------------------------------------*/
static void
an_interest_is_sent_on_once_with_jitter(void)
{
  node();
  interest(TOPIC, 1, 1, 3, 1, RENEWAL);
  CHECK_EQUAL(host_sent_frames, 0);
  interest(TOPIC, 1, 1, 5, 0 + 1, RENEWAL);
  host_pass(DIFFUSION_JITTER);
  CHECK_EQUAL(host_sent_frames, 1);
  CHECK_EQUAL(kind(0), INTEREST);
  CHECK_EQUAL(host_sent[0].bytes[7 + 12], 2); /* hops from here */
  interest(TOPIC, 1, 1, 2, 1, RENEWAL);
  host_pass(2 * DIFFUSION_JITTER);
  CHECK_EQUAL(host_sent_frames, 1);
  CHECK_EQUAL(diffusion_counters.interests_duplicate, 2);
  interest(TOPIC, 1, 2, 3, 1, RENEWAL);
  host_pass(DIFFUSION_JITTER);
  CHECK_EQUAL(host_sent_frames, 2);
  CHECK_EQUAL(diffusion_counters.interests_forwarded, 2);
}
/*---------------------------------------------------------------------------*/
static void
the_shortest_way_wins_then_the_first(void)
{
  node();
  interest(TOPIC, 1, 1, 5, 2, RENEWAL);
  interest(TOPIC, 1, 1, 3, 1, RENEWAL);
  interest(TOPIC, 1, 1, 2, 1, RENEWAL);
  host_pass(DIFFUSION_JITTER);
  copy_from(7, 1, 6, 1, 0);
  CHECK_EQUAL(goes_to(1), 3);
  /* The numbers wrap around. */
  node();
  interest(TOPIC, 1, 65535, 5, 2, RENEWAL);
  interest(TOPIC, 1, 0, 3, 3, RENEWAL);
  host_pass(DIFFUSION_JITTER);
  copy_from(7, 1, 6, 1, 0);
  CHECK_EQUAL(goes_to(1), 3);
}
/*---------------------------------------------------------------------------*/
static void
one_copy_goes_to_each_next_hop(void)
{
  unsigned before;

  node();
  interest(TOPIC, 1, 1, 3, 1, RENEWAL);
  interest(TOPIC, 9, 1, 5, 1, RENEWAL);
  interest(TOPIC, 8, 1, 5, 1, RENEWAL);
  interest(OTHER, 8, 1, 2, 1, RENEWAL);
  host_pass(DIFFUSION_JITTER);
  before = host_sent_frames;
  copy_from(7, 1, 6, 8, 9);
  CHECK_EQUAL(host_sent_frames, before + 1);
  CHECK_EQUAL(goes_to(2), 5);
  CHECK_EQUAL(host_sent[before].bytes[8], 9);
  CHECK_EQUAL(host_sent[before].bytes[10], 8);
  /* This is another of its copies, for another subscriber. */
  copy_from(7, 1, 2, 1, 8);
  CHECK_EQUAL(host_sent_frames, before + 2);
  CHECK_EQUAL(goes_to(1), 3);
  /* There is none for subscribers that are unknown here. */
  copy_from(7, 2, 6, 33, 34);
  CHECK_EQUAL(host_sent_frames, before + 2);
  CHECK_EQUAL(pubsub_counters.no_route, 1);
}
/*---------------------------------------------------------------------------*/
static void
equal_ways_are_shared(void)
{
  node();
  interest(TOPIC, 1, 1, 3, 2, RENEWAL);
  interest(TOPIC, 9, 1, 5, 2, RENEWAL);
  interest(TOPIC, 9, 1, 3, 2, RENEWAL);
  host_pass(DIFFUSION_JITTER);
  copy_from(7, 1, 6, 1, 9);
  CHECK_EQUAL(sent(COPY, 0), 1);
  CHECK_EQUAL(goes_to(2), 3);
  /* But no detour is taken for that. */
  interest(TOPIC, 9, 1, 3, 3, RENEWAL);
  copy_from(7, 2, 6, 1, 9);
  CHECK_EQUAL(sent(COPY, 0), 3);
}
/*---------------------------------------------------------------------------*/
static void
an_event_passes_once(void)
{
  static struct diffusion_attribute wanted;

  node();
  diffusion_subscribe(&wanted, RENEWAL);
  pubsub_subscribe(TOPIC, arrived, NULL, &wanted.attribute);
  interest(TOPIC, 1, 1, 3, 1, RENEWAL);
  host_pass(DIFFUSION_JITTER);
  copy_from(7, 1, 6, 1, 4);
  copy_from(7, 1, 5, 4, 0);
  copy_from(7, 3, 5, 4, 1);
  copy_from(7, 2, 5, 4, 1); /* it was overtaken, not repeated */
  copy_from(7, 2, 5, 1, 0);
  copy_from(7, 1, 6, 1, 4);
  CHECK_EQUAL(got, 3);
  CHECK_EQUAL(diffusion_counters.events_duplicate, 3);
  CHECK_EQUAL(sent(COPY, 0), 3);
  copy_from(7, 200, 6, 4, 0);
  copy_from(7, 3, 6, 4, 0); /* it is older than the window */
  CHECK_EQUAL(got, 4);
}
/*---------------------------------------------------------------------------*/
static void
own_events_do_not_come_back(void)
{
  static struct diffusion_attribute offered, wanted;
  struct pubsub_publisher_channel *channel;

  node();
  diffusion_publish(&offered);
  diffusion_subscribe(&wanted, RENEWAL);
  channel = pubsub_announce(TOPIC, &offered.attribute);
  pubsub_subscribe(TOPIC, arrived, NULL, &wanted.attribute);
  CHECK(pubsub_publish(channel, "xy", 2, 0));
  CHECK_EQUAL(got, 1);
  CHECK_EQUAL(sent(COPY, 0), 0); /* nobody else wants it */
  interest(TOPIC, 1, 1, 3, 1, RENEWAL);
  CHECK(pubsub_publish(channel, "xy", 2, 0));
  CHECK_EQUAL(sent(COPY, 0), 1);
  incarnation = pubsub_incarnation;
  copy_from(4, 2, 3, 4, 0);
  CHECK_EQUAL(got, 2);
  CHECK_EQUAL(diffusion_counters.events_duplicate, 1);
}
/*---------------------------------------------------------------------------*/
static void
interests_of_one_time_share_a_frame(void)
{
  static struct diffusion_attribute wanted[2];

  node();
  diffusion_subscribe(&wanted[0], RENEWAL);
  diffusion_subscribe(&wanted[1], RENEWAL);
  pubsub_subscribe(TOPIC, arrived, NULL, &wanted[0].attribute);
  pubsub_subscribe(OTHER, arrived, NULL, &wanted[1].attribute);
  host_pass(2 * DIFFUSION_JITTER);
  CHECK_EQUAL(host_sent_frames, 1);
  CHECK_EQUAL(host_sent[0].length, PUBSUB_FRAME_HEADER_SIZE + 2 * 17);
}
/*---------------------------------------------------------------------------*/
static void
interests_are_renewed_and_withdrawn(void)
{
  static struct diffusion_attribute wanted, again;
  struct pubsub_subscriber_channel *channel, *second;
  unsigned i;

  node();
  diffusion_subscribe(&wanted, RENEWAL);
  channel = pubsub_subscribe(TOPIC, arrived, NULL, &wanted.attribute);
  diffusion_subscribe(&again, RENEWAL);
  second = pubsub_subscribe(TOPIC, arrived, NULL, &again.attribute);
  host_pass(2 * RENEWAL + 2 * DIFFUSION_JITTER);
  CHECK_EQUAL(host_sent_frames, 3);
  for(i = 0; i < 3; i++) {
    CHECK_EQUAL(pubsub_get16(host_sent[i].bytes + 7 + 10), i + 1);
    CHECK_EQUAL(host_sent[i].bytes[7 + 12], 0);
  }
  pubsub_unsubscribe(channel);
  CHECK_EQUAL(host_sent_frames, 3);
  pubsub_unsubscribe(second);
  CHECK_EQUAL(host_sent_frames, 4);
  CHECK_EQUAL(pubsub_get32(host_sent[3].bytes + 7 + 13), 0);
  host_pass(5 * RENEWAL);
  CHECK_EQUAL(host_sent_frames, 4);
}
/*---------------------------------------------------------------------------*/
static void
a_withdrawal_takes_the_gradient_with_it(void)
{
  node();
  interest(TOPIC, 1, 1, 3, 1, RENEWAL);
  host_pass(DIFFUSION_JITTER);
  interest(TOPIC, 1, 2, 3, 1, 0);
  interest(TOPIC, 1, 2, 5, 1, 0);
  copy_from(7, 1, 6, 1, 0);
  CHECK_EQUAL(sent(COPY, 0), 0);
  host_pass(DIFFUSION_JITTER);
  CHECK_EQUAL(sent(INTEREST, 0), 2);
  interest(TOPIC, 1, 2, 2, 1, 0);
  host_pass(DIFFUSION_JITTER);
  CHECK_EQUAL(sent(INTEREST, 0), 2);
}
/*---------------------------------------------------------------------------*/
/* Until a withdrawal is passed on it has a gradient, to which no interest as old or older gives a way again. */
static void
what_was_withdrawn_is_not_learnt_again(void)
{
  node();
  interest(TOPIC, 1, 5, 3, 1, RENEWAL);
  interest(TOPIC, 1, 6, 3, 1, 0);
  CHECK_EQUAL(diffusion_counters.interests_duplicate, 0);
  interest(TOPIC, 1, 6, 2, 1, RENEWAL);
  interest(TOPIC, 1, 5, 2, 1, RENEWAL);
  CHECK_EQUAL(diffusion_counters.interests_duplicate, 2);
  CHECK(!diffusion_gradients_have(2));
  /* The frame only tells that this subscriber is one no more. */
  host_pass(RENEWAL);
  CHECK_EQUAL(sent(INTEREST, 0), 1);
  CHECK_EQUAL(told(), 2);
}
/*---------------------------------------------------------------------------*/
static void
pools_are_bounded(void)
{
  uint16_t i;
  unsigned flows;

  node();
  for(i = 0; i < DIFFUSION_MAX_GRADIENTS + 3; i++) {
    interest(TOPIC, 100 + i, 1, 3, 1, RENEWAL);
  }
  CHECK_EQUAL(pubsub_counters.pool_exhausted, 3);
  CHECK(host_logged >= 3);
  for(i = 0; i < DIFFUSION_MAX_TOPICS + 1; i++) {
    interest(OTHER + i, 100, 1, 3, 1, RENEWAL);
  }
  CHECK(pubsub_counters.pool_exhausted > 3);
  host_pass(5 * RENEWAL);
  /* Others have expired and left room. */
  pubsub_counters.pool_exhausted = 0;
  interest(OTHER + 50, 100, 1, 3, 1, RENEWAL);
  interest(TOPIC, 100, 1, 3, 1, RENEWAL);
  CHECK_EQUAL(pubsub_counters.pool_exhausted, 0);
  for(flows = 1; flows <= DIFFUSION_MAX_FLOWS + 1; flows++) {
    copy_from(flows, 1, 6, 100, 0);
  }
  CHECK(pubsub_counters.pool_exhausted > 0);
  CHECK_EQUAL(sent(COPY, 0), DIFFUSION_MAX_FLOWS);
  /* There are as many ways as there is room for neighbours. */
  node();
  for(i = 0; i < 2 * DIFFUSION_MAX_NEIGHBOURS; i++) {
    interest(TOPIC, 100 + i / 3, 1, 200 + i, 1, RENEWAL);
  }
  CHECK(pubsub_counters.pool_exhausted > 0);
  for(i = 0; i < DIFFUSION_MAX_NEIGHBOURS; i++) {
    CHECK(diffusion_gradients_have(200 + i));
  }
  CHECK(!diffusion_gradients_have(200 + i));
}
/*---------------------------------------------------------------------------*/
static void
other_topics_keep_their_routes(void)
{
  struct pubsub_contributor seven = { 7, 1 };
  struct pubsub_event event = host_make(OTHER, 1, 1, &seven);
  unsigned before;

  node();
  interest(TOPIC, 1, 1, 5, 1, RENEWAL);
  host_pass(DIFFUSION_JITTER);
  before = host_sent_frames;
  host_receive_event(&event, 3, 4);
  CHECK_EQUAL(host_sent_frames, before + 1);
  CHECK_EQUAL(kind(before), 1);
  CHECK_EQUAL(host_next_hop(before), 3);
  host_receive_event(&event, 6, 4); /* no configured neighbour */
  CHECK_EQUAL(host_sent_frames, before + 1);
  CHECK_EQUAL(pubsub_counters.packets_off_topology, 1);
}
/*---------------------------------------------------------------------------*/
static void
nonsense_is_malformed(void)
{
  uint8_t body[] = { 3, 3, 0, 5, 0 }, none[12] = { 0 };

  node();
  interest(TOPIC, 1, 1, 3, 0, RENEWAL);            /* 3 is not 1 */
  interest(TOPIC, 3, 1, 3, 1, RENEWAL);            /* 3 is no hop from 3 */
  interest(TOPIC, 0, 1, 3, 1, RENEWAL);
  interest(TOPIC, PUBSUB_SEVERAL, 1, 3, 1, RENEWAL);
  interest(TOPIC, 1, 1, 0, 1, RENEWAL);
  interest(TOPIC, 1, 1, 3, 64, RENEWAL);
  interest(TOPIC, 1, 1, 3, 1, 0xffffffff);
  interest(TOPIC, 3, 1, 3, DIFFUSION_NO_WAY, RENEWAL);
  receive(INTEREST, 3, PUBSUB_EVERYBODY, body, 0);
  receive(COPY, 3, 4, body, sizeof(body));
  receive(COPY, 3, 4, body, 0);
  receive(COPY, 3, 4, none, sizeof(none));
  CHECK_EQUAL(pubsub_counters.packets_malformed, 12);
  interest(TOPIC, 4, 1, 3, 1, RENEWAL);            /* our own, come back */
  CHECK_EQUAL(pubsub_counters.packets_malformed, 12);
  host_pass(RENEWAL);
  CHECK_EQUAL(host_sent_frames, 0);
}
/*---------------------------------------------------------------------------*/
int
main(int argc, char **argv)
{
#define T(name) { #name, name }
  static const struct test tests[] = {
    T(an_interest_is_sent_on_once_with_jitter),
    T(the_shortest_way_wins_then_the_first),
    T(one_copy_goes_to_each_next_hop),
    T(equal_ways_are_shared),
    T(an_event_passes_once),
    T(own_events_do_not_come_back),
    T(interests_of_one_time_share_a_frame),
    T(interests_are_renewed_and_withdrawn),
    T(a_withdrawal_takes_the_gradient_with_it),
    T(what_was_withdrawn_is_not_learnt_again),
    T(pools_are_bounded),
    T(other_topics_keep_their_routes),
    T(nonsense_is_malformed),
    { 0 }
  };

  return host_main(tests, argc, argv);
}
