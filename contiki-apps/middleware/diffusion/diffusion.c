/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include "contiki.h"
#include "diffusion.h"
#include "diffusion-flows.h"
#include "diffusion-gradients.h"
#include "diffusion-interests.h"
#include "diffusion-neighbours.h"
#include "pubsub-counters.h"
#include "pubsub-observer.h"
#include "pubsub-octets.h"

#define TYPE_ONE 6     /* an event for the next hop in the header */
#define TYPE_SEVERAL 7 /* an event after a list of next hops */

struct diffusion_counters diffusion_counters;

/* Who routes the subjects that no channel wants diffused; or NULL. */
static const struct pubsub_routing_driver *others;
/*---------------------------------------------------------------------------*/
static void
input(const struct pubsub_event *event, uint16_t from, uint16_t number,
      bool for_us)
{
  uint8_t topic = diffusion_topic_find(event->subject);

  if(topic != DIFFUSION_NO_TOPIC && from != pubsub_routing_self()) {
    diffusion_neighbours_overheard(from, topic, event);
  }
  if(!for_us || from == pubsub_routing_self()) {
    diffusion_counters.events_overheard++;
  } else if(topic == DIFFUSION_NO_TOPIC) {
    pubsub_counters.no_route++;
    PUBSUB_OBSERVE(dropped, "no-route", from, number);
  } else if(!diffusion_flows_remember(topic, event)) {
    diffusion_counters.events_duplicate++;
    PUBSUB_OBSERVE(dropped, "duplicate", from, number);
  } else {
    pubsub_routing_input(event, from, number);
  }
}
/*---------------------------------------------------------------------------*/
static bool
is_mote(uint16_t id)
{
  return id != PUBSUB_NOBODY && id < PUBSUB_SEVERAL;
}
/*---------------------------------------------------------------------------*/
static bool
input_one(uint16_t from, uint16_t next_hop, uint16_t number,
          const uint8_t *body, uint16_t length)
{
  struct pubsub_event event;

  if(!is_mote(from) || !is_mote(next_hop)
     || !pubsub_event_decode(&event, body, length)) {
    return false;
  }
  input(&event, from, number, next_hop == pubsub_routing_self());
  return true;
}
/*---------------------------------------------------------------------------*/
static bool
input_several(uint16_t from, uint16_t next_hop, uint16_t number,
              const uint8_t *body, uint16_t length)
{
  struct pubsub_event event;
  bool for_us = false;
  uint16_t size;
  unsigned i;

  if(!is_mote(from) || next_hop != PUBSUB_EVERYBODY || length == 0) {
    return false;
  }
  size = 1 + 2 * body[0];
  if(body[0] < 2 || length < size
     || !pubsub_event_decode(&event, body + size, length - size)) {
    return false;
  }
  for(i = 0; i < body[0]; i++) {
    uint16_t hop = octets_get16(body + 1 + 2 * i);
    if(!is_mote(hop)) {
      return false;
    }
    if(hop == pubsub_routing_self()) {
      for_us = true;
    }
  }
  input(&event, from, number, for_us);
  return true;
}
/*---------------------------------------------------------------------------*/
static struct pubsub_protocol one = { NULL, TYPE_ONE, NULL, input_one };
static struct pubsub_protocol several = {
  NULL, TYPE_SEVERAL, NULL, input_several
};
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
  struct diffusion_hop hops[DIFFUSION_MAX_GRADIENTS];
  uint8_t topic = diffusion_topic_find(event->subject);

  if(topic == DIFFUSION_NO_TOPIC) {
    return others != NULL ? others->next_hop(event, from) : PUBSUB_NOBODY;
  }
  return diffusion_gradients_hops(topic, from, hops) > 0 ? PUBSUB_SEVERAL
                                                         : PUBSUB_NOBODY;
}
/*---------------------------------------------------------------------------*/
/* The hops as frames: one with a list if it fits, else one for each hop. */
static void
transmit(const struct pubsub_event *event,
         const struct diffusion_hop *hops, uint8_t count)
{
  uint8_t list[1 + 2 * DIFFUSION_MAX_GRADIENTS] = { 0 };
  unsigned i;

  if(count > 1 && PUBSUB_FRAME_HEADER_SIZE + 1 + 2 * count
     + pubsub_event_size(event) <= PUBSUB_FRAME_SIZE) {
    list[0] = count;
    for(i = 0; i < count; i++) {
      octets_put16(list + 1 + 2 * i, hops[i].neighbour);
    }
    pubsub_routing_send_event(TYPE_SEVERAL, PUBSUB_EVERYBODY, list,
                              1 + 2 * count, event);
    return;
  }
  for(i = 0; i < count; i++) {
    pubsub_routing_send_event(TYPE_ONE, hops[i].neighbour, list, 0, event);
  }
}
/*---------------------------------------------------------------------------*/
static void
send(const struct pubsub_event *event, uint16_t from)
{
  struct diffusion_hop hops[DIFFUSION_MAX_GRADIENTS];
  uint8_t topic = diffusion_topic_find(event->subject);
  uint8_t count = diffusion_gradients_hops(topic, from, hops);
  uint8_t i, kept = 0;

  diffusion_flows_remember(topic, event); /* ours, should it come back */
  /*
   * Who was overheard with the event has it. But something must be sent: it is
   * what the mote that gave us the event listens for.
   */
  for(i = 0; i < count; i++) {
    if(!diffusion_neighbours_has(hops[i].neighbour, topic, event)) {
      hops[kept++] = hops[i];
    }
  }
  if(kept == 0 && count > 0) {
    hops[0].forwards = false;
    kept = 1;
  }
  transmit(event, hops, kept);
  for(i = 0; i < kept; i++) {
    if(hops[i].forwards) {
      diffusion_neighbours_await(hops[i].neighbour, topic, event);
    }
  }
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
const struct pubsub_routing_driver diffusion_routes = {
  "diffusion", is_neighbour, next_hop, subscription, send
};
/*---------------------------------------------------------------------------*/
void
diffusion_init(void)
{
  others = pubsub_routing_use(&diffusion_routes);
  if(others == &diffusion_routes) {
    others = NULL;
  }
  memset(&diffusion_counters, 0, sizeof(diffusion_counters));
  diffusion_gradients_init();
  diffusion_flows_init();
  diffusion_neighbours_init();
  diffusion_interests_init();
  pubsub_routing_add_protocol(&one);
  pubsub_routing_add_protocol(&several);
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
    /* Of several subscriptions on this mote the most frequent renewal counts. */
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
