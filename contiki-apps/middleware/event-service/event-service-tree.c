/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include "contiki.h"
#include "event-service.h"
#include "event-service-binding.h"
#include "event-service-output.h"
#include "event-service-tree.h"
#if EVENT_SERVICE_TERMS > 0
#include "event-terms.h"
#endif
#include "pubsub-counters.h"
#include "pubsub-observer.h"

static uint16_t below[EVENT_SERVICE_BELOW];
static uint8_t below_count;

static struct {
  uint16_t mote; /* PUBSUB_NOBODY: free */
  pubsub_subject_t event;
#if EVENT_SERVICE_TERMS > 0
  uint8_t terms_length;
  uint8_t terms[EVENT_SERVICE_TERMS];
#endif
} subscriptions[EVENT_SERVICE_SUBSCRIPTIONS];
/*---------------------------------------------------------------------------*/
static bool
is_below(uint16_t mote)
{
  unsigned i;

  for(i = 0; i < below_count; i++) {
    if(below[i] == mote) {
      return true;
    }
  }
  return false;
}
/*---------------------------------------------------------------------------*/
bool
event_service_tree_learn(uint16_t origin)
{
  if(is_below(origin)) {
    return true;
  }
  if(below_count == EVENT_SERVICE_BELOW) {
    pubsub_counters.pool_exhausted++;
    return false;
  }
  below[below_count++] = origin;
  return true;
}
/*---------------------------------------------------------------------------*/
#if EVENT_SERVICE_BINDINGS > 0
bool
event_service_tree_concerns(const struct event_service_delivery *delivery)
{
  uint8_t i;

  for(i = 0; i < delivery->consumers; i++) {
    if(delivery->consumer[i] == event_service_place.mote || is_below(delivery->consumer[i])) {
      return true;
    }
  }
  return false;
}
#endif
/*---------------------------------------------------------------------------*/
static void
send_down(const struct event_service_delivery *delivery)
{
  uint8_t body[PUBSUB_FRAME_SIZE], type = PUBSUB_FRAME_DELIVERY;
  uint16_t length = event_service_delivery_encode(delivery, body,
                                                  PUBSUB_FRAME_SIZE - PUBSUB_FRAME_HEADER_SIZE);
#if EVENT_SERVICE_BINDINGS > 0
  uint16_t list = 1 + 2 * delivery->consumers;
  uint16_t shorter;

  if(length > 0) {
    shorter = list + event_service_binding_shorten(false, delivery->event.subject, body + list,
                                                   length - list);
    type = shorter < length ? PUBSUB_FRAME_BOUND_DELIVERY : PUBSUB_FRAME_DELIVERY;
    length = shorter;
  }
#endif
  event_service_send(type, PUBSUB_EVERYBODY, body, length, &delivery->event);
}
/*---------------------------------------------------------------------------*/
void
event_service_tree_deliver(struct event_service_delivery *delivery, uint16_t from)
{
  uint8_t i, further = 0;
  bool here = false;

  for(i = 0; i < delivery->consumers; i++) {
    if(delivery->consumer[i] == event_service_place.mote) {
      here = true;
    } else if(is_below(delivery->consumer[i])) {
      delivery->consumer[further++] = delivery->consumer[i];
    }
  }
  delivery->consumers = further;
  if((here || further > 0) && from != event_service_place.mote) {
    pubsub_counters.event_packets_received++;
    PUBSUB_OBSERVE(received, &delivery->event, from, 0);
  }
  if(further > 0) {
    send_down(delivery);
  }
  if(here) {
    event_service_consume(&delivery->event, from);
  }
}
/*---------------------------------------------------------------------------*/
bool
event_service_tree_register(const struct event_service_registration *r)
{
  int place = -1, i;

  for(i = 0; i < EVENT_SERVICE_SUBSCRIPTIONS; i++) {
    if(subscriptions[i].mote == r->origin && subscriptions[i].event == r->event) {
      place = i;
      break;
    }
    if(subscriptions[i].mote == PUBSUB_NOBODY && place < 0) {
      place = i;
    }
  }
  if(r->what == EVENT_SERVICE_SUBSCRIBE) {
    if(place < 0) {
      pubsub_counters.pool_exhausted++;
      return false;
    }
    subscriptions[place].mote = r->origin;
    subscriptions[place].event = r->event;
#if EVENT_SERVICE_TERMS > 0
    subscriptions[place].terms_length = r->terms_length;
    memcpy(subscriptions[place].terms, r->terms, r->terms_length);
#endif
  } else if(r->what == EVENT_SERVICE_DISCONNECT_CONSUMER
            && i < EVENT_SERVICE_SUBSCRIPTIONS) {
    subscriptions[i].mote = PUBSUB_NOBODY;
  }
  return true;
}
/*---------------------------------------------------------------------------*/
uint8_t
event_service_tree_consumers(const struct pubsub_event *event, uint16_t *consumers)
{
  uint8_t count = 0;
  unsigned i;

  for(i = 0; i < EVENT_SERVICE_SUBSCRIPTIONS && count < EVENT_SERVICE_CONSUMERS; i++) {
    if(subscriptions[i].mote != PUBSUB_NOBODY && subscriptions[i].event == event->subject
#if EVENT_SERVICE_TERMS > 0
       && event_terms_want(subscriptions[i].terms, subscriptions[i].terms_length,
                           event->data, event->length)
#endif
       ) {
      consumers[count++] = subscriptions[i].mote;
    }
  }
  return count;
}
/*---------------------------------------------------------------------------*/
void
event_service_tree_init(void)
{
  below_count = 0;
  memset(subscriptions, 0, sizeof(subscriptions)); /* PUBSUB_NOBODY's */
}
