/* SPDX-License-Identifier: Apache-2.0 */
/* The publish/subscribe operations of actions: they wait until all policies of the
   present event have been asked. */
#include <string.h>
#include "contiki.h"
#include "policy-manager.h"
#include "pubsub.h"

/* One that waits; its arguments follow, as an event's data. */
struct operation {
  struct policy *of;
  uint8_t operation, topic, with, length;
};

static struct policy *raiser; /* whose operation is at its C-B point */
static uint8_t queue[POLICY_MANAGER_QUEUE];
static uint8_t queued;        /* bytes */
static bool is_operating;
/*---------------------------------------------------------------------------*/
void
policy_operations_init(void)
{
  raiser = NULL;
  queued = 0;
  is_operating = false;
}
/*---------------------------------------------------------------------------*/
const struct policy *
policy_operations_take_raiser(void)
{
  const struct policy *whose = raiser;

  raiser = NULL;
  return whose;
}
/*---------------------------------------------------------------------------*/
void
policy_operate(enum policy_operation operation, uint8_t topic, uint8_t with,
               uint8_t count, const struct policy_value *arguments)
{
  struct operation one = { policy_manager_asked(), operation, topic, with, 0 };
  uint8_t data[PUBSUB_MAX_DATA];

  one.length = policy_manager_encode(data, arguments, count);
  if(one.length == 0 && count > 0) {
    policy_manager_counters.policy_too_long++;
  } else if(queued + sizeof(one) + one.length > POLICY_MANAGER_QUEUE) {
    policy_fault(POLICY_FAULT_QUEUE);
  } else {
    memcpy(queue + queued, &one, sizeof(one));
    memcpy(queue + queued + sizeof(one), data, one.length);
    queued += sizeof(one) + one.length;
  }
}
/*---------------------------------------------------------------------------*/
/* Where a policy subscribed, policies are told of the event, and no component. */
static void
arrived(const struct pubsub_event *event, uint16_t from, void *context)
{
}
/*---------------------------------------------------------------------------*/
static void
notify(const struct operation *one, const uint8_t *data,
       struct pubsub_publisher_channel *channel)
{
  if(channel == NULL) {
    policy_manager_counters.policy_not_advertised++;
  } else {
    pubsub_publish_by(policy_manager_routes(one->with, NULL), channel, data, one->length,
                      one->with & POLICY_WITH_RELIABLE_CPC ? PUBSUB_RELIABLE : 0);
  }
}
/*---------------------------------------------------------------------------*/
static void
subscribe(const struct operation *one, pubsub_subject_t subject,
          struct pubsub_subscriber_channel *channel, bool subscribed)
{
  const struct pubsub_routing_driver *routes = policy_manager_routes(one->with, NULL);

  if(subscribed && channel == NULL) {
    channel = pubsub_subscribe(subject, arrived, NULL, NULL);
  } else if(!subscribed && channel != NULL) {
    pubsub_unsubscribe(channel);
  }
  if(channel != NULL && routes != NULL && routes->subscription != NULL) {
    routes->subscription(subject, subscribed);
  }
}
/*---------------------------------------------------------------------------*/
static void
carry_out(const struct operation *one, const uint8_t *data)
{
  pubsub_subject_t subject = policy_subjects[one->topic];
  struct pubsub_publisher_channel *channel = pubsub_publisher_of(subject);

  policy_manager_counters.policy_operations++;
  raiser = one->of;
  switch(one->operation) {
  case POLICY_NOTIFY:
    notify(one, data, channel);
    break;
  case POLICY_ADVERTISE:
    if(channel == NULL) {
      pubsub_announce(subject, NULL);
    }
    break;
  case POLICY_UNADVERTISE:
    if(channel != NULL) {
      pubsub_unannounce(channel);
    }
    break;
  default:
    subscribe(one, subject, pubsub_subscriber_of(subject, arrived),
              one->operation == POLICY_SUBSCRIBE);
  }
  raiser = NULL;
}
/*---------------------------------------------------------------------------*/
void
policy_operations_carry_out(void)
{
  uint8_t done = 0, data[PUBSUB_MAX_DATA];
  struct operation one;

  if(is_operating) {
    return;
  }
  is_operating = true;
  for(; queued > 0 && done < POLICY_MANAGER_MOST_OPERATIONS; done++) {
    memcpy(&one, queue, sizeof(one));
    memcpy(data, queue + sizeof(one), one.length);
    queued -= sizeof(one) + one.length;
    memmove(queue, queue + sizeof(one) + one.length, queued);
    carry_out(&one, data);
  }
  if(queued > 0) {
    policy_fault(POLICY_FAULT_QUEUE);
    queued = 0;
  }
  is_operating = false;
}
