/* SPDX-License-Identifier: Apache-2.0 */
/* When the stored event is forwarded: section 5.2.2 of the aggregation paper. */
#include "merge_node.h"

static void
time_out(void)
{
  node(3, 3, &merge_mean_function);
  publish(7);
  CHECK_EQUAL(merge_pending(&merging), 1);
  host_pass(4999);
  CHECK_EQUAL(host_sent_frames, 0);
  host_pass(1);
  CHECK_EQUAL(host_sent_frames, 1);
  CHECK(strcmp(sent(0), "3.1") == 0);
  CHECK_EQUAL(host_next_hop(0), 3);
  CHECK_EQUAL(merge_mean_get(host_event(0).data), 7);
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

  node(3, 3, &merge_mean_function);
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
  node(3, 3, &merge_mean_function);
  merge_set_timeout(&merging, 100);
  publish(1);
  host_pass(100);
  CHECK_EQUAL(host_sent_frames, 1);
  publish(2);
  merge_set_timeout(&merging, 50); /* the stored one's time-out runs from now, too */
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
  struct merge_function holding = merge_mean_function;

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
  return merge_mean_function.merge(state, arrived);
}

static void
merge_function_can_put_off_the_time_out(void)
{
  struct pubsub_contributor next = { 10, 1 };
  struct merge_function patient = merge_mean_function;

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

  node(3, 3, &merge_mean_function);
  publish(10);
  arrive(40, 2, two);
  CHECK_EQUAL(host_sent_frames, 1);
  CHECK(strcmp(sent(0), "3.1+4.8+5.9") == 0);
  CHECK_EQUAL(merge_mean_get(host_event(0).data), 30);
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

  node(3, 5, &merge_mean_function);
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
  node(5, 1, &merge_mean_function);
  publish(10);
  CHECK_EQUAL(host_sent_frames, 1);
  CHECK_EQUAL(pubsub_counters.forward_full, 1);
}
/*---------------------------------------------------------------------------*/
static void
never_full(void)
{
  node(3, 0, &merge_mean_function);
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
  struct merge_function own = merge_mean_function;

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

  node(3, 3, &merge_mean_function);
  arrive(10, 1, &five[0]);
  publish(20);
  CHECK_EQUAL(host_sent_frames, 0);
  host_pass(1000);
  arrive(50, 1, &five[1]);
  CHECK_EQUAL(host_sent_frames, 1);
  CHECK(strcmp(sent(0), "5.1+3.1") == 0);
  CHECK_EQUAL(merge_mean_get(host_event(0).data), 15);
  CHECK_EQUAL(pubsub_counters.forward_contained, 1);
  CHECK_EQUAL(pubsub_counters.merged, 1);
  /* The new one stays and has its own time-out. */
  CHECK_EQUAL(merge_pending(&merging), 1);
  host_pass(4999);
  CHECK_EQUAL(host_sent_frames, 1);
  host_pass(1);
  CHECK(strcmp(sent(1), "5.2") == 0);
  CHECK_EQUAL(merge_mean_get(host_event(1).data), 50);
}
/*---------------------------------------------------------------------------*/
static void
own_next_event_is_contained_too(void)
{
  node(3, 3, &merge_mean_function);
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

  node(0, 2, &merge_mean_function); /* a relay */
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
    room++; /* contributors for which an event of two bytes has room */
  }

  node(3, 100, &merge_mean_function);
  /* The frame is full, and no other publisher can come. */
  arrive(1, room - 1, many);
  publish(1);
  CHECK_EQUAL(host_sent_frames, 1);
  CHECK_EQUAL(host_event(0).contributors, room);
  CHECK(PUBSUB_FRAME_SIZE - host_sent[0].length < PUBSUB_CONTRIBUTOR_SIZE);
  CHECK_EQUAL(pubsub_counters.forward_frame, 1);
  /* The merged event would not fit: the stored one is forwarded, the new one stays. */
  arrive(1, room - 1, many);
  arrive(2, 2, (struct pubsub_contributor[]){ { 1, 1 }, { 2, 1 } });
  CHECK_EQUAL(host_sent_frames, 2);
  CHECK_EQUAL(host_event(1).contributors, room - 1);
  CHECK_EQUAL(merge_pending(&merging), 2);
  CHECK_EQUAL(pubsub_counters.forward_frame, 2);
}
/*---------------------------------------------------------------------------*/
int
main(int argc, char **argv)
{
#define T(name) { #name, name }
  static const struct test tests[] = {
    T(time_out),
    T(a_merge_does_not_put_off_the_time_out),
    T(time_out_can_be_changed),
    T(merge_function_can_hold_an_event),
    T(merge_function_can_put_off_the_time_out),
    T(full_by_route),
    T(full_by_network),
    T(last_of_the_chain_does_not_wait),
    T(never_full),
    T(merge_function_can_say_full),
    T(publisher_already_contained),
    T(own_next_event_is_contained_too),
    T(an_aggregate_that_is_full_as_it_is_goes_on),
    T(frame_limit),
    { 0 }
  };

  return host_main(tests, argc, argv);
}
