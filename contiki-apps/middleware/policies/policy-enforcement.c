/* SPDX-License-Identifier: Apache-2.0 */
/* What pubsub's enforcement points ask, where a project sets them. */
#include "contiki.h"
#include "policy-manager.h"

#undef PUBSUB_CONF_ENFORCEMENT
#define PUBSUB_CONF_ENFORCEMENT 1
#include "pubsub-enforcement.h"

_Static_assert((int)POLICY_C_B == PUBSUB_C_TO_B && (int)POLICY_EXTB_B == PUBSUB_EXTB_TO_B
               && (int)POLICY_UNSUBSCRIBE == PUBSUB_UNSUBSCRIBE, "the same numbers");
/*---------------------------------------------------------------------------*/
uint8_t
policy_manager_topic(pubsub_subject_t subject)
{
  uint8_t topic;

  for(topic = 1; topic < policy_topic_count; topic++) {
    if(policy_subjects[topic] == subject) {
      return topic;
    }
  }
  return 0;
}
/*---------------------------------------------------------------------------*/
/* Whether a policy has rules for it; those that are compiled in begin at `first`. */
static bool
concerns_any(uint8_t point, uint8_t topic, uint16_t first)
{
#if POLICY_BYTECODE
  struct policy_entry sent;

  if(policy_bytecode_entry(point, topic, &sent)) {
    return true;
  }
#endif
  return first < policy_entry_count && policy_entries[first].point == point
    && policy_entries[first].topic == topic;
}
/*---------------------------------------------------------------------------*/
/* An event begins: its point, its topic, and its first entry, if it has one. */
static bool
begin(struct policy_event *event, uint8_t point, uint8_t topic, uint16_t *first)
{
  policy_timeouts_event();
  *first = policy_manager_first_entry(point, topic);
  if(topic == 0 || !concerns_any(point, topic, *first)) {
    policy_operations_take_raiser();
    return false;
  }
  policy_manager_present.number++;
  event->point = point;
  event->topic = topic;
  event->with = 0;
  event->count = 0;
  event->changed = false;
  return true;
}
/*---------------------------------------------------------------------------*/
static bool
enforce(enum pubsub_direction direction, enum pubsub_operation operation, uint8_t topic)
{
  struct policy_event event;
  uint16_t first;

  return !begin(&event, POLICY_POINT(direction, operation), topic, &first)
    || policy_manager_execute(&event, first, policy_operations_take_raiser());
}
/*---------------------------------------------------------------------------*/
bool
pubsub_enforce(enum pubsub_direction direction,
               enum pubsub_operation operation, pubsub_subject_t subject)
{
  return enforce(direction, operation, policy_manager_topic(subject));
}
/*---------------------------------------------------------------------------*/
bool
pubsub_enforce_id(enum pubsub_direction direction,
                  enum pubsub_operation operation, uint16_t id)
{
  uint8_t topic = policy_topic_count;

  while(--topic > 0 && pubsub_subject_id(policy_subjects[topic]) != id);
  return enforce(direction, operation, topic);
}
/*---------------------------------------------------------------------------*/
const struct pubsub_routing_driver *
policy_manager_routes(uint8_t with, const struct pubsub_routing_driver *otherwise)
{
  const struct pubsub_routing_driver *routes =
    with & POLICY_WITH_PUSH_DPC ? policy_manager_linked->push : policy_manager_linked->pull;

  if(!(with & (POLICY_WITH_PUSH_DPC | POLICY_WITH_PULL_DPC))) {
    return otherwise;
  }
  if(routes == NULL) {
    policy_manager_counters.policy_not_linked++;
    return otherwise;
  }
  return routes;
}
/*---------------------------------------------------------------------------*/
bool
pubsub_enforce_notify(enum pubsub_direction direction, struct pubsub_event *published,
                      const struct pubsub_routing_driver **routes)
{
  struct policy_event event;
  uint16_t first;
  bool are_values;

  if(!begin(&event, POLICY_POINT(direction, POLICY_NOTIFY),
            policy_manager_topic(published->subject), &first)) {
    return true;
  }
  are_values = policy_manager_decode(event.arguments, &event.count,
                                     published->data, published->length);
  if(!policy_manager_execute(&event, first, policy_operations_take_raiser())) {
    return false;
  }
  if(are_values && event.changed) {
    published->length = policy_manager_encode(published->data, event.arguments, event.count);
    if(published->length == 0 && event.count > 0) {
      policy_manager_counters.policy_too_long++;
      return false;
    }
  }
  if(routes != NULL) {
    *routes = policy_manager_routes(event.with, *routes);
    if(event.with & POLICY_WITH_RELIABLE_CPC) {
      published->flags |= PUBSUB_RELIABLE;
    }
  }
  return true;
}
