/* SPDX-License-Identifier: Apache-2.0 */
/* The conflict manager (4.2): the strategy of the event decides. */
#include "policy-manager.h"

uint8_t (*policy_conflict_charge)(void);
/*---------------------------------------------------------------------------*/
static bool
decide(const struct policy_conflict *conflict, uint8_t accepts, uint8_t discards)
{
  switch(conflict->strategy) {
  case POLICY_STRATEGY_TOLERATE:
    return 100u * discards < conflict->value * (unsigned)(accepts + discards);
  case POLICY_STRATEGY_TABLE:
    return conflict->value == POLICY_ACCEPT;
  case POLICY_STRATEGY_BATTERY:
    return policy_conflict_charge != NULL && policy_conflict_charge() >= conflict->value;
  default:
    return false;
  }
}
/*---------------------------------------------------------------------------*/
bool
policy_conflict_accepts(const struct policy_event *event, uint8_t accepts, uint8_t discards)
{
  bool accepted = false; /* the default strategy: there is a discard */
  uint16_t key = POLICY_EVENT(event->point, event->topic);
  uint8_t i;

  policy_manager_counters.policy_conflicts_met++;
  for(i = 0; i < policy_conflict_count; i++) {
    if(policy_conflicts[i].event == key) {
      accepted = decide(&policy_conflicts[i], accepts, discards);
      break;
    }
  }
  if(policy_manager_observer != NULL) {
    policy_manager_observer->decided(event, accepts, discards, accepted);
  }
  return accepted;
}
