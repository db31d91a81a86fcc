/* SPDX-License-Identifier: Apache-2.0 */
/* Which events a merge function lets pass, and how it shares a node with others. */
#include "merge_node.h"
#include "pubsub-observer.h"
#include "sys/log.h"

static void
not_aggregatable_events_pass(void)
{
  static const struct pubsub_contributor five = { 5, 1 };
  struct pubsub_event event = host_make(TOPIC, 1, 1, &five);
  uint8_t data[] = { 1, 2, 3 };

  node(3, 3, &merge_mean_function);
  event.flags = 0;
  host_receive_event(&event, 5, 4);
  CHECK_EQUAL(host_sent_frames, 1);
  CHECK(pubsub_publish(channel, data, sizeof(data), 0));
  CHECK_EQUAL(host_sent_frames, 2);
  CHECK_EQUAL(host_event(1).flags, 0);
  CHECK_EQUAL(merge_pending(&merging), 0);
}
/*---------------------------------------------------------------------------*/
static void
other_topics_pass(void)
{
  static const struct pubsub_contributor five = { 5, 1 };
  struct pubsub_event event = host_make(pubsub_subject("u"), 1, 1, &five);

  node(3, 3, &merge_mean_function);
  host_receive_event(&event, 5, 4);
  CHECK_EQUAL(host_sent_frames, 1);
  CHECK_EQUAL(merge_pending(&merging), 0);
}
/*---------------------------------------------------------------------------*/
static void
without_a_merge_function_events_pass_untouched(void)
{
  static const struct pubsub_contributor two[] = { { 4, 1 }, { 5, 1 } };
  struct pubsub_event event = host_make(TOPIC, 40, 2, two), out;

  node(3, 3, &merge_mean_function);
  pubsub_unannounce(channel);
  host_receive_event(&event, 5, 4);
  CHECK_EQUAL(host_sent_frames, 1);
  memset(&out, 0, sizeof(out));
  CHECK(pubsub_event_decode(&out, host_sent[0].bytes + PUBSUB_FRAME_HEADER_SIZE,
                            host_sent[0].length - PUBSUB_FRAME_HEADER_SIZE));
  CHECK(memcmp(&event, &out, sizeof(event)) == 0);
}
/*---------------------------------------------------------------------------*/
static void
what_cannot_be_merged_passes(void)
{
  static const struct pubsub_contributor five = { 5, 1 };
  struct pubsub_event event = host_make(TOPIC, 1, 1, &five);

  node(3, 3, &merge_mean_function);
  publish(1);
  event.length = 4;
  host_receive_event(&event, 5, 4);
  CHECK_EQUAL(host_sent_frames, 1);
  CHECK(strcmp(sent(0), "5.1") == 0);
  CHECK_EQUAL(merge_pending(&merging), 1);
  CHECK_EQUAL(pubsub_counters.merged, 0);
}
/*---------------------------------------------------------------------------*/
/* If it were held, it would keep all later events from being merged. */
static void
what_cannot_be_merged_is_not_held_either(void)
{
  static const struct pubsub_contributor five = { 5, 1 }, four = { 4, 1 };
  struct pubsub_event event = host_make(TOPIC, 1, 1, &five);

  node(3, 3, &merge_mean_function);
  event.length = 4;
  host_receive_event(&event, 5, 4);
  CHECK_EQUAL(host_sent_frames, 1);
  CHECK_EQUAL(merge_pending(&merging), 0);
  publish(1);
  event = host_make(TOPIC, 1, 1, &four);
  host_receive_event(&event, 5, 4);
  CHECK_EQUAL(merge_pending(&merging), 2);
}
/*---------------------------------------------------------------------------*/
static void
closing_the_channel_forwards(void)
{
  node(3, 3, &merge_mean_function);
  publish(1);
  pubsub_unannounce(channel);
  CHECK_EQUAL(host_sent_frames, 1);
  host_pass(60000);
  CHECK_EQUAL(host_sent_frames, 1);
}
/*---------------------------------------------------------------------------*/
static void
one_merge_function_per_topic_each_with_its_buffer(void)
{
  struct merge_attribute second, other;
  struct pubsub_publisher_channel *u;
  uint8_t data[MERGE_MEAN_DATA_SIZE] = { 0 };

  node(3, 3, &merge_mean_function);
  merge_attribute_init(&second, &merge_mean_function, 3);
  CHECK(pubsub_announce(TOPIC, &second.attribute) == NULL);
  CHECK_EQUAL(host_logged, 1);
  merge_attribute_init(&other, &merge_mean_function, 3);
  u = pubsub_announce(pubsub_subject("u"), &other.attribute);
  CHECK(u != NULL);
  publish(1);
  CHECK(pubsub_publish(u, data, sizeof(data), PUBSUB_AGGREGATABLE));
  CHECK_EQUAL(merge_pending(&merging), 1);
  CHECK_EQUAL(merge_pending(&other), 1);
  pubsub_unannounce(u);
  CHECK_EQUAL(merge_pending(&merging), 1);
}
/*---------------------------------------------------------------------------*/
static unsigned seen_stored, seen_arrived, seen_forwards;
static const char *seen_reason;

static void
see_merge(const struct pubsub_event *stored, const struct pubsub_event *arrived)
{
  seen_stored = stored->contributors;
  seen_arrived = arrived->contributors;
}

static void
see_forward(const struct pubsub_event *event, const char *reason)
{
  seen_forwards++;
  seen_reason = reason;
}

static void ignore_event(const struct pubsub_event *event) { }
static void ignore_passing(const struct pubsub_event *event, uint16_t mote,
                           uint16_t frame) { }

static void
an_observer_sees_the_lists_before_the_merge(void)
{
  static const struct pubsub_contributor two[] = { { 4, 8 }, { 5, 9 } };
  static const struct pubsub_observer observer = {
    .published = ignore_event, .sent = ignore_passing,
    .received = ignore_passing, .merged = see_merge, .forwarded = see_forward
  };

  node(3, 3, &merge_mean_function);
  pubsub_observer = &observer;
  publish(1);
  arrive(1, 2, two);
  pubsub_observer = NULL;
  CHECK_EQUAL(seen_stored, 1);
  CHECK_EQUAL(seen_arrived, 2);
  CHECK_EQUAL(seen_forwards, 1);
  CHECK(strcmp(seen_reason, "full") == 0);
}
/*---------------------------------------------------------------------------*/
int
main(int argc, char **argv)
{
#define T(name) { #name, name }
  static const struct test tests[] = {
    T(not_aggregatable_events_pass),
    T(other_topics_pass),
    T(without_a_merge_function_events_pass_untouched),
    T(what_cannot_be_merged_passes),
    T(what_cannot_be_merged_is_not_held_either),
    T(closing_the_channel_forwards),
    T(one_merge_function_per_topic_each_with_its_buffer),
    T(an_observer_sees_the_lists_before_the_merge),
    { 0 }
  };

  return host_main(tests, argc, argv);
}
