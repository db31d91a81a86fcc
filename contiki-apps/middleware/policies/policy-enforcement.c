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
  uint8_t low = 1, high = policy_topic_count, middle;

  while(low < high) {
    middle = (low + high) / 2;
    if(policy_subjects[middle] < subject) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < policy_topic_count && policy_subjects[low] == subject ? low : 0;
}
/*---------------------------------------------------------------------------*/
static uint8_t
topic_of_id(uint16_t id)
{
  uint8_t low = 0, high = policy_topic_count - 1, middle;

  while(low < high) {
    middle = (low + high) / 2;
    if(policy_topic_ids[middle].id == id) {
      return policy_topic_ids[middle].topic;
    }
    if(policy_topic_ids[middle].id < id) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return 0;
}
/*---------------------------------------------------------------------------*/
/* An event begins; its first entry, NULL if no policy has rules for it. One in bytecode
   has them elsewhere. */
static const struct policy_entry *
begin(struct policy_event *event, uint8_t point, uint8_t topic)
{
  const struct policy_entry *first = policy_manager_first_entry(POLICY_EVENT(point, topic));
#if POLICY_BYTECODE
  struct policy_entry sent;
#endif

  policy_timeouts_event();
  if(first->event != POLICY_EVENT(point, topic)
#if POLICY_BYTECODE
     && !policy_bytecode_entry(point, topic, &sent)
#endif
     ) {
    policy_operations_take_raiser();
    return NULL;
  }
  policy_manager_begin(event, point, topic);
  return first;
}
/*---------------------------------------------------------------------------*/
static bool
enforce(enum pubsub_direction direction, enum pubsub_operation operation, uint8_t topic)
{
  struct policy_event event;
  const struct policy_entry *first = begin(&event, POLICY_POINT(direction, operation), topic);

  return first == NULL
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
  return enforce(direction, operation, topic_of_id(id));
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
  const struct policy_entry *first = begin(&event, POLICY_POINT(direction, POLICY_NOTIFY),
                                           policy_manager_topic(published->subject));
  bool are_values;

  if(first == NULL) {
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
