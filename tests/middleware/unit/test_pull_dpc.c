/* SPDX-License-Identifier: Apache-2.0 */
/* PullDPC: pull messages, the ways that they leave behind, notifications. */
#include "dpc_node.h"
/*---------------------------------------------------------------------------*/
static void
a_subscription_floods_four_bytes_and_again(void)
{
  node(&pull_dpc_routes);
  CHECK(pubsub_subscribe(TOPIC, arrived, NULL, NULL) != NULL);
  host_pass(PULL_DPC_JITTER + 1);
  CHECK_EQUAL(host_sent_frames, 1);
  CHECK_EQUAL(kind(0), PUBSUB_FRAME_PULLS);
  CHECK_EQUAL(host_sent[0].length, PUBSUB_FRAME_HEADER_SIZE + 4);
  CHECK_EQUAL(pubsub_get16(host_sent[0].bytes + 7), 4);
  CHECK_EQUAL(pubsub_get16(host_sent[0].bytes + 9), pubsub_subject_id(TOPIC));
  host_pass(PULL_DPC_REFRESH + PULL_DPC_JITTER);
  CHECK_EQUAL(host_sent_frames, 2);
  CHECK_EQUAL(pull_dpc_counters.pulls_originated, 2);
}
/*---------------------------------------------------------------------------*/
static void
subscriptions_share_a_frame(void)
{
  node(&pull_dpc_routes);
  pubsub_subscribe(TOPIC, arrived, NULL, NULL);
  pubsub_subscribe(OTHER, arrived, NULL, NULL);
  pull(3, 1, TOPIC);
  host_pass(PULL_DPC_JITTER + 1);
  CHECK_EQUAL(host_sent_frames, 1);
  CHECK_EQUAL(host_sent[0].length, PUBSUB_FRAME_HEADER_SIZE + 12);
  host_pass(PULL_DPC_REFRESH + PULL_DPC_JITTER);
  CHECK_EQUAL(host_sent_frames, 2);
  CHECK_EQUAL(host_sent[1].length, PUBSUB_FRAME_HEADER_SIZE + 8);
}
/*---------------------------------------------------------------------------*/
static void
an_ended_subscription_is_not_pulled_again(void)
{
  struct pubsub_subscriber_channel *channel;

  node(&pull_dpc_routes);
  channel = pubsub_subscribe(TOPIC, arrived, NULL, NULL);
  host_pass(PULL_DPC_JITTER + 1);
  pubsub_unsubscribe(channel);
  host_pass(3 * PULL_DPC_REFRESH);
  CHECK_EQUAL(host_sent_frames, 1);
}
/*---------------------------------------------------------------------------*/
static void
a_pull_message_is_passed_on_once_a_refresh(void)
{
  node(&pull_dpc_routes);
  pull(3, 1, TOPIC);
  pull(5, 1, TOPIC);
  host_pass(PULL_DPC_JITTER + 1);
  pull(2, 1, TOPIC);
  host_pass(PULL_DPC_JITTER + 1);
  CHECK_EQUAL(host_sent_frames, 1);
  CHECK_EQUAL(pull_dpc_counters.pulls_duplicate, 2);
  host_pass(PULL_DPC_REFRESH - 2 * PULL_DPC_JITTER);
  pull(5, 1, TOPIC);
  host_pass(PULL_DPC_JITTER + 1);
  CHECK_EQUAL(host_sent_frames, 2);
  pull(3, 4, TOPIC); /* our own */
  host_pass(PULL_DPC_JITTER + 1);
  CHECK_EQUAL(host_sent_frames, 2);
}
/*---------------------------------------------------------------------------*/
static void
notifications_go_to_each_subscriber_by_who_brought_its_pull(void)
{
  struct pubsub_publisher_channel *channel;

  node(&pull_dpc_routes);
  channel = pubsub_announce(TOPIC, NULL);
  pubsub_publish(channel, "", 0, 0);
  CHECK_EQUAL(host_sent_frames, 0);
  CHECK_EQUAL(pubsub_counters.no_route, 1);
  pull(3, 1, TOPIC);
  pull(5, 1, TOPIC);
  pull(5, 9, TOPIC);
  pull(2, 8, OTHER);
  host_pass(PULL_DPC_JITTER + 1);
  host_sent_frames = 0;
  pubsub_publish(channel, "", 0, 0);
  CHECK_EQUAL(host_sent_frames, 2);
  CHECK_EQUAL(host_next_hop(0), 3);
  CHECK_EQUAL(pubsub_get16(host_sent[0].bytes + 7), 1);
  CHECK_EQUAL(host_next_hop(1), 5);
  CHECK_EQUAL(pubsub_get16(host_sent[1].bytes + 7), 9);
}
/*---------------------------------------------------------------------------*/
static void
a_refresh_moves_the_way_and_without_it_the_way_ends(void)
{
  node(&pull_dpc_routes);
  pull(3, 1, TOPIC);
  host_pass(PULL_DPC_REFRESH);
  pull(5, 1, TOPIC);
  host_pass(PULL_DPC_JITTER + 1);
  host_sent_frames = 0;
  pulled(2, 4, 1, 1, 0);
  CHECK_EQUAL(host_next_hop(0), 5);
  host_pass(PULL_DPC_REFRESHES * PULL_DPC_REFRESH);
  pulled(2, 4, 1, 2, 0);
  CHECK_EQUAL(host_sent_frames, 1);
  CHECK_EQUAL(pull_dpc_counters.pulled_no_way, 1);
}
/*---------------------------------------------------------------------------*/
static void
a_relay_passes_on_what_is_for_another(void)
{
  node(&pull_dpc_routes);
  pubsub_subscribe(TOPIC, arrived, NULL, NULL);
  pull(3, 1, TOPIC);
  host_pass(PULL_DPC_JITTER + 1);
  host_sent_frames = 0;
  pulled(5, 4, 1, 1, 0);
  CHECK_EQUAL(got, 0); /* our own copy comes by itself */
  CHECK_EQUAL(host_sent_frames, 1);
  pulled(5, 4, 4, 1, 0);
  CHECK_EQUAL(got, 1);
  CHECK_EQUAL(host_sent_frames, 1);
  pulled(5, 2, 4, 2, 0);
  CHECK_EQUAL(got, 1);
  pulled(3, 4, 1, 3, 0); /* not back to where it came from */
  CHECK_EQUAL(host_sent_frames, 1);
}
/*---------------------------------------------------------------------------*/
static void
a_network_full_of_pull_messages(void)
{
  unsigned i, sent;

  node(&pull_dpc_routes);
  for(i = 0; i < 1000; i++) {
    pull(3, 1000 + i, TOPIC);
    host_pass(1);
  }
  host_pass(PULL_DPC_JITTER + 1);
  sent = pull_dpc_counters.pulls_forwarded;
  CHECK_EQUAL(sent, PULL_DPC_MAX_WAYS);
  CHECK_EQUAL(pull_dpc_counters.pulls_refused, 1000 - PULL_DPC_MAX_WAYS);
  host_sent_frames = 0;
  pulled(5, 4, 1000, 1, 0); /* those that were there first keep their ways */
  CHECK_EQUAL(host_next_hop(0), 3);
  host_pass(PULL_DPC_REFRESHES * PULL_DPC_REFRESH);
  pull(3, 1, TOPIC);
  CHECK_EQUAL(pull_dpc_counters.pulls_forwarded, sent + 1);
}
/*---------------------------------------------------------------------------*/
static void
a_frame_that_is_full_goes_at_once(void)
{
  unsigned i;

  node(&pull_dpc_routes);
  for(i = 0; i < PULL_DPC_MAX_WAYS; i++) {
    pull(3, 1000 + i, TOPIC);
  }
  host_pass(PULL_DPC_JITTER + 1);
  CHECK_EQUAL(host_sent_frames, 1);
  CHECK_EQUAL(host_sent[0].length, 7 + 4 * PULL_DPC_MAX_WAYS);
}
/*---------------------------------------------------------------------------*/
static void
a_reliable_notification_is_acknowledged_by_the_next_hop(void)
{
  node(&pull_dpc_routes);
  reliable_cpc_init();
  pushed(3, 8, 1, 0); /* ReliableCPC learns its address */
  host_pass(1000);
  pull(3, 1, TOPIC);
  host_link_silent = 3;
  pulled(5, 4, 1, 1, PUBSUB_RELIABLE);
  CHECK_EQUAL(cpc_counters.cpc_unanswered, 1);
  host_link_silent = 0;
  pull(2, 9, TOPIC);
  pulled(5, 4, 9, 1, PUBSUB_RELIABLE); /* it was not heard before, so it goes once, to all */
  CHECK_EQUAL(cpc_counters.cpc_untracked, 1);
}
/*---------------------------------------------------------------------------*/
static void
malformed_frames_are_counted(void)
{
  uint8_t body[PUBSUB_FRAME_SIZE] = { 1 };

  node(&pull_dpc_routes);
  receive(PUBSUB_FRAME_PULLS, 3, PUBSUB_EVERYBODY, body, 0);
  receive(PUBSUB_FRAME_PULLS, 3, PUBSUB_EVERYBODY, body, 5);
  receive(PUBSUB_FRAME_PULLS, 3, PUBSUB_EVERYBODY, body, 8); /* mote 0 */
  receive(PUBSUB_FRAME_PULLED_EVENT, 3, 4, body, 1);
  receive(PUBSUB_FRAME_PULLED_EVENT, 3, 4, body, 20);
  pulled(3, 4, 0, 1, 0);
  pull(0, 1, TOPIC);
  CHECK_EQUAL(pubsub_counters.packets_malformed, 7);
  host_pass(1000);
  CHECK_EQUAL(host_sent_frames, 0);
}
/*---------------------------------------------------------------------------*/
static void
topics_with_the_same_letters_have_other_ids(void)
{
  CHECK(pubsub_subject_id(pubsub_subject("ab")) != pubsub_subject_id(pubsub_subject("ba")));
  CHECK(pubsub_subject_id(TOPIC) != pubsub_subject_id(OTHER));
}
/*---------------------------------------------------------------------------*/
int
main(int argc, char **argv)
{
#define T(name) { #name, name }
  static const struct test tests[] = {
    T(a_subscription_floods_four_bytes_and_again),
    T(subscriptions_share_a_frame),
    T(an_ended_subscription_is_not_pulled_again),
    T(a_pull_message_is_passed_on_once_a_refresh),
    T(notifications_go_to_each_subscriber_by_who_brought_its_pull),
    T(a_refresh_moves_the_way_and_without_it_the_way_ends),
    T(a_relay_passes_on_what_is_for_another),
    T(a_network_full_of_pull_messages),
    T(a_frame_that_is_full_goes_at_once),
    T(a_reliable_notification_is_acknowledged_by_the_next_hop),
    T(malformed_frames_are_counted),
    T(topics_with_the_same_letters_have_other_ids),
    { 0 }
  };

  return host_main(tests, argc, argv);
}
