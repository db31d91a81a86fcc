/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include "contiki.h"
#include "event-service-frames.h"
#if EVENT_SERVICE_TERMS > 0
#include "event-terms.h"
#endif
#include "pubsub-octets.h"
#include "pubsub-routing.h"
/*---------------------------------------------------------------------------*/
static uint8_t *
put_subject(uint8_t *at, pubsub_subject_t subject)
{
  at = pubsub_put32(at, (uint32_t)subject);
  return pubsub_put32(at, (uint32_t)(subject >> 32));
}
/*---------------------------------------------------------------------------*/
static pubsub_subject_t
get_subject(const uint8_t *at)
{
  return pubsub_get32(at) | (pubsub_subject_t)pubsub_get32(at + 4) << 32;
}
/*---------------------------------------------------------------------------*/
uint16_t
event_service_registration_encode(const struct event_service_registration *r,
                                  uint8_t body[EVENT_SERVICE_REGISTRATION_MOST])
{
  *body = r->what;
  put_subject(pubsub_put16(body + PUBSUB_REGISTRATION_BODY_ORIGIN_AT, r->origin), r->event);
#if EVENT_SERVICE_TERMS > 0
  memcpy(body + EVENT_SERVICE_REGISTRATION_SIZE, r->terms, r->terms_length);
  return EVENT_SERVICE_REGISTRATION_SIZE + r->terms_length;
#else
  return EVENT_SERVICE_REGISTRATION_SIZE;
#endif
}
/*---------------------------------------------------------------------------*/
bool
event_service_registration_decode(struct event_service_registration *r,
                                  const uint8_t *body, uint16_t length)
{
  if(length < EVENT_SERVICE_REGISTRATION_SIZE
     || length > EVENT_SERVICE_REGISTRATION_MOST) {
    return false;
  }
#if EVENT_SERVICE_TERMS > 0
  r->terms_length = length - EVENT_SERVICE_REGISTRATION_SIZE;
  memcpy(r->terms, body + EVENT_SERVICE_REGISTRATION_SIZE, r->terms_length);
  if(!event_terms_are(r->terms, r->terms_length)) {
    return false;
  }
#endif
  r->what = body[PUBSUB_REGISTRATION_BODY_WHAT_AT];
  r->origin = pubsub_get16(body + PUBSUB_REGISTRATION_BODY_ORIGIN_AT);
  r->event = get_subject(body + PUBSUB_REGISTRATION_BODY_SUBJECT_AT);
  return r->what >= EVENT_SERVICE_ADVERTISE && r->what <= EVENT_SERVICE_DISCONNECT_CONSUMER
    && pubsub_is_mote(r->origin);
}
/*---------------------------------------------------------------------------*/
void
event_service_instruction_encode(const struct event_service_instruction *i,
                                 uint8_t body[EVENT_SERVICE_INSTRUCTION_SIZE])
{
  uint8_t *at = pubsub_put16(pubsub_put16(body, i->number), i->target);

  *at++ = i->code;
  put_subject(pubsub_put16(at, i->interval), i->event);
}
/*---------------------------------------------------------------------------*/
bool
event_service_instruction_decode(struct event_service_instruction *i,
                                 const uint8_t *body, uint16_t length)
{
  if(length != EVENT_SERVICE_INSTRUCTION_SIZE) {
    return false;
  }
  i->number = pubsub_get16(body + PUBSUB_INSTRUCTION_BODY_INSTRUCTION_AT);
  i->target = pubsub_get16(body + PUBSUB_INSTRUCTION_BODY_TARGET_AT);
  i->code = body[PUBSUB_INSTRUCTION_BODY_CODE_AT];
  i->interval = pubsub_get16(body + PUBSUB_INSTRUCTION_BODY_INTERVAL_AT);
  i->event = get_subject(body + PUBSUB_INSTRUCTION_BODY_SUBJECT_AT);
  return i->code >= EVENT_SERVICE_INSTRUCT_ADVERTISE
    && i->code <= EVENT_SERVICE_INSTRUCT_INTERVAL && pubsub_is_mote(i->target);
}
/*---------------------------------------------------------------------------*/
uint16_t
event_service_delivery_encode(const struct event_service_delivery *d,
                              uint8_t *body, uint16_t size)
{
  uint16_t list = 1 + 2 * d->consumers, event;
  uint8_t *at = body;
  unsigned i;

  if(list >= size) {
    return 0;
  }
  *at++ = d->consumers;
  for(i = 0; i < d->consumers; i++) {
    at = pubsub_put16(at, d->consumer[i]);
  }
  event = pubsub_event_encode(&d->event, at, size - list);
  return event > 0 ? list + event : 0;
}
/*---------------------------------------------------------------------------*/
uint16_t
event_service_consumers_decode(struct event_service_delivery *d,
                               const uint8_t *body, uint16_t length)
{
  unsigned i;

  if(length < 1 || body[0] == 0 || body[0] > EVENT_SERVICE_CONSUMERS
     || length < 1 + 2 * body[0]) {
    return 0;
  }
  d->consumers = body[0];
  for(i = 0; i < d->consumers; i++) {
    d->consumer[i] = pubsub_get16(body + 1 + 2 * i);
    if(!pubsub_is_mote(d->consumer[i])) {
      return 0;
    }
  }
  return 1 + 2 * d->consumers;
}
/*---------------------------------------------------------------------------*/
bool
event_service_delivery_decode(struct event_service_delivery *d,
                              const uint8_t *body, uint16_t length)
{
  uint16_t list = event_service_consumers_decode(d, body, length);

  return list > 0 && pubsub_event_decode(&d->event, body + list, length - list);
}
/*---------------------------------------------------------------------------*/
#if EVENT_SERVICE_BINDINGS > 0
/* A subject is that much longer than an identifier; the rest is the same. */
#define SAVED (PUBSUB_EVENT_FIXED_SIZE - PUBSUB_BOUND_EVENT_FIXED_SIZE)

uint16_t
event_service_bound_event_shorten(uint8_t *event, uint16_t length, uint16_t identifier)
{
  memmove(event, event + SAVED, length - SAVED);
  pubsub_put16(event, identifier);
  return length - SAVED;
}
/*---------------------------------------------------------------------------*/
bool
event_service_bound_event_decode(struct pubsub_event *event, uint16_t *identifier,
                                 const uint8_t *bytes, uint16_t length)
{
  uint8_t whole[PUBSUB_FRAME_SIZE] = { 0 };

  if(length < PUBSUB_BOUND_EVENT_FIXED_SIZE || length > sizeof(whole) - SAVED) {
    return false;
  }
  *identifier = pubsub_get16(bytes);
  memcpy(whole + SAVED + 2, bytes + 2, length - 2);
  return pubsub_event_decode(event, whole, length + SAVED);
}
#endif
