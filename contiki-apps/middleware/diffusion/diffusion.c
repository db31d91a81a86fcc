/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include "contiki.h"
#include "lib/random.h"
#include "sys/rtimer.h"
#include "diffusion.h"
#include "diffusion-events.h"
#include "diffusion-flows.h"
#include "diffusion-gradients.h"
#include "diffusion-interests.h"
#include "diffusion-neighbours.h"
#include "pubsub-routing.h"

/* The driver that routes the subjects for which no channel wants diffusion; or
   NULL. */
static const struct pubsub_routing_driver *others;
/*---------------------------------------------------------------------------*/
static bool
is_neighbour(uint16_t mote)
{
  return others != NULL && others->is_neighbour(mote);
}
/*---------------------------------------------------------------------------*/
static uint16_t
next_hop(const struct pubsub_event *event, uint16_t from)
{
  if(diffusion_topic_find(event->subject) == DIFFUSION_NO_TOPIC) {
    return others != NULL ? others->next_hop(event, from) : PUBSUB_NOBODY;
  }
  return diffusion_events_subscribers(event, from) != 0 ? PUBSUB_SEVERAL
                                                        : PUBSUB_NOBODY;
}
/*---------------------------------------------------------------------------*/
static void
subscription(pubsub_subject_t subject, bool subscribed)
{
  if(diffusion_topic_find(subject) == DIFFUSION_NO_TOPIC
     && others != NULL && others->subscription != NULL) {
    others->subscription(subject, subscribed);
  }
}
/*---------------------------------------------------------------------------*/
static uint16_t
beside(const struct pubsub_event *event, unsigned contributors)
{
  if(diffusion_topic_find(event->subject) != DIFFUSION_NO_TOPIC) {
    return diffusion_events_beside(contributors);
  }
  return others != NULL && others->beside != NULL
    ? others->beside(event, contributors) : 0;
}
/*---------------------------------------------------------------------------*/
const struct pubsub_routing_driver diffusion_routes = {
  "diffusion", is_neighbour, next_hop, subscription, diffusion_events_send,
  beside
};
/*---------------------------------------------------------------------------*/
void
diffusion_init(void)
{
  others = pubsub_routing_use(&diffusion_routes);
  if(others == &diffusion_routes) {
    others = NULL;
  }
  pubsub_incarnation = DIFFUSION_INCARNATION();
  memset(&diffusion_counters, 0, sizeof(diffusion_counters));
  diffusion_gradients_init(diffusion_interests_tell);
  diffusion_flows_init();
  diffusion_neighbours_init();
  diffusion_interests_init();
  diffusion_events_init();
}
/*---------------------------------------------------------------------------*/
static bool
attach(struct pubsub_attribute *attribute, pubsub_subject_t subject)
{
  struct diffusion_attribute *self = (struct diffusion_attribute *)attribute;
  struct diffusion_topic *topic;

  self->topic = diffusion_topic_get(subject);
  if(self->topic == DIFFUSION_NO_TOPIC) {
    return false;
  }
  topic = &diffusion_topics[self->topic];
  topic->channels++;
  if(self->renewal > 0) {
    /* Of several subscriptions on this mote, the one with the most frequent
       renewal counts. */
    if(topic->subscriptions == 0 || self->renewal < topic->renewal) {
      topic->renewal = self->renewal;
    }
    if(topic->subscriptions++ == 0) {
      diffusion_interests_begin(self->topic);
    }
  }
  return true;
}
/*---------------------------------------------------------------------------*/
static void
detach(struct pubsub_attribute *attribute)
{
  struct diffusion_attribute *self = (struct diffusion_attribute *)attribute;
  struct diffusion_topic *topic = &diffusion_topics[self->topic];

  topic->channels--;
  if(self->renewal > 0 && --topic->subscriptions == 0) {
    diffusion_interests_end(self->topic);
  }
}
/*---------------------------------------------------------------------------*/
static const struct pubsub_attribute_type diffusion_attribute_type = {
  attach, detach
};
/*---------------------------------------------------------------------------*/
void
diffusion_publish(struct diffusion_attribute *attribute)
{
  memset(attribute, 0, sizeof(*attribute));
  attribute->attribute.type = &diffusion_attribute_type;
}
/*---------------------------------------------------------------------------*/
void
diffusion_subscribe(struct diffusion_attribute *attribute,
                    clock_time_t renewal)
{
  diffusion_publish(attribute);
  attribute->renewal = renewal > 0 ? renewal : 1;
}
