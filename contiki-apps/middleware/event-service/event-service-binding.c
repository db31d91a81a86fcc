/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include "contiki.h"
#include "event-service.h"
#include "event-service-binding.h"
#include "event-service-frames.h"
#include "event-service-output.h"
#include "event-service-renewal.h"
#include "pubsub-octets.h"

#if EVENT_SERVICE_BINDINGS > 0
struct event_service_binding_counters event_service_binding_counters;

static struct binding {
  pubsub_subject_t subject; /* 0: free */
  uint16_t above;           /* the parent's identifier */
  bool by_parent, by_us;    /* who bound it */
  bool whole;               /* somebody below lost it */
} bindings[EVENT_SERVICE_BINDINGS];
/*---------------------------------------------------------------------------*/
static struct binding *
find_or_take(pubsub_subject_t subject)
{
  struct binding *empty = NULL;
  unsigned i;

  for(i = 0; i < EVENT_SERVICE_BINDINGS; i++) {
    if(bindings[i].subject == subject) {
      return &bindings[i];
    }
    if(bindings[i].subject == 0 && empty == NULL) {
      empty = &bindings[i];
    }
  }
  if(empty != NULL) {
    empty->subject = subject;
  }
  return empty;
}
/*---------------------------------------------------------------------------*/
/* A subject's own identifier comes from its bytes, so that a mote that starts anew binds it
   as before. */
static struct binding *
bound_by_us(uint16_t identifier)
{
  unsigned i;

  for(i = 0; i < EVENT_SERVICE_BINDINGS; i++) {
    if(bindings[i].by_us && pubsub_subject_id(bindings[i].subject) == identifier) {
      return &bindings[i];
    }
  }
  return NULL;
}
/*---------------------------------------------------------------------------*/
static struct binding *
bound_by_parent(uint16_t identifier)
{
  unsigned i;

  for(i = 0; i < EVENT_SERVICE_BINDINGS; i++) {
    if(bindings[i].by_parent && bindings[i].above == identifier) {
      return &bindings[i];
    }
  }
  return NULL;
}
/*---------------------------------------------------------------------------*/
bool
event_service_binding_bind(pubsub_subject_t subject, uint16_t *identifier)
{
  struct binding *binding;

  if(!event_service_place.identifiers || subject == 0) {
    return false;
  }
  *identifier = pubsub_subject_id(subject);
  binding = bound_by_us(*identifier);
  if(binding != NULL && binding->subject != subject) {
    return false;
  }
  binding = find_or_take(subject);
  if(binding == NULL) {
    return false;
  }
  binding->by_us = true;
  binding->whole = false;
  return true;
}
/*---------------------------------------------------------------------------*/
void
event_service_binding_bound(pubsub_subject_t subject, uint16_t identifier)
{
  struct binding *binding = subject == 0 ? NULL : find_or_take(subject);

  if(binding != NULL) {
    binding->by_parent = true;
    binding->above = identifier;
  }
}
/*---------------------------------------------------------------------------*/
void
event_service_binding_forget_parent(void)
{
  unsigned i;

  for(i = 0; i < EVENT_SERVICE_BINDINGS; i++) {
    bindings[i].by_parent = false;
  }
}
/*---------------------------------------------------------------------------*/
uint16_t
event_service_binding_shorten(bool up, pubsub_subject_t subject, uint8_t *event,
                              uint16_t length)
{
  unsigned i;

  for(i = 0; i < EVENT_SERVICE_BINDINGS; i++) {
    if(bindings[i].subject == subject
       && (up ? bindings[i].by_parent : bindings[i].by_us && !bindings[i].whole)) {
      event_service_binding_counters.identifiers_sent++;
      return event_service_bound_event_shorten(
        event, length, up ? bindings[i].above : pubsub_subject_id(subject));
    }
  }
  return length;
}
/*---------------------------------------------------------------------------*/
bool
event_service_binding_read(bool up, uint16_t from, struct pubsub_event *event,
                           const uint8_t *bytes, uint16_t length, bool *known)
{
  struct binding *binding;
  uint16_t identifier;

  if(!event_service_bound_event_decode(event, &identifier, bytes, length)) {
    return false;
  }
  binding = up ? bound_by_us(identifier) : bound_by_parent(identifier);
  *known = binding != NULL;
  if(binding != NULL) {
    event->subject = binding->subject;
  } else {
    event_service_binding_counters.identifiers_unknown++;
    event_service_send(PUBSUB_FRAME_UNBOUND, from, bytes, PUBSUB_UNBOUND_BODY_FIXED_SIZE, NULL);
  }
  return true;
}
/*---------------------------------------------------------------------------*/
bool
event_service_unbound_input(uint16_t from, const uint8_t *body, uint16_t length)
{
  struct binding *binding;

  if(length != PUBSUB_UNBOUND_BODY_FIXED_SIZE) {
    return false;
  }
  if(from != event_service_place.parent) {
    binding = bound_by_us(pubsub_get16(body));
    if(binding != NULL) {
      binding->whole = true;
    }
  } else if((binding = bound_by_parent(pubsub_get16(body))) != NULL) {
    binding->by_parent = false;
    event_service_renew(binding->subject);
  }
  return true;
}
/*---------------------------------------------------------------------------*/
void
event_service_binding_init(void)
{
  memset(bindings, 0, sizeof(bindings));
}
#endif
