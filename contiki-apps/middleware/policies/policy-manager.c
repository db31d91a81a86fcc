/* SPDX-License-Identifier: Apache-2.0 */
/* The life of policies, and Figure 8. */
#include <string.h>
#include "contiki.h"
#include "policy-manager.h"

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
  return policy < policy_count && policies[policy].flags & POLICY_LOADED;
}
/*---------------------------------------------------------------------------*/
bool
policy_manager_load(uint8_t policy)
{
  const struct policy_program *program;
  struct policy *one;

  if(policy >= policy_count) {
    return false;
  }
  program = &policy_programs[policy];
  one = &policies[policy];
  one->flags = POLICY_LOADED;
  one->state = program->initial;
#if POLICY_SWITCHED_RULES
  one->disabled = 0;
#endif
  if(program->start != NULL) {
    program->start();
  }
  policy_timeouts_begin(one, true);
  return true;
}
/*---------------------------------------------------------------------------*/
bool
policy_manager_disable(uint8_t policy)
{
  if(policy >= policy_count) {
    return false;
  }
  policies[policy].flags = 0;
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
void
policy_manager_begin(struct policy_event *event, uint8_t point, uint8_t topic)
{
  policy_manager_present.number++;
  policy_manager_present.topic = topic;
  event->point = point;
  event->topic = topic;
  event->with = 0;
  event->count = 0;
  event->changed = false;
}
/*---------------------------------------------------------------------------*/
enum policy_outcome
policy_manager_ask(struct policy *policy, policy_handler_t handler, struct policy_event *event)
{
  uint8_t state = policy->state;
  enum policy_outcome outcome;

  if(!(policy->flags & POLICY_LOADED)) {
    return POLICY_NO_RULE;
  }
  asked = policy;
  outcome = handler(policy, event);
  asked = NULL;
  if(outcome == POLICY_NO_RULE) {
    policy_manager_counters.policy_no_rule++;
  }
  if(policy->state != state) {
    policy_timeouts_begin(policy, false);
  }
  if(policy_manager_observer != NULL) {
    policy_manager_observer->asked(policy - policies, event, outcome, policy->state);
  }
  return outcome;
}
/*---------------------------------------------------------------------------*/
const struct policy_entry *
policy_manager_first_entry(uint16_t event)
{
  const struct policy_entry *first = policy_entries, *middle;
  uint16_t many = policy_entry_count;

  while(many > 0) {
    middle = first + many / 2;
    if(middle->event < event) {
      first = middle + 1;
      many--;
    }
    many /= 2;
  }
  return first;
}
/*---------------------------------------------------------------------------*/
bool
policy_manager_execute(struct policy_event *event, const struct policy_entry *entry,
                       const struct policy *without)
{
  uint8_t outcomes[POLICY_DISCARD + 1] = { 0 };
  uint16_t key = POLICY_EVENT(event->point, event->topic);
  bool accepts;
#if POLICY_BYTECODE
  struct policy_entry sent;
#endif

  policy_manager_counters.policy_events++;
  for(; entry->event == key; entry++) {
    if(entry->policy != without) {
      outcomes[policy_manager_ask(entry->policy, entry->handler, event)]++;
    }
  }
#if POLICY_BYTECODE
  if(policy_bytecode_entry(event->point, event->topic, &sent) && sent.policy != without) {
    outcomes[policy_manager_ask(sent.policy, sent.handler, event)]++;
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
