/* SPDX-License-Identifier: Apache-2.0 */
/* Protocols, operations of actions, points, time, and what changes while running. */
#include "managed_node.h"
#include "pubsub-enforcement.h"
/*---------------------------------------------------------------------------*/
static void
go_by_push(struct policy *self, struct policy_event *event)
{
  event->with = POLICY_WITH_PUSH_DPC | POLICY_WITH_RELIABLE_CPC;
}

static void
go_by_pull(struct policy *self, struct policy_event *event)
{
  event->with = POLICY_WITH_PULL_DPC;
}

static void
accept_with_chooses_the_protocols(void)
{
  node(1);
  act = go_by_push;
  CHECK(publish(temperature, 5));
  host_pass(100);
  CHECK_EQUAL(host_sent_frames, 1);
  CHECK_EQUAL(host_sent[0].bytes[0], 0x10 | PUBSUB_FRAME_PUSHED_EVENTS);
  CHECK_EQUAL(host_sent[0].bytes[7 + PUBSUB_EVENT_FLAGS_AT], PUBSUB_RELIABLE);
  act = go_by_pull; /* which isn't linked here */
  CHECK(publish(temperature, 5));
  CHECK_EQUAL(host_sent[1].bytes[0], 0x10 | PUBSUB_FRAME_EVENT);
  CHECK_EQUAL(policy_manager_counters.policy_not_linked, 1);
}
/*---------------------------------------------------------------------------*/
/* As in Figure 14, but with notify: the policy isn't asked about its own operation. */
static void
notify_the_same(struct policy *self, struct policy_event *event)
{
  policy_operate(POLICY_NOTIFY, event->topic, 0, event->count, event->arguments);
}

static void
an_operation_is_not_given_to_the_policy_that_raised_it(void)
{
  node(1);
  say[FIRST] = POLICY_DISCARD;
  act = notify_the_same;
  CHECK(!publish(temperature, 5));
  CHECK_EQUAL(told[FIRST], 1);
  CHECK_EQUAL(host_sent_frames, 1);
  node(3); /* but the other one is, and so to and fro */
  say[FIRST] = say[SECOND] = POLICY_DISCARD;
  act = notify_the_same;
  CHECK(!publish(temperature, 5));
  CHECK_EQUAL(policy_manager_counters.policy_operations, POLICY_MANAGER_MOST_OPERATIONS);
  CHECK_EQUAL(policy_manager_faults[POLICY_FAULT_QUEUE], 1);
  CHECK_EQUAL(host_sent_frames, 0);
  act = NULL;
  say[FIRST] = say[SECOND] = POLICY_ACCEPT;
  CHECK(publish(temperature, 5)); /* nothing is left of it */
  CHECK_EQUAL(host_sent_frames, 1);
}
/*---------------------------------------------------------------------------*/
/* As in Figure 7, the event that the action notifies goes before the one that triggered it. */
static void
notify_alarm(struct policy *self, struct policy_event *event)
{
  if(event->topic == TEMPERATURE) {
    policy_operate(POLICY_NOTIFY, ALARM, 0, 0, NULL);
  }
}

static void
an_action_goes_before_its_event(void)
{
  node(1);
  act = notify_alarm;
  CHECK(publish(temperature, 5));
  CHECK_EQUAL(host_sent_frames, 2);
  CHECK(host_event(0).subject == policy_subjects[ALARM]);
  CHECK(host_event(1).subject == policy_subjects[TEMPERATURE]);
}
/*---------------------------------------------------------------------------*/
static void
notify_heard(struct policy *self, struct policy_event *event)
{
  policy_operate(POLICY_NOTIFY, HEARD, 0, 0, NULL);
}

static void
what_nobody_advertised_is_not_notified(void)
{
  node(1);
  act = notify_heard;
  CHECK(publish(temperature, 5));
  CHECK_EQUAL(policy_manager_counters.policy_not_advertised, 1);
  CHECK_EQUAL(host_sent_frames, 1);
}
/*---------------------------------------------------------------------------*/
static enum policy_operation operation;

static void
operate_on_alarm(struct policy *self, struct policy_event *event)
{
  if(event->topic == TEMPERATURE) {
    policy_operate(operation, ALARM, POLICY_WITH_PUSH_DPC, 0, NULL);
  }
}

static void
actions_advertise_and_subscribe(void)
{
  struct pubsub_contributor one = { 9, 1 };
  struct pubsub_event event = host_make(policy_subjects[ALARM], 0, 1, &one);

  node(1);
  act = operate_on_alarm;
  operation = POLICY_UNADVERTISE;
  publish(temperature, 5);
  CHECK(pubsub_publisher_of(policy_subjects[ALARM]) == NULL);
  operation = POLICY_ADVERTISE;
  publish(temperature, 5);
  publish(temperature, 5); /* it is advertised already */
  CHECK(pubsub_publisher_of(policy_subjects[ALARM]) != NULL);
  operation = POLICY_SUBSCRIBE;
  publish(temperature, 5);
  publish(temperature, 5);
  event.flags = 0;
  host_receive_event(&event, 5, 4);
  CHECK_EQUAL(pubsub_counters.events_delivered, 1);
  operation = POLICY_UNSUBSCRIBE;
  publish(temperature, 5);
  publish(temperature, 5);
  host_receive_event(&event, 5, 4);
  CHECK_EQUAL(pubsub_counters.events_delivered, 1);
}
/*---------------------------------------------------------------------------*/
static void
the_other_operations_of_a_component_pass_its_point(void)
{
  struct pubsub_publisher_channel *p;
  struct pubsub_subscriber_channel *s;

  node(1);
  say[FIRST] = POLICY_DISCARD;
  CHECK(pubsub_announce(policy_subjects[HEARD], NULL) == NULL);
  CHECK(pubsub_subscribe(policy_subjects[HEARD], arrived, NULL, NULL) == NULL);
  say[FIRST] = POLICY_ACCEPT;
  p = pubsub_announce(policy_subjects[HEARD], NULL);
  s = pubsub_subscribe(policy_subjects[HEARD], arrived, NULL, NULL);
  CHECK(p != NULL && s != NULL);
  say[FIRST] = POLICY_DISCARD;
  pubsub_unannounce(p);
  pubsub_unsubscribe(s);
  CHECK(pubsub_publisher_of(policy_subjects[HEARD]) == p);
  CHECK(pubsub_subscriber_of(policy_subjects[HEARD], arrived) == s);
  say[FIRST] = POLICY_ACCEPT;
  pubsub_unannounce(p);
  pubsub_unsubscribe(s);
  CHECK(pubsub_publisher_of(policy_subjects[HEARD]) == NULL);
  CHECK(pubsub_subscriber_of(policy_subjects[HEARD], arrived) == NULL);
  CHECK_EQUAL(told[FIRST], 8);
}
/*---------------------------------------------------------------------------*/
static void
add_one(struct policy *self, struct policy_event *event)
{
  event->arguments[0].as.number += 1 << 2 * (self - policies);
  event->changed = true;
}

static void
an_event_from_another_mote_passes_three_points(void)
{
  node(0);
  pubsub_subscribe(policy_subjects[HEARD], arrived, NULL, NULL);
  act = add_one;
  policy_manager_load(FIRST);
  policy_manager_load(SECOND);
  policy_manager_load(THIRD);
  hear(1);
  CHECK_EQUAL(got, 1);
  CHECK_EQUAL(got_data[1], 1 + 16 + 1); /* extB-B, B-C */
  CHECK_EQUAL(host_sent_frames, 1);
  CHECK_EQUAL(host_event(0).data[1], 1 + 16 + 4); /* extB-B, B-extB: the component's is its own */
  say[FIRST] = POLICY_DISCARD;
  hear(1);
  CHECK_EQUAL(got, 1);
  CHECK_EQUAL(host_sent_frames, 2); /* others get it */
  CHECK_EQUAL(pubsub_counters.no_route, 0);
  say[SECOND] = POLICY_DISCARD;
  hear(1);
  CHECK_EQUAL(host_sent_frames, 2);
  say[FIRST] = say[SECOND] = POLICY_ACCEPT;
  say[THIRD] = POLICY_DISCARD;
  hear(1);
  CHECK_EQUAL(got, 1);
  CHECK_EQUAL(host_sent_frames, 2);
}
/*---------------------------------------------------------------------------*/
static void
topics_are_found_by_subject_and_by_what_pull_messages_know(void)
{
  unsigned i;

  for(i = 1; i < TOPICS; i++) {
    CHECK_EQUAL(policy_manager_topic(policy_subjects[i]), i);
    CHECK_EQUAL(policy_manager_topic(policy_subjects[i] + 1), 0);
    CHECK_EQUAL(policy_manager_topic(policy_subjects[i] - 1), 0);
    CHECK_EQUAL(policy_topic_ids[i - 1].id,
                pubsub_subject_id(policy_subjects[policy_topic_ids[i - 1].topic]));
  }
  node(4);
  say[THIRD] = POLICY_DISCARD;
  for(i = 0; i <= UINT16_MAX; i++) { /* two events have rules for subscriptions */
    pubsub_enforce_id(PUBSUB_EXTB_TO_B, PUBSUB_SUBSCRIBE, i);
    pubsub_enforce_id(PUBSUB_B_TO_EXTB, PUBSUB_SUBSCRIBE, i);
  }
  CHECK_EQUAL(told[THIRD], 2);
}
/*---------------------------------------------------------------------------*/
static void
subscriptions_pass_between_brokers(void)
{
  uint8_t frame[7 + 4] = { 0x1e, 3, 0, 0xff, 0xff, 1, 0, 1, 0 };

  node(4);
  say[THIRD] = POLICY_DISCARD;
  pubsub_put16(frame + 9, pubsub_subject_id(policy_subjects[ALARM]));
  host_receive(frame, sizeof(frame));
  host_pass(1000);
  CHECK_EQUAL(told[THIRD], 1);
  CHECK_EQUAL(host_sent_frames, 0);
  pull_dpc_routes.subscription(policy_subjects[HEARD], true);
  host_pass(1000);
  CHECK_EQUAL(told[THIRD], 2);
  CHECK_EQUAL(host_sent_frames, 0);
  say[THIRD] = POLICY_ACCEPT;
  host_receive(frame, sizeof(frame));
  host_pass(1000);
  CHECK_EQUAL(host_sent_frames, 1);
}
/*---------------------------------------------------------------------------*/
static void
time_outs_come_when_no_event_does(void)
{
  node(1 << TIMED);
  host_pass(4000);
  publish(temperature, 5);
  host_pass(4999);
  CHECK_EQUAL(timed_out, 0);
  host_pass(1);
  CHECK_EQUAL(timed_out, 1);
  host_pass(50000);
  CHECK_EQUAL(timed_out, 1); /* once in a silence */
  publish(temperature, 5);
  host_pass(5000);
  CHECK_EQUAL(timed_out, 2);
  publish(temperature, 5);
  policy_manager_disable(TIMED);
  host_pass(50000);
  CHECK_EQUAL(timed_out, 2);
  publish(temperature, 5);
  host_pass(50000);
  CHECK_EQUAL(timed_out, 2);
  CHECK_EQUAL(policy_manager_counters.policy_timeouts_fired, 2);
}
/*---------------------------------------------------------------------------*/
/* Also if the time-out changes its policy's state; a policy that is loaded has all of its period. */
static void
a_time_out_that_changes_the_state_comes_once_in_a_silence(void)
{
  node(0);
  publish(temperature, 5);
  host_pass(3000);
  policy_manager_load(TIMED);
  enters = 2;
  host_pass(4999);
  CHECK_EQUAL(timed_out, 0);
  host_pass(1);
  CHECK_EQUAL(timed_out, 1);
  CHECK_EQUAL(policies[TIMED].state, 2);
  host_pass(50000);
  CHECK_EQUAL(timed_out, 1);
  CHECK_EQUAL(policy_manager_counters.policy_timeouts_fired, 1);
  publish(temperature, 5);
  host_pass(5000);
  CHECK_EQUAL(timed_out, 2);
}
/*---------------------------------------------------------------------------*/
static void
enter_two(struct policy *self, struct policy_event *event)
{
  if(self == &policies[SECOND]) {
    self->state = 2;
  }
}

static void
a_timer_runs_from_when_its_state_was_entered(void)
{
  node(1 << SECOND);
  host_pass(700);
  CHECK_EQUAL(timed_out, 1); /* in its initial state */
  host_pass(7000);
  CHECK_EQUAL(timed_out, 1);
  act = enter_two;
  publish(temperature, 5);
  host_pass(400);
  publish(temperature, 5); /* an event that changes nothing */
  host_pass(299);
  CHECK_EQUAL(timed_out, 1);
  host_pass(1);
  CHECK_EQUAL(timed_out, 2);
}
/*---------------------------------------------------------------------------*/
static void
a_period_is_never_shorter_in_clock_ticks(void)
{
  CHECK_EQUAL(CLOCK_SECOND, 1000); /* those of other processors are counted here */
  CHECK_EQUAL(POLICY_TICKS(1), 1);
  CHECK_EQUAL(POLICY_TICKS(4294967), 4294967);
#undef CLOCK_SECOND
#define CLOCK_SECOND 128
  CHECK_EQUAL(POLICY_TICKS(0), 0);
  CHECK_EQUAL(POLICY_TICKS(1), 1);
  CHECK_EQUAL(POLICY_TICKS(1008), 130);
  CHECK_EQUAL(POLICY_TICKS(2000), 256);
#undef CLOCK_SECOND
#define CLOCK_SECOND 1000
}
/*---------------------------------------------------------------------------*/
static void
policies_are_loaded_disabled_and_replaced(void)
{
  unsigned before;

  node(0);
  before = started;
  CHECK(policy_manager_load(FIRST));
  CHECK(policy_manager_is_loaded(FIRST));
  CHECK_EQUAL(policies[FIRST].state, 3);
  CHECK_EQUAL(started, before + 1);
  CHECK(policy_manager_replace(FIRST, SECOND));
  CHECK(!policy_manager_is_loaded(FIRST) && policy_manager_is_loaded(SECOND));
  CHECK(!policy_manager_replace(SECOND, POLICIES));
  CHECK(policy_manager_is_loaded(SECOND));
  CHECK(!policy_manager_replace(POLICIES, FIRST));
  CHECK(!policy_manager_is_loaded(FIRST));
  CHECK(!policy_manager_load(POLICIES) && !policy_manager_disable(POLICIES));
  CHECK(!policy_manager_is_loaded(POLICIES));
  CHECK(policy_manager_disable(SECOND));
  publish(temperature, 5);
  CHECK_EQUAL(told[SECOND], 0);
}
/*---------------------------------------------------------------------------*/
static void
single_rules_are_switched(void)
{
  node(1);
  CHECK(POLICY_RULE(&policies[FIRST], 1));
  CHECK(policy_manager_switch_rule(FIRST, 1, false));
  CHECK(!POLICY_RULE(&policies[FIRST], 1));
  CHECK(POLICY_RULE(&policies[FIRST], 0));
  CHECK(policy_manager_switch_rule(FIRST, 1, true));
  CHECK(POLICY_RULE(&policies[FIRST], 1));
  CHECK(!policy_manager_switch_rule(FIRST, 2, false));
  CHECK(!policy_manager_switch_rule(POLICIES, 0, false));
}
/*---------------------------------------------------------------------------*/
static bool deviates[2];

static void
ask_buffer(struct policy *self, struct policy_event *event)
{
  deviates[0] = sampling_buffer_deviate_delta(policy_int(event, 0), 3);
  deviates[1] = sampling_buffer_deviate_delta(policy_int(event, 0), 3);
}

static bool
deviate(int32_t value)
{
  publish(temperature, value);
  CHECK_EQUAL(deviates[0], deviates[1]);
  return deviates[0];
}

static void
a_sample_deviates_from_the_last_that_did(void)
{
  node(1);
  act = ask_buffer;
  CHECK(!deviate(20));
  CHECK(!deviate(23));
  CHECK(deviate(24));
  CHECK(!deviate(21));
  CHECK(deviate(20));
  CHECK(deviate(-32768));
  CHECK(deviate(32767));
  publish(alarms, -5); /* another topic's sample */
  CHECK(!deviates[0]);
  CHECK(!deviate(32766));
  CHECK(sampling_buffer_deviate_or_zero(5, 5, 3));
  CHECK(!sampling_buffer_deviate_or_zero(8, 5, 3));
  CHECK(sampling_buffer_deviate_or_zero(9, 5, 3));
  CHECK(!sampling_buffer_deviate_or_zero(4, 5, 3));
}
/*---------------------------------------------------------------------------*/
int
main(int argc, char **argv)
{
#define T(name) { #name, name }
  static const struct test tests[] = {
    T(accept_with_chooses_the_protocols),
    T(an_operation_is_not_given_to_the_policy_that_raised_it),
    T(an_action_goes_before_its_event),
    T(what_nobody_advertised_is_not_notified),
    T(actions_advertise_and_subscribe),
    T(the_other_operations_of_a_component_pass_its_point),
    T(an_event_from_another_mote_passes_three_points),
    T(topics_are_found_by_subject_and_by_what_pull_messages_know),
    T(subscriptions_pass_between_brokers),
    T(time_outs_come_when_no_event_does),
    T(a_time_out_that_changes_the_state_comes_once_in_a_silence),
    T(a_period_is_never_shorter_in_clock_ticks),
    T(a_timer_runs_from_when_its_state_was_entered),
    T(policies_are_loaded_disabled_and_replaced),
    T(single_rules_are_switched),
    T(a_sample_deviates_from_the_last_that_did),
    { 0 }
  };

  return host_main(tests, argc, argv);
}
