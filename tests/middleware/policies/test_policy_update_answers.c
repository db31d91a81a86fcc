/* SPDX-License-Identifier: Apache-2.0 */
/* Updates are answered, asked for again, carried out in their turn, and reach motes that were away. */
#include "policy-update-air.h"
#include "update_node.h"

#define SENDER 7
#define PATIENCE_MS (POLICY_UPDATE_PATIENCE * 1000 / CLOCK_SECOND)
#define ANSWERED_MS (2 * POLICY_UPDATE_ANSWERING * 1000 / CLOCK_SECOND + 100)

static struct host_frame updates[8], answer;
static unsigned settled, last_done, last_refused, last_silent;
/*---------------------------------------------------------------------------*/
static void
is_settled(uint8_t done, uint8_t refused, uint8_t silent)
{
  settled++;
  last_done = done;
  last_refused = refused;
  last_silent = silent;
}
/*---------------------------------------------------------------------------*/
static void
sender(void)
{
  node(SENDER);
  settled = 0;
  policy_update_settled = is_settled;
}
/*---------------------------------------------------------------------------*/
static pubsub_subject_t
subject_of(const struct host_frame *frame)
{
  struct pubsub_event event;

  CHECK(push_dpc_decode(&event, frame->bytes + PUBSUB_FRAME_HEADER_SIZE,
                        frame->length - PUBSUB_FRAME_HEADER_SIZE) > 0);
  return event.subject;
}
/*---------------------------------------------------------------------------*/
/* The frames of a subject that were sent; the first `most` are kept. */
static unsigned
sent(pubsub_subject_t subject, struct host_frame *frames, unsigned most)
{
  unsigned i, count = 0;

  for(i = 0; i < host_sent_frames; i++) {
    if(subject_of(&host_sent[i]) == subject) {
      if(count < most) {
        frames[count] = host_sent[i];
      }
      count++;
    }
  }
  host_sent_frames = 0;
  return count;
}
/*---------------------------------------------------------------------------*/
static unsigned
updates_sent(void)
{
  return sent(POLICY_UPDATE_SUBJECT, updates, 8);
}
/*---------------------------------------------------------------------------*/
static void
receive(const struct host_frame *frame)
{
  host_receive(frame->bytes, frame->length);
}
/*---------------------------------------------------------------------------*/
/* What this mote sends on is left aside; its answers are kept. */
static unsigned
answers(void)
{
  host_pass(ANSWERED_MS);
  return sent(POLICY_UPDATE_ANSWERS, &answer, 1);
}
/*---------------------------------------------------------------------------*/
/* The sender types these lines; the frames are in `updates`. */
static void
type(const char *one, const char *other)
{
  sender();
  CHECK(policy_update_line(one));
  host_pass(100);
  if(other != NULL) {
    CHECK(policy_update_line(other));
    host_pass(100);
  }
  CHECK_EQUAL(updates_sent(), other != NULL ? 2 : 1);
}
/*---------------------------------------------------------------------------*/
static void
who_has_acted_is_known_and_the_others_are_asked(void)
{
  unsigned waited;

  type("policy load 1 at all", NULL);
  node(4);
  receive(&updates[0]);
  CHECK_EQUAL(answers(), 1);
  sender();
  policy_update_await(4);
  policy_update_await(5);
  policy_update_await(SENDER); /* its own answer isn't waited for */
  CHECK(policy_update_line("policy load 1 at all"));
  CHECK_EQUAL(policy_update_answer_of(4), POLICY_UPDATE_SILENT);
  host_pass(100);
  receive(&answer);
  CHECK_EQUAL(policy_update_answer_of(4), POLICY_UPDATE_DONE);
  CHECK_EQUAL(policy_update_answer_of(5), POLICY_UPDATE_SILENT);
  CHECK_EQUAL(policy_update_counters.updates_answered, 1);
  updates_sent();
  for(waited = 0; settled == 0; waited++) {
    CHECK(waited < 2 << POLICY_UPDATE_ROUNDS);
    host_pass(PATIENCE_MS);
  }
  CHECK(waited > 1 << (POLICY_UPDATE_ROUNDS - 1)); /* each round waits twice as long as the one before */
  CHECK_EQUAL(updates_sent(), POLICY_UPDATE_ROUNDS); /* mote 5 only */
  CHECK_EQUAL(policy_update_counters.updates_repeated, POLICY_UPDATE_ROUNDS);
  CHECK_EQUAL(policy_update_counters.updates_unanswered, 1);
  CHECK(last_done == 1 && last_refused == 0 && last_silent == 1);
}
/*---------------------------------------------------------------------------*/
static void
when_all_have_answered_nobody_is_asked(void)
{
  type("policy load 1 at all", NULL);
  node(4);
  receive(&updates[0]);
  answers();
  sender();
  policy_update_await(4);
  CHECK(policy_update_line("policy load 1 at all"));
  host_pass(100);
  receive(&answer);
  host_pass(PATIENCE_MS);
  CHECK(settled == 1 && last_done == 1 && last_silent == 0);
  CHECK_EQUAL(policy_update_counters.updates_repeated + policy_update_counters.updates_unanswered, 0);
  updates_sent();
  host_pass(POLICY_UPDATE_TELLING * 1000 / CLOCK_SECOND + 100);
  CHECK_EQUAL(updates_sent(), 1); /* for those that were away */
  node(4);
  receive(&updates[0]);
  CHECK_EQUAL(policy_update_counters.updates_done, 1); /* it lost power, and has it again */
  receive(&updates[0]);
  CHECK_EQUAL(policy_update_counters.updates_done, 1);
}
/*---------------------------------------------------------------------------*/
static void
what_is_asked_again_is_done_once_and_answered_again(void)
{
  sender();
  policy_update_await(4);
  CHECK(policy_update_line("policy load 1 at all"));
  host_pass(PATIENCE_MS + 100);
  CHECK_EQUAL(updates_sent(), 2);
  node(4);
  receive(&updates[0]);
  CHECK_EQUAL(answers(), 1);
  receive(&updates[1]);
  CHECK_EQUAL(policy_update_counters.updates_done, 1);
  CHECK_EQUAL(answers(), 1);
  node(5);
  receive(&updates[0]);
  CHECK_EQUAL(answers(), 1);
  receive(&updates[1]);
  CHECK_EQUAL(answers(), 0); /* it was for mote 4 */
}
/*---------------------------------------------------------------------------*/
static void
updates_are_carried_out_in_their_turn(void)
{
  type("policy load 1 at all", "policy disable 1 at all");
  node(4);
  receive(&updates[1]);
  CHECK_EQUAL(policy_update_counters.updates_done, 0);
  CHECK_EQUAL(answers(), 1); /* it lacks one */
  receive(&updates[0]);
  CHECK(policy_manager_is_loaded(1));
  CHECK_EQUAL(answers(), 1);
  sender();
  CHECK(policy_update_line("policy load 1 at all"));
  CHECK(policy_update_line("policy disable 1 at all"));
  host_pass(100);
  updates_sent();
  receive(&answer); /* of the first */
  host_pass(100);
  CHECK_EQUAL(policy_update_counters.updates_answered, 0);
  CHECK_EQUAL(updates_sent(), 1);
  type("policy load 1 at all", "policy disable 1 at all");
  node(4);
  receive(&updates[0]);
  receive(&updates[1]);
  CHECK(!policy_manager_is_loaded(1));
  CHECK_EQUAL(policy_update_counters.updates_done, 2);
  CHECK_EQUAL(answers(), 1); /* of both */
}
/*---------------------------------------------------------------------------*/
/* It has heard the second one only. */
static void
a_mote_that_was_away_gets_them_one_after_the_other(void)
{
  struct host_frame first;

  type("policy load 1 at all", "policy disable 1 at all");
  node(4);
  receive(&updates[1]);
  answers();
  sender();
  CHECK(policy_update_line("policy load 1 at all"));
  CHECK(policy_update_line("policy disable 1 at all"));
  host_pass(100);
  updates_sent();
  receive(&answer);
  host_pass(100);
  CHECK_EQUAL(updates_sent(), 1);
  first = updates[0];
  node(4);
  receive(&first);
  CHECK(policy_manager_is_loaded(1));
  CHECK_EQUAL(answers(), 1);
  sender();
  CHECK(policy_update_line("policy load 1 at all"));
  CHECK(policy_update_line("policy disable 1 at all"));
  host_pass(100);
  updates_sent();
  receive(&answer);
  host_pass(100);
  CHECK_EQUAL(updates_sent(), 1);
  CHECK_EQUAL(policy_update_answer_of(4), POLICY_UPDATE_SILENT);
}
/*---------------------------------------------------------------------------*/
static void
the_oldest_that_is_kept_is_taken_by_a_mote_that_has_none(void)
{
  unsigned i;

  type("policy load 1 at all", "policy disable 1 at all");
  node(4);
  receive(&updates[1]);
  answers(); /* it has none */
  sender();
  for(i = 0; i < POLICY_UPDATE_KEPT; i++) {
    CHECK(policy_update_line("policy load 1 at all"));
    host_pass(100);
  }
  CHECK(policy_update_line("policy load 2 at all"));
  host_pass(100);
  updates_sent();
  receive(&answer);
  host_pass(100);
  CHECK_EQUAL(updates_sent(), 1);
  node(4);
  receive(&updates[0]);
  CHECK_EQUAL(policy_update_counters.updates_done, 1);
  CHECK(policy_manager_is_loaded(1) && !policy_manager_is_loaded(2));
}
/*---------------------------------------------------------------------------*/
static void
an_update_for_one_mote_is_nothing_to_others(void)
{
  type("policy load 2 at 5", "policy load 1 at all");
  node(4);
  receive(&updates[0]);
  CHECK_EQUAL(answers(), 0);
  receive(&updates[1]);
  CHECK(policy_manager_is_loaded(1) && !policy_manager_is_loaded(2));
  node(4); /* this time it doesn't hear the first */
  receive(&updates[1]);
  CHECK_EQUAL(policy_update_counters.updates_done, 0);
  CHECK_EQUAL(answers(), 1);
  sender();
  CHECK(policy_update_line("policy load 2 at 5"));
  CHECK(policy_update_line("policy load 1 at all"));
  host_pass(100);
  updates_sent();
  receive(&answer);
  host_pass(100);
  CHECK_EQUAL(updates_sent(), 1);
  node(4);
  receive(&updates[0]);
  CHECK_EQUAL(policy_update_counters.updates_done + policy_update_counters.updates_refused, 0);
  CHECK_EQUAL(answers(), 1);
  sender();
  CHECK(policy_update_line("policy load 2 at 5"));
  host_pass(100);
  updates_sent();
  receive(&answer);
  CHECK_EQUAL(policy_update_answer_of(4), POLICY_UPDATE_DONE);
  CHECK_EQUAL(policy_update_answer_of(5), POLICY_UPDATE_SILENT);
  host_pass(PATIENCE_MS);
  CHECK_EQUAL(updates_sent(), 1); /* mote 5 is asked although nobody awaits it */
  node(5);
  receive(&updates[0]);
  CHECK(policy_manager_is_loaded(2));
}
/*---------------------------------------------------------------------------*/
static void
a_refusal_is_answered(void)
{
  type("policy load 9 at all", NULL);
  node(4);
  receive(&updates[0]);
  CHECK_EQUAL(answers(), 1);
  sender();
  policy_update_await(4);
  CHECK(policy_update_line("policy load 9 at all"));
  host_pass(100);
  receive(&answer);
  CHECK_EQUAL(policy_update_answer_of(4), POLICY_UPDATE_REFUSED);
  host_pass(PATIENCE_MS);
  CHECK(settled == 1 && last_done == 0 && last_refused == 1 && last_silent == 0);
}
/*---------------------------------------------------------------------------*/
static void
a_sender_that_booted_again_begins_anew(void)
{
  type("policy load 1 at all", NULL);
  node(4);
  receive(&updates[0]);
  policy_manager_disable(1);
  receive(&updates[0]);
  CHECK(!policy_manager_is_loaded(1));
  updates[0].bytes[updates[0].length - 1] ^= 1; /* its incarnation */
#if !POLICY_UPDATE_SEALED
  receive(&updates[0]);
  CHECK(policy_manager_is_loaded(1));
#endif
}
/*---------------------------------------------------------------------------*/
static void
updates_of_too_many_motes_are_refused(void)
{
  unsigned mote;

  for(mote = 20; mote <= 20 + POLICY_UPDATE_SENDERS; mote++) {
    node(mote);
    CHECK(policy_update_line("policy load 1 at all"));
    host_pass(100);
    updates[mote - 20] = host_sent[0];
  }
  node(4);
  for(mote = 0; mote < POLICY_UPDATE_SENDERS; mote++) {
    receive(&updates[mote]);
  }
  CHECK_EQUAL(policy_update_counters.updates_done, POLICY_UPDATE_SENDERS);
  receive(&updates[mote]);
  CHECK_EQUAL(policy_update_counters.updates_done, POLICY_UPDATE_SENDERS);
  CHECK_EQUAL(policy_update_counters.updates_refused, 1);
}
/*---------------------------------------------------------------------------*/
static void
motes_that_have_no_number_are_refused(void)
{
  sender();
  CHECK(!policy_update_send(&(struct policy_update) { 0, POLICY_UPDATE_LOAD, 1, 0 }));
  CHECK(!policy_update_send(&(struct policy_update) {
    POLICY_UPDATE_MOTES + 1, POLICY_UPDATE_LOAD, 1, 0
  }));
  CHECK_EQUAL(policy_update_counters.updates_refused, 2);
  host_pass(100);
  CHECK_EQUAL(updates_sent(), 0);
}
/*---------------------------------------------------------------------------*/
int
main(int argc, char **argv)
{
#define T(name) { #name, name }
  static const struct test tests[] = {
    T(who_has_acted_is_known_and_the_others_are_asked),
    T(when_all_have_answered_nobody_is_asked),
    T(what_is_asked_again_is_done_once_and_answered_again),
    T(updates_are_carried_out_in_their_turn),
    T(a_mote_that_was_away_gets_them_one_after_the_other),
    T(the_oldest_that_is_kept_is_taken_by_a_mote_that_has_none),
    T(an_update_for_one_mote_is_nothing_to_others),
    T(a_refusal_is_answered),
    T(a_sender_that_booted_again_begins_anew),
    T(updates_of_too_many_motes_are_refused),
    T(motes_that_have_no_number_are_refused),
    { 0 }
  };

  return host_main(tests, argc, argv);
}
