/* SPDX-License-Identifier: Apache-2.0 */
/* The life of policies, and Figure 8. */
#include <string.h>
#include "contiki.h"
#include "policy-manager.h"

#define LOADED 1

struct policy_manager_present policy_manager_present;
struct policy_manager_counters policy_manager_counters;
uint16_t policy_manager_faults[POLICY_FAULTS];
const struct policy_manager_observer *policy_manager_observer;
const struct policy_manager_protocols *policy_manager_linked;

static struct policy *asked; /* whose rules are being executed */
/*---------------------------------------------------------------------------*/
void
policy_manager_init(const struct policy_manager_protocols *linked)
{
  uint8_t i;

  policy_manager_linked = linked;
  asked = NULL;
  policy_manager_observer = NULL;
  memset(&policy_manager_counters, 0, sizeof(policy_manager_counters));
  memset(policy_manager_faults, 0, sizeof(policy_manager_faults));
  for(i = 0; i < policy_count; i++) {
    policies[i].flags = 0;
  }
  policy_operations_init();
  policy_timeouts_init();
}
/*---------------------------------------------------------------------------*/
void
policy_fault(enum policy_fault what)
{
  policy_manager_faults[what]++;
}
/*---------------------------------------------------------------------------*/
uint16_t
policy_node_id(void)
{
  return pubsub_routing_self();
}
/*---------------------------------------------------------------------------*/
bool
policy_manager_is_loaded(uint8_t policy)
{
  return policy < policy_count && policies[policy].flags & LOADED;
}
/*---------------------------------------------------------------------------*/
bool
policy_manager_load(uint8_t policy)
{
  if(policy >= policy_count) {
    return false;
  }
  policies[policy].flags |= LOADED;
  policies[policy].state = policy_programs[policy].initial;
#if POLICY_SWITCHED_RULES
  policies[policy].disabled = 0;
#endif
  if(policy_programs[policy].start != NULL) {
    policy_programs[policy].start();
  }
  policy_timeouts_entered(&policies[policy]);
  return true;
}
/*---------------------------------------------------------------------------*/
bool
policy_manager_disable(uint8_t policy)
{
  if(policy >= policy_count) {
    return false;
  }
  policies[policy].flags &= ~LOADED;
  return true;
}
/*---------------------------------------------------------------------------*/
bool
policy_manager_replace(uint8_t policy, uint8_t by)
{
  return by < policy_count && policy_manager_disable(policy) && policy_manager_load(by);
}
/*---------------------------------------------------------------------------*/
#if POLICY_SWITCHED_RULES
bool
policy_manager_switch_rule(uint8_t policy, uint8_t rule, bool on)
{
  if(policy >= policy_count || rule >= policy_programs[policy].rules || rule > 31) {
    return false;
  }
  if(on) {
    policies[policy].disabled &= ~((uint32_t)1 << rule);
  } else {
    policies[policy].disabled |= (uint32_t)1 << rule;
  }
  return true;
}
#endif
/*---------------------------------------------------------------------------*/
struct policy *
policy_manager_asked(void)
{
  return asked;
}
/*---------------------------------------------------------------------------*/
enum policy_outcome
policy_manager_ask(const struct policy_entry *entry, struct policy_event *event)
{
  struct policy *before = asked, *policy = entry->policy;
  uint8_t state = policy->state;
  enum policy_outcome outcome;

  if(!(policy->flags & LOADED)) {
    return POLICY_NO_RULE;
  }
  asked = policy;
  outcome = entry->handler(policy, event);
  asked = before;
  if(outcome == POLICY_NO_RULE) {
    policy_manager_counters.policy_no_rule++;
  }
  if(policy->state != state) {
    policy_timeouts_entered(policy);
  }
  if(policy_manager_observer != NULL) {
    policy_manager_observer->asked(policy - policies, event, outcome, policy->state);
  }
  return outcome;
}
/*---------------------------------------------------------------------------*/
uint16_t
policy_manager_first_entry(uint8_t point, uint8_t topic)
{
  uint16_t low = 0, high = policy_entry_count, middle;

  while(low < high) {
    middle = (low + high) / 2;
    if(policy_entries[middle].point < point
       || (policy_entries[middle].point == point && policy_entries[middle].topic < topic)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}
/*---------------------------------------------------------------------------*/
/* The outcome of one policy that isn't `without` is counted. */
static void
collect(uint8_t *outcomes, const struct policy_entry *entry, struct policy_event *event,
        const struct policy *without)
{
  if(entry->policy != without) {
    policy_manager_present.topic = event->topic;
    outcomes[policy_manager_ask(entry, event)]++;
  }
}
/*---------------------------------------------------------------------------*/
bool
policy_manager_execute(struct policy_event *event, uint16_t first, const struct policy *without)
{
  uint8_t outcomes[POLICY_DISCARD + 1] = { 0 };
  bool accepts;
#if POLICY_BYTECODE
  struct policy_entry sent;
#endif

  policy_manager_counters.policy_events++;
  for(; first < policy_entry_count && policy_entries[first].point == event->point
      && policy_entries[first].topic == event->topic; first++) {
    collect(outcomes, &policy_entries[first], event, without);
  }
#if POLICY_BYTECODE
  if(policy_bytecode_entry(event->point, event->topic, &sent)) {
    collect(outcomes, &sent, event, without);
  }
#endif
  accepts = outcomes[POLICY_DISCARD] == 0;
  if(!accepts && outcomes[POLICY_ACCEPT] > 0) {
    accepts = policy_conflict_accepts(event, outcomes[POLICY_ACCEPT], outcomes[POLICY_DISCARD]);
  }
  if(accepts) {
    policy_manager_counters.policy_accepted++;
  } else {
    policy_manager_counters.policy_discarded++;
  }
  policy_operations_carry_out();
  return accepts;
}
