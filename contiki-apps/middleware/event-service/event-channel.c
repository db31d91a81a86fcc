/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include "contiki.h"
#include "event-channel.h"
#include "event-service-renewal.h"
#include "event-service-requests.h"
#include "event-service-tree.h"
#include "event-service-up.h"
#include "event-service.h"
#include "pubsub-counters.h"
#include "pubsub-observer.h"

static struct channel {
  bool supplies, consumes; /* neither: free */
  pubsub_subject_t event;
  uint16_t sequence;
  const struct push_supplier *supplier;
  const struct push_consumer *consumer;
} channels[EVENT_SERVICE_CHANNELS];
/*---------------------------------------------------------------------------*/
static struct channel *
find(pubsub_subject_t event)
{
  unsigned i;

  for(i = 0; i < EVENT_SERVICE_CHANNELS; i++) {
    if((channels[i].supplies || channels[i].consumes) && channels[i].event == event) {
      return &channels[i];
    }
  }
  return NULL;
}
/*---------------------------------------------------------------------------*/
static struct channel *
find_or_take(pubsub_subject_t event)
{
  struct channel *channel = find(event);
  unsigned i;

  for(i = 0; channel == NULL && i < EVENT_SERVICE_CHANNELS; i++) {
    if(!channels[i].supplies && !channels[i].consumes) {
      channel = &channels[i];
      channel->event = event;
      channel->sequence = 0;
    }
  }
  if(channel == NULL) {
    pubsub_counters.pool_exhausted++;
  }
  return channel;
}
/*---------------------------------------------------------------------------*/
static bool
call(uint8_t what, pubsub_subject_t event, const uint8_t *terms, uint8_t length)
{
  struct event_service_registration registration = {
    what, event_service_place.mote, event
  };

#if EVENT_SERVICE_TERMS > 0
  if(length > EVENT_SERVICE_TERMS) {
    return false;
  }
  registration.terms_length = length;
  if(length > 0) {
    memcpy(registration.terms, terms, length);
  }
#endif
  if(!event_service_up_register(&registration)) {
    return false;
  }
  event_service_renewal_note(&registration);
  return true;
}
/*---------------------------------------------------------------------------*/
static bool
advertise(pubsub_subject_t event, const struct push_supplier *supplier,
          const uint8_t *terms, uint8_t length)
{
  struct channel *channel = find_or_take(event);

  if(channel == NULL || !call(EVENT_SERVICE_ADVERTISE, event, terms, length)) {
    return false;
  }
  channel->supplies = true;
  channel->supplier = supplier;
  return true;
}
/*---------------------------------------------------------------------------*/
static bool
subscribe(pubsub_subject_t event, const struct push_consumer *consumer,
          const uint8_t *terms, uint8_t length)
{
  struct channel *channel = find_or_take(event);

  if(channel == NULL || !call(EVENT_SERVICE_SUBSCRIBE, event, terms, length)) {
    return false;
  }
  channel->consumes = true;
  channel->consumer = consumer;
  return true;
}
/*---------------------------------------------------------------------------*/
bool
event_channel_advertise(pubsub_subject_t event, const struct push_supplier *supplier)
{
  return advertise(event, supplier, NULL, 0);
}
/*---------------------------------------------------------------------------*/
bool
event_channel_subscribe(pubsub_subject_t event, const struct push_consumer *consumer)
{
  return subscribe(event, consumer, NULL, 0);
}
/*---------------------------------------------------------------------------*/
#if EVENT_SERVICE_TERMS > 0
bool
event_channel_advertise_with(pubsub_subject_t event, const struct push_supplier *supplier,
                             const uint8_t *terms, uint8_t length)
{
  return advertise(event, supplier, terms, length);
}
/*---------------------------------------------------------------------------*/
bool
event_channel_subscribe_with(pubsub_subject_t event, const struct push_consumer *consumer,
                             const uint8_t *terms, uint8_t length)
{
  return subscribe(event, consumer, terms, length);
}
/*---------------------------------------------------------------------------*/
bool
event_channel_listen(pubsub_subject_t event, const struct push_consumer *consumer)
{
  struct channel *channel = find_or_take(event);

  if(channel == NULL) {
    return false;
  }
  channel->consumes = true;
  channel->consumer = consumer;
  return true;
}
/*---------------------------------------------------------------------------*/
#endif
bool
push_supplier_disconnect(pubsub_subject_t event)
{
  struct channel *channel = find(event);

  if(channel == NULL || !channel->supplies
     || !call(EVENT_SERVICE_DISCONNECT_SUPPLIER, event, NULL, 0)) {
    return false;
  }
  channel->supplies = false;
  if(channel->supplier != NULL && channel->supplier->disconnect != NULL) {
    channel->supplier->disconnect(event);
  }
  return true;
}
/*---------------------------------------------------------------------------*/
bool
push_consumer_disconnect(pubsub_subject_t event)
{
  struct channel *channel = find(event);

  if(channel == NULL || !channel->consumes
     || !call(EVENT_SERVICE_DISCONNECT_CONSUMER, event, NULL, 0)) {
    return false;
  }
  channel->consumes = false;
  if(channel->consumer->disconnect != NULL) {
    channel->consumer->disconnect(event);
  }
  return true;
}
/*---------------------------------------------------------------------------*/
bool
push_consumer_push(pubsub_subject_t event, const uint8_t *data, uint8_t length)
{
  struct channel *channel = find(event);
  struct pubsub_event pushed = {
    .subject = event, .contributors = 1, .length = length,
    .contributor = { { .publisher = event_service_place.publisher } }
  };

  if(channel == NULL || !channel->supplies || length > PUBSUB_MAX_DATA
     || event_service_place.publisher == 0) {
    return false;
  }
  memcpy(pushed.data, data, length);
  pushed.contributor[0].sequence = ++channel->sequence;
  pubsub_counters.events_published++;
  PUBSUB_OBSERVE(published, &pushed);
  event_service_up_push(&pushed);
  return true;
}
/*---------------------------------------------------------------------------*/
void
event_service_consume(const struct pubsub_event *event, uint16_t from)
{
  struct channel *channel = find(event->subject);

  if(channel != NULL && channel->consumes) {
    pubsub_counters.events_delivered++;
    PUBSUB_OBSERVE(delivered, event, from);
    channel->consumer->push(event, from);
  }
}
