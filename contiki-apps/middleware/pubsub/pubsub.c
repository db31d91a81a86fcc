/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include "contiki.h"
#include "lib/list.h"
#include "lib/memb.h"
#include "pubsub.h"
#include "pubsub-counters.h"
#include "pubsub-enforcement.h"
#include "pubsub-observer.h"

#include "sys/log.h"
#define LOG_MODULE "PubSub"
#define LOG_LEVEL LOG_LEVEL_WARN

MEMB(publisher_pool, struct pubsub_publisher_channel,
     PUBSUB_MAX_PUBLISHER_CHANNELS);
MEMB(subscriber_pool, struct pubsub_subscriber_channel,
     PUBSUB_MAX_SUBSCRIBER_CHANNELS);
LIST(publishers);
LIST(subscribers);

uint16_t pubsub_incarnation;

static uint8_t publisher_index;
static uint16_t closed_at; /* the newest number of the channels closed so far */
/*---------------------------------------------------------------------------*/
static void *
allocate(struct memb *pool, const char *what)
{
  void *channel = memb_alloc(pool);

  if(channel == NULL) {
    pubsub_counters.pool_exhausted++;
    LOG_WARN("no %s channel left of %u\n", what, (unsigned)pool->num);
  }
  return channel;
}
/*---------------------------------------------------------------------------*/
static void
detach(struct pubsub_attribute *first, const struct pubsub_attribute *end)
{
  struct pubsub_attribute *attribute;

  for(attribute = first; attribute != end; attribute = attribute->next) {
    attribute->type->detach(attribute);
  }
}
/*---------------------------------------------------------------------------*/
/* Opens all attributes or none. */
static bool
attach(struct pubsub_attribute *first, pubsub_subject_t subject)
{
  struct pubsub_attribute *attribute;

  for(attribute = first; attribute != NULL; attribute = attribute->next) {
    if(!attribute->type->attach(attribute, subject)) {
      detach(first, attribute);
      return false;
    }
  }
  return true;
}
/*---------------------------------------------------------------------------*/
static bool
has_subscriber(pubsub_subject_t subject)
{
  struct pubsub_subscriber_channel *s;

  for(s = list_head(subscribers); s != NULL; s = list_item_next(s)) {
    if(s->subject == subject) {
      return true;
    }
  }
  return false;
}
/*---------------------------------------------------------------------------*/
static bool
deliver(const struct pubsub_event *event, uint16_t from)
{
  struct pubsub_subscriber_channel *s, *next;
  bool delivered = false;

#if PUBSUB_CONF_ENFORCEMENT
  struct pubsub_event passed;

  if(!has_subscriber(event->subject)) {
    return false;
  }
  passed = *event; /* policies may change what is notified here, not what is forwarded */
  if(!pubsub_enforce_notify(PUBSUB_B_TO_C, &passed, NULL)) {
    return true;
  }
  event = &passed;
#endif
  for(s = list_head(subscribers); s != NULL; s = next) {
    next = list_item_next(s); /* the callback may unsubscribe */
    if(s->subject == event->subject) {
      if(!delivered) {
        delivered = true;
        pubsub_counters.events_delivered++;
        PUBSUB_OBSERVE(delivered, event, from);
      }
      s->callback(event, from, s->context);
    }
  }
  return delivered;
}
/*---------------------------------------------------------------------------*/
void
pubsub_init(uint16_t self, uint8_t publisher,
            const struct pubsub_routing_driver *routes)
{
  memb_init(&publisher_pool);
  memb_init(&subscriber_pool);
  list_init(publishers);
  list_init(subscribers);
  publisher_index = publisher;
  pubsub_incarnation = 0;
  closed_at = 0;
  pubsub_routing_init(self, routes, deliver);
}
/*---------------------------------------------------------------------------*/
/* Numbers wrap round: a is the newer one if b is less than half a round behind. */
static uint16_t
newer(uint16_t a, uint16_t b)
{
  return (int16_t)(a - b) > 0 ? a : b;
}
/*---------------------------------------------------------------------------*/
struct pubsub_publisher_channel *
pubsub_publisher_of(pubsub_subject_t subject)
{
  struct pubsub_publisher_channel *c;

  for(c = list_head(publishers); c != NULL && c->subject != subject; c = c->next);
  return c;
}
/*---------------------------------------------------------------------------*/
struct pubsub_subscriber_channel *
pubsub_subscriber_of(pubsub_subject_t subject, pubsub_callback_t callback)
{
  struct pubsub_subscriber_channel *s;

  for(s = list_head(subscribers);
      s != NULL && (s->subject != subject || s->callback != callback); s = s->next);
  return s;
}
/*---------------------------------------------------------------------------*/
/* The number that a new channel of the subject goes on from. */
static uint16_t
newest(pubsub_subject_t subject)
{
  const struct pubsub_publisher_channel *c = pubsub_publisher_of(subject);

  return c != NULL ? c->sequence : closed_at;
}
/*---------------------------------------------------------------------------*/
/* The subject's next number, which its other open channels don't use again. */
static uint16_t
next_number(const struct pubsub_publisher_channel *channel)
{
  uint16_t number = channel->sequence + 1;
  struct pubsub_publisher_channel *c;

  for(c = list_head(publishers); c != NULL; c = c->next) {
    if(c->subject == channel->subject) {
      c->sequence = number;
    }
  }
  return number;
}
/*---------------------------------------------------------------------------*/
struct pubsub_publisher_channel *
pubsub_announce(pubsub_subject_t subject, struct pubsub_attribute *attributes)
{
  struct pubsub_publisher_channel *channel;

  if(!pubsub_enforce(PUBSUB_C_TO_B, PUBSUB_ADVERTISE, subject)) {
    return NULL;
  }
  channel = allocate(&publisher_pool, "publisher");
  if(channel == NULL) {
    return NULL;
  }
  if(!attach(attributes, subject)) {
    memb_free(&publisher_pool, channel);
    return NULL;
  }
  channel->subject = subject;
  channel->attributes = attributes;
  channel->sequence = newest(subject);
  list_add(publishers, channel);
  return channel;
}
/*---------------------------------------------------------------------------*/
bool
pubsub_publish_by(const struct pubsub_routing_driver *routes,
                  struct pubsub_publisher_channel *channel,
                  const void *data, uint8_t length, uint8_t flags)
{
  struct pubsub_event event;

  if(publisher_index == 0 || length > PUBSUB_MAX_DATA) {
    next_number(channel);
    LOG_WARN("nothing published: publisher %u, %u bytes\n",
             (unsigned)publisher_index, (unsigned)length);
    return false;
  }
  event.subject = channel->subject;
  event.flags = flags & PUBSUB_FLAGS;
  event.contributors = 1;
  event.length = length;
  memcpy(event.data, data, length);
  event.contributor[0].publisher = publisher_index;
  event.contributor[0].incarnation = pubsub_incarnation;
  if(!pubsub_enforce_notify(PUBSUB_C_TO_B, &event, &routes)) {
    return false;
  }
  event.contributor[0].sequence = next_number(channel);
  pubsub_counters.events_published++;
  PUBSUB_OBSERVE(published, &event);
  pubsub_routing_publish(routes, &event);
  return true;
}
/*---------------------------------------------------------------------------*/
bool
pubsub_publish(struct pubsub_publisher_channel *channel,
               const void *data, uint8_t length, uint8_t flags)
{
  return pubsub_publish_by(NULL, channel, data, length, flags);
}
/*---------------------------------------------------------------------------*/
void
pubsub_unannounce(struct pubsub_publisher_channel *channel)
{
  if(!pubsub_enforce(PUBSUB_C_TO_B, PUBSUB_UNADVERTISE, channel->subject)) {
    return;
  }
  detach(channel->attributes, NULL);
  closed_at = closed_at == 0 ? channel->sequence
    : newer(channel->sequence, closed_at);
  list_remove(publishers, channel);
  memb_free(&publisher_pool, channel);
}
/*---------------------------------------------------------------------------*/
struct pubsub_subscriber_channel *
pubsub_subscribe(pubsub_subject_t subject, pubsub_callback_t callback,
                 void *context, struct pubsub_attribute *attributes)
{
  struct pubsub_subscriber_channel *channel;
  bool first;

  if(!pubsub_enforce(PUBSUB_C_TO_B, PUBSUB_SUBSCRIBE, subject)) {
    return NULL;
  }
  first = !has_subscriber(subject);
  channel = allocate(&subscriber_pool, "subscriber");
  if(channel == NULL) {
    return NULL;
  }
  if(!attach(attributes, subject)) {
    memb_free(&subscriber_pool, channel);
    return NULL;
  }
  channel->subject = subject;
  channel->callback = callback;
  channel->context = context;
  channel->attributes = attributes;
  list_add(subscribers, channel);
  if(first) {
    pubsub_routing_subscription(subject, true);
  }
  return channel;
}
/*---------------------------------------------------------------------------*/
void
pubsub_unsubscribe(struct pubsub_subscriber_channel *channel)
{
  pubsub_subject_t subject = channel->subject;

  if(!pubsub_enforce(PUBSUB_C_TO_B, PUBSUB_UNSUBSCRIBE, subject)) {
    return;
  }
  detach(channel->attributes, NULL);
  list_remove(subscribers, channel);
  memb_free(&subscriber_pool, channel);
  if(!has_subscriber(subject)) {
    pubsub_routing_subscription(subject, false);
  }
}
