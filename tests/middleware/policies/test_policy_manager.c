/* SPDX-License-Identifier: Apache-2.0 */
/* The policy manager: which policies are asked, conflicts, values. */
#include <stdlib.h>
#include "managed_node.h"
/*---------------------------------------------------------------------------*/
static void
no_policy_accepts(void)
{
  node(0);
  CHECK(publish(temperature, 5));
  CHECK_EQUAL(host_sent_frames, 1);
  CHECK_EQUAL(told[FIRST] + told[SECOND] + told[THIRD], 0);
  CHECK_EQUAL(policy_manager_counters.policy_no_rule, 0);
}
/*---------------------------------------------------------------------------*/
static void
each_policy_is_asked_and_one_discard_is_enough(void)
{
  node(7);
  CHECK(publish(temperature, 5));
  CHECK_EQUAL(told[FIRST] * 100 + told[SECOND] * 10 + told[THIRD], 111);
  CHECK_EQUAL(last.arguments[0].as.number, 5);
  CHECK_EQUAL(policy_manager_counters.policy_conflicts_met, 0);
  say[FIRST] = POLICY_DISCARD;
  CHECK(!publish(temperature, 5));
  CHECK_EQUAL(told[THIRD], 2);
  CHECK_EQUAL(policy_manager_counters.policy_conflicts_met, 1);
  say[SECOND] = say[THIRD] = POLICY_DISCARD;
  CHECK(!publish(temperature, 5));
  CHECK_EQUAL(policy_manager_counters.policy_conflicts_met, 1); /* they agree */
  CHECK_EQUAL(host_sent_frames, 1);
}
/*---------------------------------------------------------------------------*/
/* A discarded event leaves no gap in the sequence numbers that subscribers see. */
static void
a_discarded_event_has_no_number(void)
{
  node(1);
  say[FIRST] = POLICY_DISCARD;
  CHECK(!publish(temperature, 5));
  say[FIRST] = POLICY_ACCEPT;
  CHECK(publish(temperature, 5));
  CHECK_EQUAL(host_event(0).contributor[0].sequence, 1);
  CHECK_EQUAL(pubsub_counters.events_published, 1);
}
/*---------------------------------------------------------------------------*/
static void
policies_without_a_rule_that_matches_accept(void)
{
  node(7);
  say[FIRST] = say[SECOND] = say[THIRD] = POLICY_NO_RULE;
  CHECK(publish(temperature, 5));
  CHECK_EQUAL(policy_manager_counters.policy_no_rule, 3);
  say[SECOND] = POLICY_DISCARD;
  CHECK(!publish(temperature, 5));
  CHECK_EQUAL(policy_manager_counters.policy_conflicts_met, 0);
}
/*---------------------------------------------------------------------------*/
static bool
with_strategy(enum policy_strategy strategy, uint8_t value)
{
  conflict = (struct policy_conflict) {
    POLICY_EVENT(POLICY_POINT(POLICY_C_B, POLICY_NOTIFY), TEMPERATURE), strategy, value
  };
  return publish(temperature, 5);
}

static uint8_t charge;

static uint8_t
charge_left(void)
{
  return charge;
}

static void
conflicts_go_by_the_strategy_of_the_event(void)
{
  node(7);
  say[FIRST] = POLICY_DISCARD; /* one of three: 33.3 % */
  CHECK(!with_strategy(POLICY_STRATEGY_DEFAULT, 0));
  CHECK(!with_strategy(POLICY_STRATEGY_TOLERATE, 33));
  CHECK(with_strategy(POLICY_STRATEGY_TOLERATE, 34));
  CHECK(with_strategy(POLICY_STRATEGY_TABLE, POLICY_ACCEPT));
  CHECK(!with_strategy(POLICY_STRATEGY_TABLE, POLICY_DISCARD));
  CHECK(!with_strategy(POLICY_STRATEGY_BATTERY, 20)); /* nobody knows it */
  policy_conflict_charge = charge_left;
  charge = 19;
  CHECK(!with_strategy(POLICY_STRATEGY_BATTERY, 20));
  charge = 20;
  CHECK(with_strategy(POLICY_STRATEGY_BATTERY, 20));
  conflict.event = POLICY_EVENT(POLICY_POINT(POLICY_C_B, POLICY_NOTIFY), ALARM); /* it is another event's */
  CHECK(!publish(temperature, 5));
  say[FIRST] = POLICY_ACCEPT; /* there is no conflict and nothing to decide */
  CHECK(with_strategy(POLICY_STRATEGY_TABLE, POLICY_DISCARD));
}
/*---------------------------------------------------------------------------*/
static void
change_it(struct policy *self, struct policy_event *event)
{
  event->arguments[0] = policy_number_value(70000);
  event->changed = true;
}

static void
accept_may_change_the_arguments(void)
{
  static const uint8_t changed[] = { 4, 0x70, 0x11, 0x01, 0x00 };

  node(1);
  act = change_it;
  CHECK(publish(temperature, 5));
  CHECK_EQUAL(host_event(0).length, sizeof(changed));
  CHECK(memcmp(host_event(0).data, changed, sizeof(changed)) == 0);
}
/*---------------------------------------------------------------------------*/
static void
seal_too_much(struct policy *self, struct policy_event *event)
{
  event->count = 3;
  event->changed = true;
  event->arguments[0].kind = event->arguments[1].kind = event->arguments[2].kind = POLICY_SEALED;
}

static void
arguments_that_fit_no_event_discard_it(void)
{
  node(1);
  act = seal_too_much;
  CHECK(!publish(temperature, 5));
  CHECK_EQUAL(policy_manager_counters.policy_too_long, 1);
}
/*---------------------------------------------------------------------------*/
/* A component that knows nothing of values keeps its data; policies see none. */
static void
other_data_passes_as_it_is(void)
{
  node(1);
  CHECK(pubsub_publish(temperature, "\x09xyz", 4, 0));
  CHECK_EQUAL(last.count, 0);
  CHECK_EQUAL(host_event(0).length, 4);
  CHECK(memcmp(host_event(0).data, "\x09xyz", 4) == 0);
}
/*---------------------------------------------------------------------------*/
static void
values_are_written_and_read(void)
{
  static const int32_t numbers[] = {
    0, -1, 127, 128, -128, -129, 32767, 32768, -32768, -32769, INT32_MAX, INT32_MIN
  };
  struct policy_value value, read[POLICY_ARGUMENTS];
  uint8_t data[PUBSUB_MAX_DATA], length, count, i;

  for(i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
    value = policy_number_value(numbers[i]);
    length = policy_manager_encode(data, &value, 1);
    CHECK_EQUAL(length, i < 3 || i == 4 ? 2 : i < 7 || i == 8 ? 3 : 5);
    CHECK(policy_manager_decode(read, &count, data, length));
    CHECK_EQUAL(count, 1);
    CHECK_EQUAL(read[0].kind, POLICY_NUMBER);
    CHECK_EQUAL(read[0].as.number, numbers[i]);
  }
  value = policy_real_value(-1.5f);
  CHECK(policy_manager_decode(read, &count, data, policy_manager_encode(data, &value, 1)));
  CHECK(read[0].kind == POLICY_REAL && read[0].as.real == -1.5f);
  memset(value.as.sealed.octets, 0xa5, POLICY_SEALED_SIZE);
  value.kind = POLICY_SEALED;
  CHECK(policy_manager_decode(read, &count, data, policy_manager_encode(data, &value, 1)));
  CHECK(read[0].kind == POLICY_SEALED && read[0].as.sealed.octets[POLICY_SEALED_SIZE - 1] == 0xa5);
  /* cut short; of no known kind; more than there is room for */
  CHECK(!policy_manager_decode(read, &count, data, POLICY_SEALED_SIZE));
  CHECK(!policy_manager_decode(read, &count, (const uint8_t *)"\x03xyz", 4));
  CHECK(!policy_manager_decode(read, &count, (const uint8_t *)"\1\1\1\1\1\1\1\1\1\1", 10));
  CHECK_EQUAL(count, POLICY_ARGUMENTS);
}
/*---------------------------------------------------------------------------*/
/* The sanitizers see what is read past the data; each octet of it is counted. */
static void
whatever_arrives_is_values_or_is_not(void)
{
  struct policy_value read[POLICY_ARGUMENTS];
  uint8_t count, length, i, again[PUBSUB_MAX_DATA];
  unsigned round, taken = 0;

  srand(1);
  for(round = 0; round < 20000; round++) {
    length = rand() % (PUBSUB_MAX_DATA + 1);
    uint8_t *data = malloc(length == 0 ? 1 : length);
    for(i = 0; i < length; i++) {
      data[i] = rand() % 3 == 0 ? rand() % 8 : rand();
    }
    memset(read, 0, sizeof(read));
    if(policy_manager_decode(read, &count, data, length)) {
      taken++;
      CHECK(policy_manager_encode(again, read, count) <= length); /* in the least room */
      CHECK((count == 0) == (length == 0));
    }
    CHECK(count <= POLICY_ARGUMENTS);
    free(data);
  }
  CHECK(taken > 100);
}
/*---------------------------------------------------------------------------*/
int
main(int argc, char **argv)
{
#define T(name) { #name, name }
  static const struct test tests[] = {
    T(no_policy_accepts),
    T(each_policy_is_asked_and_one_discard_is_enough),
    T(a_discarded_event_has_no_number),
    T(policies_without_a_rule_that_matches_accept),
    T(conflicts_go_by_the_strategy_of_the_event),
    T(accept_may_change_the_arguments),
    T(arguments_that_fit_no_event_discard_it),
    T(other_data_passes_as_it_is),
    T(values_are_written_and_read),
    T(whatever_arrives_is_values_or_is_not),
    { 0 }
  };

  return host_main(tests, argc, argv);
}
