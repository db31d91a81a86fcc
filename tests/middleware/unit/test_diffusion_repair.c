/* SPDX-License-Identifier: Apache-2.0 */
/* Diffusion: what is done about neighbours and subscribers that fall silent. */
#include "diffusion_node.h"
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
int
main(int argc, char **argv)
{
#define T(name) { #name, name }
  static const struct test tests[] = {
    T(gradients_expire),
    T(a_neighbour_that_does_not_forward_is_dropped),
    T(a_subscriber_next_door_need_not_forward),
    T(a_neighbour_without_renewals_is_no_way),
    T(those_behind_are_no_way),
    T(who_has_the_event_is_left_out),
    T(it_works_with_a_merge_function),
    { 0 }
  };

  return host_main(tests, argc, argv);
}
