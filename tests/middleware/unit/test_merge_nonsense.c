/* SPDX-License-Identifier: Apache-2.0 */
/* Merge functions that break their contract: undone and counted, nothing lost. */
#include "merge_node.h"

static const struct pubsub_contributor five = { 5, 1 };
static struct merge_function wrong;

/* Publishes 7 and lets 9 arrive; they are the separate events 3.1 and 5.1. */
static void
both_pass_unmerged(unsigned undone)
{
  wrong.data_size = MERGE_MEAN_DATA_SIZE;
  node(3, 3, &wrong);
  publish(7);
  arrive(9, 1, &five);
  CHECK_EQUAL(pubsub_counters.merges_undone, undone);
  CHECK_EQUAL(pubsub_counters.merged, 0);
  CHECK_EQUAL(host_sent_frames, 1);
  CHECK(strcmp(sent(0), "5.1") == 0);
  CHECK_EQUAL(merge_mean_get(host_event(0).data), 9);
  host_pass(5000);
  CHECK_EQUAL(host_sent_frames, 2);
  CHECK(strcmp(sent(1), "3.1") == 0);
  CHECK_EQUAL(merge_mean_get(host_event(1).data), 7);
  CHECK_EQUAL(host_event(1).length, MERGE_MEAN_DATA_SIZE);
}
/*---------------------------------------------------------------------------*/
#define BREAKS(name, statement, answer) \
  static bool \
  merge_##name(struct merge_attribute *state, \
               const struct pubsub_event *arrived) \
  { \
    (void)arrived; \
    merge_mean_put(state->stored.data, 1234); \
    statement; \
    return answer; \
  } \
  static void \
  name(void) \
  { \
    wrong = (struct merge_function){ .merge = merge_##name }; \
    both_pass_unmerged(1); \
  }
BREAKS(too_long, state->stored.length = 200, true)
BREAKS(no_data, state->stored.length = 0, true)
BREAKS(another_length, state->stored.length = MERGE_MEAN_DATA_SIZE + 1, true)
BREAKS(more_contributors, state->stored.contributors = 200, true)
BREAKS(no_contributor, state->stored.contributors = 0, true)
BREAKS(another_contributor, state->stored.contributor[0].publisher = 9, true)
BREAKS(another_subject, state->stored.subject++, true)
BREAKS(unknown_flags, state->stored.flags = 0xff, true)
BREAKS(changed_and_refused, , false)
BREAKS(changed_what_arrived,
       ((struct pubsub_event *)arrived)->data[0] ^= 0xff, true)
BREAKS(arrived_of_no_length, ((struct pubsub_event *)arrived)->length = 255,
       true)
BREAKS(everything_overwritten,
       memset(&state->stored, 0xff, sizeof(state->stored)), true)
/*---------------------------------------------------------------------------*/
static void
refuses_as_it_may(void)
{
  wrong = (struct merge_function){ .merge = merge_mean_function.merge };
  wrong.data_size = 0;
  node(3, 3, &wrong);
  publish(7);
  arrive(9, 1, &five);
  CHECK_EQUAL(pubsub_counters.merges_undone, 0);
  CHECK_EQUAL(pubsub_counters.merged, 1);
}
/*---------------------------------------------------------------------------*/
static bool
fills_all(struct merge_attribute *state, const struct pubsub_event *arrived)
{
  (void)arrived;
  state->stored.length = PUBSUB_MAX_DATA;
  return true;
}

static void
data_of_any_length_must_fit_a_frame(void)
{
  struct pubsub_contributor many[PUBSUB_MAX_CONTRIBUTORS];
  int room = 0;

  while(PUBSUB_FRAME_HEADER_SIZE + PUBSUB_EVENT_HEADER_SIZE + MERGE_MEAN_DATA_SIZE
        + (room + 2) * PUBSUB_CONTRIBUTOR_SIZE <= PUBSUB_FRAME_SIZE) {
    many[room] = (struct pubsub_contributor){ (uint8_t)(10 + room), 1 };
    room++;
  }
  wrong = (struct merge_function){ .merge = fills_all };
  node(3, 0, &wrong);
  publish(7);
  arrive(9, room - 1, many);
  CHECK_EQUAL(pubsub_counters.merges_undone, 1);
  CHECK_EQUAL(host_sent_frames, 1);
  CHECK_EQUAL(host_event(0).contributors, room - 1);
}
/*---------------------------------------------------------------------------*/
static clock_time_t
holds_for_a_negative_time(struct merge_attribute *state)
{
  (void)state;
  return (clock_time_t)-5;
}

static void
a_negative_time_forwards(void)
{
  wrong = merge_mean_function;
  wrong.timed_out = holds_for_a_negative_time;
  node(3, 3, &wrong);
  publish(7);
  host_pass(5000);
  CHECK_EQUAL(host_sent_frames, 1);
  CHECK_EQUAL(pubsub_counters.merges_undone, 1);
  CHECK_EQUAL(pubsub_counters.forward_timeout, 1);
  publish(8);
  merge_set_timeout(&merging, (clock_time_t)-1);
  host_pass(1);
  CHECK_EQUAL(host_sent_frames, 2);
  CHECK_EQUAL(pubsub_counters.merges_undone, 3); /* it is asked again */
}
/*---------------------------------------------------------------------------*/
static void
without_a_function_there_is_no_channel(void)
{
  static struct merge_attribute empty;
  static const struct merge_function none = { NULL, NULL, NULL, 0 };

  node(3, 3, &merge_mean_function);
  merge_attribute_init(&empty, &none, 3);
  CHECK(pubsub_announce(pubsub_subject("u"), &empty.attribute) == NULL);
  merge_attribute_init(&empty, NULL, 3);
  CHECK(pubsub_announce(pubsub_subject("v"), &empty.attribute) == NULL);
}
/*---------------------------------------------------------------------------*/
int
main(int argc, char **argv)
{
#define T(name) { #name, name }
  static const struct test tests[] = {
    T(too_long),
    T(no_data),
    T(another_length),
    T(more_contributors),
    T(no_contributor),
    T(another_contributor),
    T(another_subject),
    T(unknown_flags),
    T(changed_and_refused),
    T(changed_what_arrived),
    T(arrived_of_no_length),
    T(everything_overwritten),
    T(refuses_as_it_may),
    T(data_of_any_length_must_fit_a_frame),
    T(a_negative_time_forwards),
    T(without_a_function_there_is_no_channel),
    { 0 }
  };

  return host_main(tests, argc, argv);
}
