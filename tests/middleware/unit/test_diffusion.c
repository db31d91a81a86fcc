/* SPDX-License-Identifier: Apache-2.0 */
/* Mote 4 among neighbours 2, 3, 5, 6; subscribers 1 and 9 are further away. */
#include <string.h>
#include "configured-routes.h"
#include "diffusion.h"
#include "diffusion-gradients.h"
#include "host.h"
#include "mean.h"
#include "pubsub-counters.h"
#include "pubsub-octets.h"
#include "sys/log.h"

#define TOPIC pubsub_subject("t")
#define OTHER pubsub_subject("u")
#define RENEWAL 10000 /* ms */
#define INTEREST 5
#define ONE 6
#define SEVERAL 7

static unsigned got;
static uint16_t numbers;
/*---------------------------------------------------------------------------*/
static void
arrived(const struct pubsub_event *event, uint16_t from, void *context)
{
  got++;
}
/*---------------------------------------------------------------------------*/
static void
node(void)
{
  memset(&pubsub_counters, 0, sizeof(pubsub_counters));
  got = 0;
  configured_routes_set(3);
  configured_routes_add_neighbour(3);
  pubsub_init(4, 4, &configured_routes);
  diffusion_init();
  diffusion_set_patience(1000);
}
/*---------------------------------------------------------------------------*/
static unsigned
kind(unsigned frame)
{
  return host_sent[frame].bytes[0] & 0xf;
}
/*---------------------------------------------------------------------------*/
/* Of the frames sent since `first`, how many are of that type. */
static unsigned
sent(unsigned type, unsigned first)
{
  unsigned n = 0;

  for(; first < host_sent_frames; first++) {
    n += kind(first) == type;
  }
  return n;
}
/*---------------------------------------------------------------------------*/
static void
receive(unsigned type, uint16_t from, uint16_t to, const uint8_t *body,
        uint16_t length)
{
  uint8_t frame[256];

  frame[0] = 0x10 | type;
  octets_put16(octets_put16(octets_put16(frame + 1, from), to), ++numbers);
  memcpy(frame + PUBSUB_FRAME_HEADER_SIZE, body, length);
  host_receive(frame, PUBSUB_FRAME_HEADER_SIZE + length);
}
/*---------------------------------------------------------------------------*/
static void
interest(pubsub_subject_t subject, uint16_t subscriber, uint16_t sequence,
         uint16_t from, uint8_t hops, uint32_t renewal)
{
  uint8_t body[17];

  octets_put32(octets_put32(body, (uint32_t)subject), subject >> 32);
  octets_put16(octets_put16(body + 8, subscriber), sequence);
  body[12] = hops;
  octets_put32(body + 13, renewal);
  receive(INTEREST, from, PUBSUB_EVERYBODY, body, sizeof(body));
}
/*---------------------------------------------------------------------------*/
static struct pubsub_event
make(uint8_t publisher, uint16_t sequence)
{
  struct pubsub_contributor one = { publisher, sequence };
  struct pubsub_event event = host_make(TOPIC, 7, 1, &one);

  event.flags = 0;
  return event;
}
/*---------------------------------------------------------------------------*/
static void
event_from(uint8_t publisher, uint16_t sequence, uint16_t from, uint16_t to)
{
  struct pubsub_event event = make(publisher, sequence);
  uint8_t body[PUBSUB_FRAME_SIZE];

  receive(ONE, from, to, body, pubsub_event_encode(&event, body, sizeof(body)));
}
/*---------------------------------------------------------------------------*/
static uint16_t
next_hop(void)
{
  CHECK_EQUAL(kind(host_sent_frames - 1), ONE);
  return host_next_hop(host_sent_frames - 1);
}
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
  interest(TOPIC, 1, 0, 2, 0 + 1, RENEWAL); /* an old one */
  host_pass(2 * DIFFUSION_JITTER);
  CHECK_EQUAL(host_sent_frames, 1);
  CHECK_EQUAL(diffusion_counters.interests_duplicate, 3);
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
  event_from(7, 1, 6, 4);
  CHECK_EQUAL(next_hop(), 3);
  /* Numbers go round. */
  node();
  interest(TOPIC, 1, 65535, 5, 2, RENEWAL);
  interest(TOPIC, 1, 0, 3, 3, RENEWAL);
  host_pass(DIFFUSION_JITTER);
  event_from(7, 1, 6, 4);
  CHECK_EQUAL(next_hop(), 3);
}
/*---------------------------------------------------------------------------*/
static void
events_go_once_to_the_union_of_next_hops(void)
{
  unsigned before;

  node();
  interest(TOPIC, 1, 1, 3, 1, RENEWAL);
  interest(TOPIC, 9, 1, 5, 1, RENEWAL);
  interest(TOPIC, 8, 1, 5, 1, RENEWAL);
  interest(OTHER, 8, 1, 2, 1, RENEWAL);
  host_pass(DIFFUSION_JITTER);
  before = host_sent_frames;
  event_from(7, 1, 6, 4);
  CHECK_EQUAL(host_sent_frames, before + 1);
  CHECK_EQUAL(kind(before), SEVERAL);
  CHECK_EQUAL(host_next_hop(before), PUBSUB_EVERYBODY);
  CHECK_EQUAL(host_sent[before].bytes[7], 2);
  CHECK_EQUAL(octets_get16(host_sent[before].bytes + 8), 3);
  CHECK_EQUAL(octets_get16(host_sent[before].bytes + 10), 5);
  /* Not back to where it came from. */
  event_from(7, 2, 5, 4);
  CHECK_EQUAL(next_hop(), 3);
  CHECK_EQUAL(pubsub_counters.events_transmitted, 2);
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
  event_from(7, 1, 6, 4);
  event_from(7, 1, 5, 4);
  event_from(7, 3, 5, 4);
  event_from(7, 2, 5, 4); /* overtaken, not repeated */
  event_from(7, 2, 6, 4);
  event_from(7, 1, 6, 4);
  CHECK_EQUAL(got, 3);
  CHECK_EQUAL(diffusion_counters.events_duplicate, 3);
  CHECK_EQUAL(sent(ONE, 0), 3);
  event_from(7, 200, 6, 4);
  event_from(7, 3, 6, 4); /* older than the window */
  CHECK_EQUAL(got, 4);
  event_from(8, 1, 6, 2); /* for another mote */
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
  CHECK_EQUAL(sent(ONE, 0), 0); /* nobody else wants it */
  interest(TOPIC, 1, 1, 3, 1, RENEWAL);
  CHECK(pubsub_publish(channel, "xy", 2, 0));
  CHECK_EQUAL(sent(ONE, 0), 1);
  event_from(4, 2, 3, 4);
  CHECK_EQUAL(got, 2);
  CHECK_EQUAL(diffusion_counters.events_duplicate, 1);
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
  host_pass(2 * RENEWAL + DIFFUSION_JITTER + 1);
  CHECK_EQUAL(host_sent_frames, 3);
  for(i = 0; i < 3; i++) {
    CHECK_EQUAL(octets_get16(host_sent[i].bytes + 7 + 10), i + 1);
    CHECK_EQUAL(host_sent[i].bytes[7 + 12], 0);
  }
  pubsub_unsubscribe(channel);
  CHECK_EQUAL(host_sent_frames, 3);
  pubsub_unsubscribe(second);
  CHECK_EQUAL(host_sent_frames, 4);
  CHECK_EQUAL(octets_get32(host_sent[3].bytes + 7 + 13), 0);
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
  event_from(7, 1, 6, 4);
  CHECK_EQUAL(sent(ONE, 0), 0);
  host_pass(DIFFUSION_JITTER);
  CHECK_EQUAL(sent(INTEREST, 0), 2);
  interest(TOPIC, 1, 2, 2, 1, 0);
  host_pass(DIFFUSION_JITTER);
  CHECK_EQUAL(sent(INTEREST, 0), 2);
}
/*---------------------------------------------------------------------------*/
static void
gradients_expire(void)
{
  node();
  interest(TOPIC, 1, 1, 3, 1, RENEWAL);
  host_pass(2 * RENEWAL);
  event_from(7, 1, 6, 4);
  CHECK_EQUAL(next_hop(), 3);
  host_pass(2 * RENEWAL);
  event_from(7, 2, 6, 4);
  CHECK_EQUAL(sent(ONE, 0), 1);
  CHECK_EQUAL(pubsub_counters.no_route, 1);
  CHECK_EQUAL(diffusion_counters.gradients_expired, 1);
  /* A subscriber that started anew is believed by then. */
  interest(TOPIC, 1, 1, 3, 1, RENEWAL);
  event_from(7, 3, 6, 4);
  CHECK_EQUAL(next_hop(), 3);
}
/*---------------------------------------------------------------------------*/
static void
a_neighbour_that_does_not_forward_is_dropped(void)
{
  uint16_t i;

  node();
  interest(TOPIC, 1, 1, 3, 1, RENEWAL);
  interest(TOPIC, 1, 1, 5, 1, RENEWAL);
  host_pass(DIFFUSION_JITTER);
  event_from(7, 1, 6, 4);
  host_pass(2000);
  event_from(7, 2, 6, 4);
  host_pass(500);
  event_from(7, 2, 3, 1); /* it does now: all is forgiven */
  host_pass(1000);
  CHECK_EQUAL(diffusion_counters.forwardings_missed, 1);
  for(i = 3; i < 3 + DIFFUSION_MOST_MISSED; i++) {
    event_from(7, i, 6, 4);
    CHECK_EQUAL(next_hop(), 3);
    host_pass(1001);
  }
  CHECK_EQUAL(diffusion_counters.neighbours_dropped, 1);
  event_from(7, i, 6, 4);
  CHECK_EQUAL(next_hop(), 5);
  /* It is back with the next renewal it sends on. */
  interest(TOPIC, 1, 2, 3, 1, RENEWAL);
  event_from(7, i + 1, 6, 4);
  CHECK_EQUAL(next_hop(), 3);
}
/*---------------------------------------------------------------------------*/
static void
a_subscriber_next_door_need_not_forward(void)
{
  uint16_t i;

  node();
  interest(TOPIC, 3, 1, 3, 0, RENEWAL);
  for(i = 1; i < 8; i++) {
    event_from(7, i, 6, 4);
    CHECK_EQUAL(next_hop(), 3);
    host_pass(1500);
  }
  CHECK_EQUAL(diffusion_counters.forwardings_missed, 0);
}
/*---------------------------------------------------------------------------*/
static void
a_neighbour_without_renewals_is_no_way(void)
{
  node();
  interest(TOPIC, 1, 1, 3, 1, RENEWAL);
  interest(TOPIC, 1, 1, 5, 2, RENEWAL);
  interest(TOPIC, 1, 2, 5, 2, RENEWAL);
  event_from(7, 1, 6, 4);
  CHECK_EQUAL(next_hop(), 5); /* 3 has not sent on the newest */
  interest(TOPIC, 1, 3, 5, 2, RENEWAL);
  interest(TOPIC, 1, 4, 5, 2, RENEWAL);
  CHECK_EQUAL(diffusion_gradients[0].way[0].neighbour, 5);
  CHECK_EQUAL(diffusion_gradients[0].way[1].neighbour, PUBSUB_NOBODY);
}
/*---------------------------------------------------------------------------*/
static void
those_behind_are_no_way(void)
{
  uint16_t i;

  node();
  interest(TOPIC, 1, 1, 3, 1, RENEWAL);
  host_pass(DIFFUSION_JITTER);
  interest(TOPIC, 1, 1, 6, 3, RENEWAL); /* it heard it from us */
  for(i = 1; i <= DIFFUSION_MOST_MISSED; i++) {
    event_from(7, i, 2, 4);
    host_pass(1001);
  }
  CHECK_EQUAL(diffusion_counters.neighbours_dropped, 1);
  event_from(7, i, 2, 4);
  CHECK_EQUAL(sent(ONE, 0), DIFFUSION_MOST_MISSED);
  CHECK_EQUAL(pubsub_counters.no_route, 1);
}
/*---------------------------------------------------------------------------*/
static void
who_has_the_event_is_left_out(void)
{
  node();
  interest(TOPIC, 1, 1, 3, 1, RENEWAL);
  interest(TOPIC, 9, 1, 5, 1, RENEWAL);
  host_pass(DIFFUSION_JITTER);
  event_from(7, 1, 5, 9);
  event_from(7, 1, 6, 4);
  CHECK_EQUAL(next_hop(), 3);
  /* But the mote that sent it must hear something. */
  event_from(7, 2, 5, 9);
  event_from(7, 2, 3, 1);
  event_from(7, 2, 6, 4);
  CHECK_EQUAL(sent(ONE, 0), 2);
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
  /* Others have come to an end and left room. */
  pubsub_counters.pool_exhausted = 0;
  interest(OTHER + 50, 100, 1, 3, 1, RENEWAL);
  interest(TOPIC, 100, 1, 3, 1, RENEWAL);
  CHECK_EQUAL(pubsub_counters.pool_exhausted, 0);
  for(flows = 1; flows <= DIFFUSION_MAX_FLOWS + 1; flows++) {
    event_from(flows, 1, 6, 4);
  }
  CHECK(pubsub_counters.pool_exhausted > 0);
  CHECK_EQUAL(sent(ONE, 0), DIFFUSION_MAX_FLOWS);
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
it_works_with_a_merge_function(void)
{
  static struct merge_attribute merging;
  static struct diffusion_attribute offered;
  struct pubsub_publisher_channel *channel;
  struct pubsub_event event = make(7, 1);
  uint8_t body[PUBSUB_FRAME_SIZE], data[MEAN_DATA_SIZE] = { 9, 0 };

  node();
  diffusion_publish(&offered);
  merge_attribute_init(&merging, &mean_merge_function, 2);
  offered.attribute.next = &merging.attribute;
  channel = pubsub_announce(TOPIC, &offered.attribute);
  interest(TOPIC, 1, 1, 3, 1, RENEWAL);
  host_pass(DIFFUSION_JITTER);
  event.flags = PUBSUB_AGGREGATABLE;
  receive(ONE, 6, 4, body, pubsub_event_encode(&event, body, sizeof(body)));
  CHECK_EQUAL(sent(ONE, 0), 0);
  CHECK(pubsub_publish(channel, data, sizeof(data), PUBSUB_AGGREGATABLE));
  CHECK_EQUAL(sent(ONE, 0), 1);
  CHECK_EQUAL(next_hop(), 3);
  CHECK_EQUAL(host_event(host_sent_frames - 1).contributors, 2);
  /* Forwarding it inside a larger aggregate acknowledges it, too. */
  event = host_event(host_sent_frames - 1);
  event.contributor[event.contributors].publisher = 8;
  event.contributor[event.contributors++].sequence = 1;
  receive(ONE, 3, 1, body, pubsub_event_encode(&event, body, sizeof(body)));
  host_pass(2000);
  CHECK_EQUAL(diffusion_counters.forwardings_missed, 0);
}
/*---------------------------------------------------------------------------*/
static void
nonsense_is_malformed(void)
{
  uint8_t body[] = { 3, 3, 0, 5, 0 };

  node();
  interest(TOPIC, 1, 1, 3, 0, RENEWAL);            /* 3 is not 1 */
  interest(TOPIC, 3, 1, 3, 1, RENEWAL);            /* 3 is no hop from 3 */
  interest(TOPIC, 0, 1, 3, 1, RENEWAL);
  interest(TOPIC, PUBSUB_SEVERAL, 1, 3, 1, RENEWAL);
  interest(TOPIC, 1, 1, 0, 1, RENEWAL);
  interest(TOPIC, 1, 1, 3, 64, RENEWAL);
  interest(TOPIC, 1, 1, 3, 255, RENEWAL);
  interest(TOPIC, 1, 1, 3, 1, 0xffffffff);
  receive(SEVERAL, 3, PUBSUB_EVERYBODY, body, sizeof(body));
  receive(SEVERAL, 3, PUBSUB_EVERYBODY, body, 0);
  receive(ONE, 3, 4, body, sizeof(body));
  CHECK_EQUAL(pubsub_counters.packets_malformed, 11);
  interest(TOPIC, 4, 1, 3, 1, RENEWAL);            /* our own, come back */
  CHECK_EQUAL(pubsub_counters.packets_malformed, 11);
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
    T(events_go_once_to_the_union_of_next_hops),
    T(an_event_passes_once),
    T(own_events_do_not_come_back),
    T(interests_are_renewed_and_withdrawn),
    T(a_withdrawal_takes_the_gradient_with_it),
    T(gradients_expire),
    T(a_neighbour_that_does_not_forward_is_dropped),
    T(a_subscriber_next_door_need_not_forward),
    T(a_neighbour_without_renewals_is_no_way),
    T(those_behind_are_no_way),
    T(who_has_the_event_is_left_out),
    T(pools_are_bounded),
    T(other_topics_keep_their_routes),
    T(it_works_with_a_merge_function),
    T(nonsense_is_malformed),
    { 0 }
  };

  return host_main(tests, argc, argv);
}
