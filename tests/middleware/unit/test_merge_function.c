/* SPDX-License-Identifier: Apache-2.0 */
/* Publisher 3 of a chain of five: mote 4 hears mote 5, sends to mote 3. */
#include <string.h>
#include "configured-routes.h"
#include "host.h"
#include "mean.h"
#include "pubsub-counters.h"
#include "pubsub-observer.h"
#include "sys/log.h"

#define TOPIC pubsub_subject("t")

static struct merge_attribute merging;
static struct pubsub_publisher_channel *channel;
/*---------------------------------------------------------------------------*/
static void
node(uint8_t publisher, uint8_t full_at, const struct merge_function *function)
{
  memset(&pubsub_counters, 0, sizeof(pubsub_counters));
  configured_routes_set(3);
  configured_routes_add_neighbour(3);
  configured_routes_add_neighbour(5);
  pubsub_init(4, publisher, &configured_routes);
  merge_attribute_init(&merging, function, full_at);
  channel = pubsub_announce(TOPIC, &merging.attribute);
  CHECK(channel != NULL);
}
/*---------------------------------------------------------------------------*/
static void
publish(int16_t value)
{
  uint8_t data[MEAN_DATA_SIZE];

  mean_put(data, value);
  CHECK(pubsub_publish(channel, data, sizeof(data), PUBSUB_AGGREGATABLE));
}
/*---------------------------------------------------------------------------*/
static void
arrive(int16_t value, int n, const struct pubsub_contributor *contributors)
{
  struct pubsub_event event = host_make(TOPIC, value, n, contributors);

  host_receive_event(&event, 5, 4);
}
/*---------------------------------------------------------------------------*/
/* "publisher.sequence" of a sent frame, joined by +. */
static const char *
sent(unsigned frame)
{
  static char text[256];
  struct pubsub_event event = host_event(frame);
  char *at = text;

  for(unsigned i = 0; i < event.contributors; i++) {
    at += sprintf(at, "%s%d.%d", i > 0 ? "+" : "",
                  event.contributor[i].publisher,
                  event.contributor[i].sequence);
  }
  return text;
}
/*---------------------------------------------------------------------------*/
static void
time_out(void)
{
  node(3, 3, &mean_merge_function);
  publish(7);
  CHECK_EQUAL(merge_pending(&merging), 1);
  host_pass(4999);
  CHECK_EQUAL(host_sent_frames, 0);
  host_pass(1);
  CHECK_EQUAL(host_sent_frames, 1);
  CHECK(strcmp(sent(0), "3.1") == 0);
  CHECK_EQUAL(host_next_hop(0), 3);
  CHECK_EQUAL(mean_get(host_event(0).data), 7);
  CHECK_EQUAL(pubsub_counters.forward_timeout, 1);
  CHECK_EQUAL(merge_pending(&merging), 0);
  host_pass(60000);
  CHECK_EQUAL(host_sent_frames, 1);
}
/*---------------------------------------------------------------------------*/
static void
a_merge_does_not_put_off_the_time_out(void)
{
  static const struct pubsub_contributor five = { 5, 1 };

  node(3, 3, &mean_merge_function);
  publish(7);
  host_pass(3000);
  arrive(9, 1, &five);
  host_pass(1999);
  CHECK_EQUAL(host_sent_frames, 0);
  host_pass(1);
  CHECK(strcmp(sent(0), "3.1+5.1") == 0);
}
/*---------------------------------------------------------------------------*/
static void
time_out_can_be_changed(void)
{
  node(3, 3, &mean_merge_function);
  merge_set_timeout(&merging, 100);
  publish(1);
  host_pass(100);
  CHECK_EQUAL(host_sent_frames, 1);
  publish(2);
  merge_set_timeout(&merging, 50); /* of the stored one too, from now */
  host_pass(49);
  CHECK_EQUAL(host_sent_frames, 1);
  host_pass(1);
  CHECK_EQUAL(host_sent_frames, 2);
}
/*---------------------------------------------------------------------------*/
static unsigned asked;

static clock_time_t
hold_twice(struct merge_attribute *state)
{
  CHECK(state == &merging);
  return ++asked <= 2 ? 1000 : 0;
}

static void
merge_function_can_hold_an_event(void)
{
  struct merge_function holding = mean_merge_function;

  holding.timed_out = hold_twice;
  node(3, 3, &holding);
  publish(1);
  host_pass(6999);
  CHECK_EQUAL(host_sent_frames, 0);
  host_pass(1);
  CHECK_EQUAL(host_sent_frames, 1);
  CHECK_EQUAL(asked, 3);
  CHECK_EQUAL(pubsub_counters.forward_timeout, 1);
}
/*---------------------------------------------------------------------------*/
static bool
merge_and_wait_again(struct merge_attribute *state,
                     const struct pubsub_event *arrived)
{
  merge_set_timeout(state, 2000);
  return mean_merge_function.merge(state, arrived);
}

static void
merge_function_can_put_off_the_time_out(void)
{
  struct pubsub_contributor next = { 10, 1 };
  struct merge_function patient = mean_merge_function;

  patient.merge = merge_and_wait_again;
  node(3, 100, &patient);
  publish(1);
  for(int i = 0; i < 10; i++) {
    host_pass(1999);
    next.publisher++;
    arrive(1, 1, &next);
  }
  CHECK_EQUAL(host_sent_frames, 0);
  CHECK_EQUAL(merge_pending(&merging), 11);
  host_pass(2000);
  CHECK_EQUAL(host_sent_frames, 1);
  CHECK_EQUAL(host_event(0).contributors, 11);
}
/*---------------------------------------------------------------------------*/
static void
full_by_route(void)
{
  static const struct pubsub_contributor two[] = { { 4, 8 }, { 5, 9 } };

  node(3, 3, &mean_merge_function);
  publish(10);
  arrive(40, 2, two);
  CHECK_EQUAL(host_sent_frames, 1);
  CHECK(strcmp(sent(0), "3.1+4.8+5.9") == 0);
  CHECK_EQUAL(mean_get(host_event(0).data), 30);
  CHECK_EQUAL(pubsub_counters.merged, 1);
  CHECK_EQUAL(pubsub_counters.forward_full, 1);
  host_pass(10000);
  CHECK_EQUAL(host_sent_frames, 1);
}
/*---------------------------------------------------------------------------*/
static void
full_by_network(void)
{
  static const struct pubsub_contributor two[] = { { 4, 1 }, { 5, 1 } };

  node(3, 5, &mean_merge_function);
  publish(10);
  arrive(40, 2, two);
  CHECK_EQUAL(host_sent_frames, 0);
  host_pass(5000);
  CHECK_EQUAL(host_sent_frames, 1);
  CHECK_EQUAL(pubsub_counters.forward_full, 0);
  CHECK_EQUAL(pubsub_counters.forward_timeout, 1);
}
/*---------------------------------------------------------------------------*/
static void
last_of_the_chain_does_not_wait(void)
{
  node(5, 1, &mean_merge_function);
  publish(10);
  CHECK_EQUAL(host_sent_frames, 1);
  CHECK_EQUAL(pubsub_counters.forward_full, 1);
}
/*---------------------------------------------------------------------------*/
static void
never_full(void)
{
  node(3, 0, &mean_merge_function);
  publish(10);
  CHECK_EQUAL(host_sent_frames, 0);
}
/*---------------------------------------------------------------------------*/
static bool
at_two(const struct merge_attribute *state)
{
  return state->stored.contributors >= 2;
}

static void
merge_function_can_say_full(void)
{
  static const struct pubsub_contributor five = { 5, 1 };
  struct merge_function own = mean_merge_function;

  own.full = at_two;
  node(3, 5, &own);
  publish(10);
  CHECK_EQUAL(host_sent_frames, 0);
  arrive(1, 1, &five);
  CHECK_EQUAL(host_sent_frames, 1);
  CHECK_EQUAL(pubsub_counters.forward_full, 1);
}
/*---------------------------------------------------------------------------*/
static void
publisher_already_contained(void)
{
  static const struct pubsub_contributor five[] = { { 5, 1 }, { 5, 2 } };

  node(3, 3, &mean_merge_function);
  arrive(10, 1, &five[0]);
  publish(20);
  CHECK_EQUAL(host_sent_frames, 0);
  host_pass(1000);
  arrive(50, 1, &five[1]);
  CHECK_EQUAL(host_sent_frames, 1);
  CHECK(strcmp(sent(0), "5.1+3.1") == 0);
  CHECK_EQUAL(mean_get(host_event(0).data), 15);
  CHECK_EQUAL(pubsub_counters.forward_contained, 1);
  CHECK_EQUAL(pubsub_counters.merged, 1);
  /* The new one stays, for a time-out of its own. */
  CHECK_EQUAL(merge_pending(&merging), 1);
  host_pass(4999);
  CHECK_EQUAL(host_sent_frames, 1);
  host_pass(1);
  CHECK(strcmp(sent(1), "5.2") == 0);
  CHECK_EQUAL(mean_get(host_event(1).data), 50);
}
/*---------------------------------------------------------------------------*/
static void
own_next_event_is_contained_too(void)
{
  node(3, 3, &mean_merge_function);
  publish(1);
  publish(2);
  CHECK_EQUAL(host_sent_frames, 1);
  CHECK(strcmp(sent(0), "3.1") == 0);
  CHECK_EQUAL(pubsub_counters.forward_contained, 1);
}
/*---------------------------------------------------------------------------*/
static void
an_aggregate_that_is_full_as_it_is_goes_on(void)
{
  static const struct pubsub_contributor two[] = { { 4, 1 }, { 5, 1 } };

  node(0, 2, &mean_merge_function); /* a relay */
  arrive(10, 2, two);
  CHECK_EQUAL(host_sent_frames, 1);
  CHECK_EQUAL(pubsub_counters.forward_full, 1);
  CHECK_EQUAL(pubsub_counters.merged, 0);
}
/*---------------------------------------------------------------------------*/
static void
frame_limit(void)
{
  struct pubsub_contributor many[PUBSUB_MAX_CONTRIBUTORS];
  struct pubsub_event event;
  unsigned room = 0;

  for(unsigned i = 0; i < PUBSUB_MAX_CONTRIBUTORS; i++) {
    many[i] = (struct pubsub_contributor){ 10 + i, 1 };
  }
  event = host_make(TOPIC, 0, 1, many);
  while(pubsub_event_fits(&event, room)) {
    room++; /* contributors that an event of two bytes has room for */
  }

  node(3, 100, &mean_merge_function);
  /* Full at the frame's limit, with nobody else to come. */
  arrive(1, room - 1, many);
  publish(1);
  CHECK_EQUAL(host_sent_frames, 1);
  CHECK_EQUAL(host_event(0).contributors, room);
  CHECK(PUBSUB_FRAME_SIZE - host_sent[0].length < PUBSUB_CONTRIBUTOR_SIZE);
  CHECK_EQUAL(pubsub_counters.forward_frame, 1);
  /* The merged one would not fit: the stored one goes, the new one stays. */
  arrive(1, room - 1, many);
  arrive(2, 2, (struct pubsub_contributor[]){ { 1, 1 }, { 2, 1 } });
  CHECK_EQUAL(host_sent_frames, 2);
  CHECK_EQUAL(host_event(1).contributors, room - 1);
  CHECK_EQUAL(merge_pending(&merging), 2);
  CHECK_EQUAL(pubsub_counters.forward_frame, 2);
}
/*---------------------------------------------------------------------------*/
static void
not_aggregatable_events_pass(void)
{
  static const struct pubsub_contributor five = { 5, 1 };
  struct pubsub_event event = host_make(TOPIC, 1, 1, &five);
  uint8_t data[] = { 1, 2, 3 };

  node(3, 3, &mean_merge_function);
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

  node(3, 3, &mean_merge_function);
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

  node(3, 3, &mean_merge_function);
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

  node(3, 3, &mean_merge_function);
  publish(1);
  event.length = 4;
  host_receive_event(&event, 5, 4);
  CHECK_EQUAL(host_sent_frames, 1);
  CHECK(strcmp(sent(0), "5.1") == 0);
  CHECK_EQUAL(merge_pending(&merging), 1);
  CHECK_EQUAL(pubsub_counters.merged, 0);
}
/*---------------------------------------------------------------------------*/
static void
closing_the_channel_forwards(void)
{
  node(3, 3, &mean_merge_function);
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
  uint8_t data[MEAN_DATA_SIZE] = { 0 };

  node(3, 3, &mean_merge_function);
  merge_attribute_init(&second, &mean_merge_function, 3);
  CHECK(pubsub_announce(TOPIC, &second.attribute) == NULL);
  CHECK_EQUAL(host_logged, 1);
  merge_attribute_init(&other, &mean_merge_function, 3);
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

  node(3, 3, &mean_merge_function);
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
    T(time_out), T(a_merge_does_not_put_off_the_time_out),
    T(time_out_can_be_changed), T(merge_function_can_hold_an_event),
    T(merge_function_can_put_off_the_time_out),
    T(full_by_route), T(full_by_network), T(last_of_the_chain_does_not_wait),
    T(never_full), T(merge_function_can_say_full),
    T(publisher_already_contained), T(own_next_event_is_contained_too),
    T(an_aggregate_that_is_full_as_it_is_goes_on), T(frame_limit),
    T(not_aggregatable_events_pass), T(other_topics_pass),
    T(without_a_merge_function_events_pass_untouched),
    T(what_cannot_be_merged_passes), T(closing_the_channel_forwards),
    T(one_merge_function_per_topic_each_with_its_buffer),
    T(an_observer_sees_the_lists_before_the_merge),
    { 0 }
  };

  return host_main(tests, argc, argv);
}
