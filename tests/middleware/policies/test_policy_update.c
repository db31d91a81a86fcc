/* SPDX-License-Identifier: Apache-2.0 */
/* Policies are updated by line and over the network; updates are sealed if compiled so. */
#include <stdlib.h>
#include "update_node.h"
/*---------------------------------------------------------------------------*/
/* Mote 7 types the line; its frame gets to mote 4. */
static uint8_t frame[PUBSUB_FRAME_SIZE];
static uint16_t size;

static void
type_elsewhere(const char *line)
{
  node(7);
  CHECK(policy_update_line(line));
  host_pass(100);
  CHECK_EQUAL(host_sent_frames, 1);
  size = host_sent[0].length;
  memcpy(frame, host_sent[0].bytes, size);
  node(4);
}
/*---------------------------------------------------------------------------*/
static void
lines_to_a_mote(void)
{
  node(4);
  CHECK(policy_update_line("policy load 1"));
  CHECK(policy_manager_is_loaded(1));
  CHECK(policy_update_line("policy replace 1 2"));
  CHECK(!policy_manager_is_loaded(1) && policy_manager_is_loaded(2));
  CHECK(policy_update_line("policy disable 2"));
  CHECK(!policy_manager_is_loaded(2));
  CHECK(policy_update_line("policy rule 0 1 off"));
  CHECK(!POLICY_RULE(&policies[0], 1));
  CHECK(policy_update_line("policy rule 0 1 on"));
  CHECK(POLICY_RULE(&policies[0], 1));
  CHECK_EQUAL(policy_update_counters.updates_done, 5);
  host_pass(1000);
  CHECK_EQUAL(host_sent_frames, 0);
}
/*---------------------------------------------------------------------------*/
static void
an_update_for_what_is_not_there_changes_nothing(void)
{
  node(4);
  policy_manager_load(0);
  CHECK(policy_update_line("policy load 3"));
  CHECK(policy_update_line("policy replace 0 3"));
  CHECK(policy_update_line("policy replace 3 1"));
  CHECK(policy_update_line("policy rule 0 2 off"));
  CHECK_EQUAL(policy_update_counters.updates_refused, 4);
  CHECK(policy_manager_is_loaded(0) && !policy_manager_is_loaded(1));
}
/*---------------------------------------------------------------------------*/
static void
other_lines_are_left_alone(void)
{
  static const char *const lines[] = {
    "", "policy", "policy load", "policy load x", "policy load 64", "policy load 1x",
    "policy load 1 2", "policy replace 1", "policy rule 1 1", "policy rule 1 1 of",
    "policy load 1 at", "policy load 1 at 65534", "policy load 1 at x", "policies load 1",
    "policy load 1 at all now", "policy load 99999999999999999999", "policy rule 0 1 off x"
  };
  unsigned i;

  node(4);
  for(i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
    CHECK(!policy_update_line(lines[i]));
  }
  CHECK_EQUAL(policy_update_counters.updates_done + policy_update_counters.updates_refused, 0);
}
/*---------------------------------------------------------------------------*/
static void
updates_over_the_network(void)
{
  type_elsewhere("policy load 1 at all");
  host_receive(frame, size);
  CHECK(policy_manager_is_loaded(1));
  host_pass(100);
  CHECK_EQUAL(host_sent_frames, 1); /* it goes on */
  type_elsewhere("policy load 2 at 4");
  host_receive(frame, size);
  CHECK(policy_manager_is_loaded(2));
  type_elsewhere("policy load 2 at 5");
  host_receive(frame, size);
  CHECK(!policy_manager_is_loaded(2));
  CHECK_EQUAL(policy_update_counters.updates_done, 0);
  node(7);
  CHECK(policy_update_line("policy load 0 at all"));
  CHECK(policy_manager_is_loaded(0)); /* here, too, and once */
  CHECK_EQUAL(policy_update_counters.updates_done, 1);
}
/*---------------------------------------------------------------------------*/
static void
what_is_no_update_is_counted(void)
{
  type_elsewhere("policy load 1 at all");
  frame[PUBSUB_FRAME_HEADER_SIZE + PUBSUB_EVENT_LENGTH_AT]--;
  size--; /* the last octet of the incarnation is the contributor's */
  host_receive(frame, size);
  CHECK_EQUAL(policy_update_counters.updates_malformed, 1);
  CHECK(!policy_manager_is_loaded(1));
}
/*---------------------------------------------------------------------------*/
/* With sealed updates, neither a stranger's change nor a stranger's copy is carried out. */
static void
sealed_updates_can_not_be_changed_or_replayed(void)
{
  uint8_t *sequence = frame + PUBSUB_FRAME_HEADER_SIZE + PUBSUB_EVENT_FIXED_SIZE + 1;

  type_elsewhere("policy load 1 at all");
  frame[PUBSUB_FRAME_HEADER_SIZE + PUBSUB_EVENT_FIXED_SIZE + 2] ^= 0x80;
  host_receive(frame, size);
#if POLICY_UPDATE_SEALED
  CHECK_EQUAL(policy_update_counters.updates_not_ours, 1);
  CHECK(!policy_manager_is_loaded(1));
#endif
  type_elsewhere("policy load 1 at all");
  sequence += frame[PUBSUB_FRAME_HEADER_SIZE + PUBSUB_EVENT_LENGTH_AT];
  host_receive(frame, size);
  CHECK_EQUAL(policy_update_counters.updates_done, 1);
  policy_manager_disable(1);
  (*sequence)++; /* it is copied as if it were another event */
  host_receive(frame, size);
#if POLICY_UPDATE_SEALED
  CHECK_EQUAL(policy_update_counters.updates_not_ours, 1);
  CHECK(!policy_manager_is_loaded(1));
#else
  CHECK_EQUAL(policy_update_counters.updates_done, 1); /* it has the number of the one before */
#endif
}
/*---------------------------------------------------------------------------*/
/* Frames of updates with octets changed by chance: each changes what it says or nothing. */
static void
whatever_arrives_leaves_policies_that_there_are(void)
{
  static uint8_t sent[PUBSUB_FRAME_SIZE];
  unsigned round, i, done = 0;

  srand(1);
  type_elsewhere("policy replace 0 1 at all");
  memcpy(sent, frame, size);
  for(round = 0; round < 1000; round++) {
    uint8_t *copy = malloc(size);
    uint16_t length = rand() % 8 == 0 ? rand() % (size + 1u) : size;

    node(4);
    memcpy(copy, sent, size);
    for(i = rand() % 4; i > 0; i--) {
      copy[PUBSUB_FRAME_HEADER_SIZE + rand() % (size - PUBSUB_FRAME_HEADER_SIZE)] = rand();
    }
    host_receive(copy, length);
    free(copy);
    done += policy_update_counters.updates_done;
    CHECK(policy_update_counters.updates_done + policy_update_counters.updates_refused
          + policy_update_counters.updates_malformed + policy_update_counters.updates_not_ours <= 1);
    for(i = 0; i < policy_count; i++) {
      CHECK(!policy_manager_is_loaded(i) || policy_update_counters.updates_done == 1);
    }
  }
  CHECK(done > 10 && done < round);
}
/*---------------------------------------------------------------------------*/
int
main(int argc, char **argv)
{
#define T(name) { #name, name }
  static const struct test tests[] = {
    T(lines_to_a_mote),
    T(an_update_for_what_is_not_there_changes_nothing),
    T(other_lines_are_left_alone),
    T(updates_over_the_network),
    T(what_is_no_update_is_counted),
    T(sealed_updates_can_not_be_changed_or_replayed),
    T(whatever_arrives_leaves_policies_that_there_are),
    { 0 }
  };

  return host_main(tests, argc, argv);
}
