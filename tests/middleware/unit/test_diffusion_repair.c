/* SPDX-License-Identifier: Apache-2.0 */
/* Diffusion repairs ways after neighbours and subscribers fall silent. */
#include "diffusion_node.h"
/*---------------------------------------------------------------------------*/
static void
gradients_expire(void)
{
  node();
  interest(TOPIC, 1, 1, 3, 1, RENEWAL);
  host_pass(2 * RENEWAL);
  copy_from(7, 1, 6, 1, 0);
  CHECK_EQUAL(goes_to(1), 3);
  host_pass(2 * RENEWAL);
  copy_from(7, 2, 6, 1, 0);
  CHECK_EQUAL(sent(COPY, 0), 1);
  CHECK_EQUAL(pubsub_counters.no_route, 1);
  CHECK_EQUAL(diffusion_counters.gradients_expired, 1);
  /* A subscriber that started anew is believed by then. */
  interest(TOPIC, 1, 1, 3, 1, RENEWAL);
  copy_from(7, 3, 6, 1, 0);
  CHECK_EQUAL(goes_to(1), 3);
}
/*---------------------------------------------------------------------------*/
/* The same event goes another way as soon as the first one is given up. */
static void
a_silent_neighbour_is_dropped(void)
{
  node();
  interest(TOPIC, 1, 1, 3, 1, RENEWAL);
  interest(TOPIC, 9, 1, 3, 1, RENEWAL);
  interest(TOPIC, 1, 1, 5, 1, RENEWAL);
  host_pass(DIFFUSION_JITTER);
  host_link_silent = 3;
  copy_from(7, 1, 6, 1, 0);
  CHECK_EQUAL(sent(COPY, 0), DIFFUSION_MOST_MISSED + 1);
  CHECK_EQUAL(goes_to(1), 5);
  CHECK_EQUAL(diffusion_counters.forwardings_missed, DIFFUSION_MOST_MISSED);
  CHECK_EQUAL(diffusion_counters.neighbours_dropped, 1);
  CHECK(!diffusion_gradients_have(3));
  /* It was the only way to the other subscriber, so its loss is told. */
  host_pass(DIFFUSION_REPAIR_JITTER);
  CHECK_EQUAL(told(), DIFFUSION_NO_WAY);
  CHECK_EQUAL(diffusion_counters.ways_lost, 1);
  /* It is back with the next renewal it sends on. */
  host_link_silent = 0;
  interest(TOPIC, 1, 2, 3, 1, RENEWAL);
  copy_from(7, 2, 6, 1, 0);
  CHECK_EQUAL(goes_to(1), 3);
}
/*---------------------------------------------------------------------------*/
static void
an_answer_forgives(void)
{
  uint16_t i;

  node();
  interest(TOPIC, 1, 1, 3, 1, RENEWAL);
  for(i = 1; i < 6; i++) {
    host_link_verdict = i % 2 ? PUBSUB_LINK_NO_ACK : NULL;
    diffusion_neighbours_answered(3);
    CHECK(!diffusion_neighbours_missed(3));
  }
  host_link_verdict = NULL;
  CHECK(diffusion_gradients_have(3));
  /* A frame for which the MAC had no room says nothing about the neighbour. */
  host_link_verdict = "queue";
  copy_from(7, 1, 6, 1, 0);
  host_link_verdict = NULL;
  CHECK_EQUAL(sent(COPY, 0), 1);
  CHECK_EQUAL(diffusion_counters.forwardings_missed, 0);
}
/*---------------------------------------------------------------------------*/
static void
a_lost_way_is_asked_for_until_one_is_told(void)
{
  unsigned first;

  node();
  interest(TOPIC, 1, 1, 3, 1, RENEWAL);
  host_pass(DIFFUSION_JITTER);
  CHECK_EQUAL(told(), 2);
  first = host_sent_frames;
  interest(TOPIC, 1, 1, 3, DIFFUSION_NO_WAY, RENEWAL);
  /* Until its loss is told, others may still think that this is a way. */
  interest(TOPIC, 1, 1, 6, 3, RENEWAL);
  host_pass(DIFFUSION_REPAIR_JITTER);
  CHECK_EQUAL(told(), DIFFUSION_NO_WAY);
  copy_from(7, 1, 2, 1, 0);
  CHECK_EQUAL(sent(COPY, 0), 0);
  CHECK_EQUAL(pubsub_counters.no_route, 1);
  host_pass(7 * DIFFUSION_ASK_AGAIN);
  CHECK_EQUAL(sent(INTEREST, first), 4); /* again after 1, 3, 7 of these */
  interest(TOPIC, 1, 1, 6, 4, RENEWAL);
  host_pass(DIFFUSION_REPAIR_JITTER);
  CHECK_EQUAL(told(), 5);
  CHECK_EQUAL(diffusion_counters.ways_found, 1);
  first = host_sent_frames;
  copy_from(7, 2, 2, 1, 0);
  CHECK_EQUAL(goes_to(1), 6);
  host_pass(RENEWAL / 2);
  CHECK_EQUAL(sent(INTEREST, first), 0);
}
/*---------------------------------------------------------------------------*/
static void
who_has_a_way_tells_who_has_none(void)
{
  node();
  interest(TOPIC, 1, 1, 3, 1, RENEWAL);
  host_pass(DIFFUSION_JITTER);
  interest(TOPIC, 1, 1, 6, DIFFUSION_NO_WAY, RENEWAL);
  host_pass(DIFFUSION_REPAIR_JITTER);
  CHECK_EQUAL(sent(INTEREST, 0), 2);
  CHECK_EQUAL(told(), 2);
  /* So is the number that a neighbour has missed. */
  interest(TOPIC, 1, 2, 3, 1, RENEWAL);
  host_pass(DIFFUSION_JITTER);
  interest(TOPIC, 1, 1, 6, 3, RENEWAL);
  host_pass(DIFFUSION_REPAIR_JITTER);
  CHECK_EQUAL(sent(INTEREST, 0), 4);
  CHECK_EQUAL(pubsub_get16(host_sent[host_sent_frames - 1].bytes + 17), 2);
}
/*---------------------------------------------------------------------------*/
static void
a_subscriber_answers_for_itself(void)
{
  static struct diffusion_attribute wanted;

  node();
  diffusion_subscribe(&wanted, RENEWAL);
  pubsub_subscribe(TOPIC, arrived, NULL, &wanted.attribute);
  host_pass(2 * DIFFUSION_JITTER);
  interest(TOPIC, 4, 1, 6, 1, RENEWAL); /* sent on, as it should be */
  CHECK_EQUAL(host_sent_frames, 1);
  interest(TOPIC, 4, 1, 6, DIFFUSION_NO_WAY, RENEWAL);
  CHECK_EQUAL(host_sent_frames, 2);
  CHECK_EQUAL(told(), 0);
  interest(TOPIC, 4, 0, 6, 1, RENEWAL); /* an old number */
  CHECK_EQUAL(host_sent_frames, 3);
  interest(OTHER, 4, 0, 6, DIFFUSION_NO_WAY, RENEWAL);
  CHECK_EQUAL(host_sent_frames, 3);
}
/*---------------------------------------------------------------------------*/
static void
a_late_renewal_is_asked_for(void)
{
  node();
  interest(TOPIC, 1, 1, 3, 1, RENEWAL);
  host_pass(RENEWAL);
  CHECK_EQUAL(sent(INTEREST, 0), 1);
  host_pass(DIFFUSION_LATE);
  CHECK_EQUAL(sent(INTEREST, 0), 2);
  host_pass(RENEWAL);
  CHECK_EQUAL(sent(INTEREST, 0), 3);
  host_pass(RENEWAL + DIFFUSION_LATE);
  CHECK_EQUAL(sent(INTEREST, 0), 3);
  copy_from(7, 1, 6, 1, 0);
  CHECK_EQUAL(diffusion_counters.gradients_expired, 1);
}
/*---------------------------------------------------------------------------*/
static void
a_neighbour_without_renewals_is_no_way(void)
{
  node();
  interest(TOPIC, 1, 1, 3, 1, RENEWAL);
  interest(TOPIC, 1, 1, 5, 2, RENEWAL);
  interest(TOPIC, 1, 2, 5, 2, RENEWAL);
  copy_from(7, 1, 6, 1, 0);
  CHECK_EQUAL(goes_to(1), 5); /* 3 has not sent on the newest */
  interest(TOPIC, 1, 3, 5, 2, RENEWAL);
  interest(TOPIC, 1, 4, 5, 2, RENEWAL);
  CHECK_EQUAL(diffusion_gradients[0].way[0].neighbour, 5);
  CHECK_EQUAL(diffusion_gradients[0].way[1].neighbour, PUBSUB_NOBODY);
}
/*---------------------------------------------------------------------------*/
static void
those_as_far_or_further_are_no_way(void)
{
  node();
  interest(TOPIC, 1, 1, 3, 1, RENEWAL);
  host_pass(DIFFUSION_JITTER);
  interest(TOPIC, 1, 1, 5, 2, RENEWAL);
  interest(TOPIC, 1, 1, 6, 3, RENEWAL); /* it heard it from us */
  host_link_silent = 3;
  copy_from(7, 1, 2, 1, 0);
  CHECK_EQUAL(diffusion_counters.neighbours_dropped, 1);
  CHECK_EQUAL(sent(COPY, 0), DIFFUSION_MOST_MISSED);
  CHECK_EQUAL(pubsub_counters.no_route, 1);
}
/*---------------------------------------------------------------------------*/
static void
an_event_that_comes_back_breaks_the_circle(void)
{
  node();
  interest(TOPIC, 1, 1, 3, 1, RENEWAL);
  host_pass(DIFFUSION_JITTER);
  copy_from(7, 1, 3, 1, 0); /* from where it should go */
  CHECK_EQUAL(sent(COPY, 0), 0);
  CHECK_EQUAL(diffusion_counters.ways_lost, 1);
  host_pass(DIFFUSION_REPAIR_JITTER);
  CHECK_EQUAL(told(), DIFFUSION_NO_WAY);
  /* A longer way counts; a repetition by the MAC doesn't. */
  node();
  interest(TOPIC, 1, 1, 3, 1, RENEWAL);
  host_pass(DIFFUSION_JITTER);
  copy_from(7, 1, 6, 1, 0);
  copy_from(7, 1, 6, 1, 0);
  CHECK_EQUAL(diffusion_counters.ways_lost, 0);
  copy_from(7, 1, 5, 1, 0);
  CHECK_EQUAL(diffusion_counters.ways_lost, 1);
  CHECK_EQUAL(diffusion_counters.events_duplicate, 2);
}
/*---------------------------------------------------------------------------*/
static void
it_works_with_a_merge_function(void)
{
  static struct merge_attribute merging;
  static struct diffusion_attribute offered;
  struct pubsub_publisher_channel *channel;
  struct pubsub_event event = make(7, 1);
  uint8_t data[MERGE_MEAN_DATA_SIZE] = { 9, 0 };
  const struct host_frame *frame;

  node();
  diffusion_publish(&offered);
  merge_attribute_init(&merging, &merge_mean_function, 2);
  offered.attribute.next = &merging.attribute;
  channel = pubsub_announce(TOPIC, &offered.attribute);
  interest(TOPIC, 1, 1, 3, 1, RENEWAL);
  host_pass(DIFFUSION_JITTER);
  event.flags = PUBSUB_AGGREGATABLE;
  event.contributor[0].incarnation = 700;
  copy_of(&event, 6, 1, 0);
  CHECK_EQUAL(sent(COPY, 0), 0);
  CHECK(pubsub_publish(channel, data, sizeof(data), PUBSUB_AGGREGATABLE));
  CHECK_EQUAL(sent(COPY, 0), 1);
  CHECK_EQUAL(goes_to(1), 3);
  frame = &host_sent[host_sent_frames - 1];
  CHECK(pubsub_event_decode(&event, frame->bytes + 10,
                            frame->length - 10 - 2 * 2));
  CHECK_EQUAL(event.contributors, 2);
  CHECK_EQUAL(pubsub_get16(frame->bytes + frame->length - 4), 700);
  CHECK_EQUAL(pubsub_get16(frame->bytes + frame->length - 2),
              pubsub_incarnation);
}
/*---------------------------------------------------------------------------*/
int
main(int argc, char **argv)
{
#define T(name) { #name, name }
  static const struct test tests[] = {
    T(gradients_expire),
    T(a_silent_neighbour_is_dropped),
    T(an_answer_forgives),
    T(a_lost_way_is_asked_for_until_one_is_told),
    T(who_has_a_way_tells_who_has_none),
    T(a_subscriber_answers_for_itself),
    T(a_late_renewal_is_asked_for),
    T(a_neighbour_without_renewals_is_no_way),
    T(those_as_far_or_further_are_no_way),
    T(an_event_that_comes_back_breaks_the_circle),
    T(it_works_with_a_merge_function),
    { 0 }
  };

  return host_main(tests, argc, argv);
}
