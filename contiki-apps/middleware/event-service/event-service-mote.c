/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include "contiki.h"
#include "dev/serial-line.h"
#include "sys/ctimer.h"
#include "event-service.h"
#include "event-service-binding.h"
#include "event-service-frames.h"
#include "event-service-instructor.h"
#include "event-service-output.h"
#include "event-service-renewal.h"
#include "event-service-requests.h"
#include "event-service-tree.h"
#include "event-service-up.h"
#include "pubsub-counters.h"
#include "pubsub-observer.h"
#include "pubsub-octets.h"

struct event_service_counters event_service_counters;
struct event_service_place event_service_place;

PROCESS(event_service_process, "Event service");
/*---------------------------------------------------------------------------*/
static bool
is_base_station(void)
{
  return event_service_place.parent == PUBSUB_NOBODY;
}
/*---------------------------------------------------------------------------*/
bool
event_service_up_register(const struct event_service_registration *registration)
{
  if(is_base_station() && event_service_place.tables_here) {
    return event_service_tree_register(registration);
  }
  return event_service_request(registration);
}
/*---------------------------------------------------------------------------*/
/* Section 6.1: tables on the base station save the way to the gateway. */
static void
deliver_here(const struct pubsub_event *event)
{
  struct event_service_delivery delivery = { .event = *event };

  delivery.consumers = event_service_tree_consumers(event, delivery.consumer);
  if(delivery.consumers > 0) {
    event_service_tree_deliver(&delivery, event_service_place.mote);
  }
}
/*---------------------------------------------------------------------------*/
static bool
send_up(const struct pubsub_event *event, uint8_t *body, uint16_t length)
{
  uint8_t type = PUBSUB_FRAME_PUSH;
#if EVENT_SERVICE_BINDINGS > 0
  uint16_t shorter = event_service_binding_shorten(true, event->subject, body, length);

  type = shorter < length ? PUBSUB_FRAME_BOUND_PUSH : PUBSUB_FRAME_PUSH;
  length = shorter;
#endif
  return event_service_send(type, event_service_place.parent, body, length, event);
}
/*---------------------------------------------------------------------------*/
/* Returns false if the send buffer is full. */
static bool
push_on(const struct pubsub_event *event)
{
  uint8_t body[PUBSUB_FRAME_SIZE];
  uint16_t length = pubsub_event_encode(event, body,
                                        PUBSUB_FRAME_SIZE - PUBSUB_FRAME_HEADER_SIZE);

  if(!is_base_station()) {
    return send_up(event, body, length);
  }
  if(event_service_place.tables_here) {
    deliver_here(event);
    return true;
  }
  return event_service_uart_send(PUBSUB_FRAME_PUSH, body, length);
}
/*---------------------------------------------------------------------------*/
#if EVENT_SERVICE_TERMS > 0
/*
 * An event must not outrun the advertisement that says what it offers: the gateways would not know its terms,
 * and pass it on further than its time to live. Each mote holds one such event until the advertisement has
 * gone on to the next hop; another one that comes meanwhile is lost, as with a full send buffer.
 */
#define HELD_AGAIN (CLOCK_SECOND / 100 > 0 ? CLOCK_SECOND / 100 : 1)

static struct pubsub_event held;
static bool holds;
static struct ctimer held_timer;

static void
release(void *nothing)
{
  if(event_service_request_offers(held.subject) || !push_on(&held)) {
    ctimer_set(&held_timer, HELD_AGAIN, release, NULL);
  } else {
    holds = false;
  }
}
/*---------------------------------------------------------------------------*/
static bool
held_back(const struct pubsub_event *event)
{
  if(!(holds && held.subject == event->subject)
     && !event_service_request_offers(event->subject)) {
    return false;
  }
  if(holds) {
    event_service_counters.send_buffer_full++;
    return true;
  }
  held = *event;
  holds = true;
  ctimer_set(&held_timer, HELD_AGAIN, release, NULL);
  return true;
}
#endif
/*---------------------------------------------------------------------------*/
void
event_service_up_push(const struct pubsub_event *event)
{
#if EVENT_SERVICE_TERMS > 0
  if(held_back(event)) {
    return;
  }
#endif
  push_on(event);
}
/*---------------------------------------------------------------------------*/
static void
acknowledge(uint16_t to, const struct event_service_registration *registration,
            const uint8_t *body, uint16_t length)
{
#if EVENT_SERVICE_BINDINGS > 0
  uint8_t bound[PUBSUB_BOUND_BODY_WHAT_AT + EVENT_SERVICE_REGISTRATION_MOST];
  uint16_t identifier;

  if(event_service_binding_bind(registration->event, &identifier)) {
    memcpy(pubsub_put16(bound, identifier), body, length);
    event_service_send(PUBSUB_FRAME_BOUND, to, bound, PUBSUB_BOUND_BODY_WHAT_AT + length, NULL);
    return;
  }
#endif
  event_service_send(PUBSUB_FRAME_REGISTERED, to, body, length, NULL);
}
/*---------------------------------------------------------------------------*/
/*
 * Handles a child's registration. It is acknowledged when this mote has taken it over; if
 * the send buffer is full, the child hears nothing and asks again.
 */
static bool
registration_input(uint16_t from, const uint8_t *body, uint16_t length)
{
  struct event_service_registration registration;

  if(!event_service_registration_decode(&registration, body, length)) {
    return false;
  }
  if(event_service_tree_learn(registration.origin)
     && event_service_up_register(&registration)) {
    acknowledge(from, &registration, body, length);
  }
  return true;
}
/*---------------------------------------------------------------------------*/
static bool
registered_input(uint16_t from, const uint8_t *body, uint16_t length)
{
  struct event_service_registration registration;

  if(!event_service_registration_decode(&registration, body, length)) {
    return false;
  }
  if(from == event_service_place.parent) {
    event_service_parent_heard();
    event_service_request_done(&registration);
  }
  return true;
}
/*---------------------------------------------------------------------------*/
#if EVENT_SERVICE_BINDINGS > 0
static bool
bound_input(uint16_t from, const uint8_t *body, uint16_t length)
{
  struct event_service_registration registration;

  if(length < PUBSUB_BOUND_BODY_WHAT_AT
     || !event_service_registration_decode(&registration, body + PUBSUB_BOUND_BODY_WHAT_AT,
                                           length - PUBSUB_BOUND_BODY_WHAT_AT)) {
    return false;
  }
  if(from == event_service_place.parent) {
    event_service_binding_bound(registration.event, pubsub_get16(body));
    event_service_parent_heard();
    event_service_request_done(&registration);
  }
  return true;
}
#endif
/*---------------------------------------------------------------------------*/
static void
pushed(uint16_t from, const struct pubsub_event *event)
{
  pubsub_counters.event_packets_received++;
  PUBSUB_OBSERVE(received, event, from, 0);
  event_service_up_push(event);
}
/*---------------------------------------------------------------------------*/
static bool
push_input(uint16_t from, const uint8_t *body, uint16_t length)
{
  struct pubsub_event event;

  if(!pubsub_event_decode(&event, body, length)) {
    return false;
  }
  pushed(from, &event);
  return true;
}
/*---------------------------------------------------------------------------*/
#if EVENT_SERVICE_BINDINGS > 0
static bool
bound_push_input(uint16_t from, const uint8_t *body, uint16_t length)
{
  struct pubsub_event event;
  bool known;

  if(!event_service_binding_read(true, from, &event, body, length, &known)) {
    return false;
  }
  if(known) {
    pushed(from, &event);
  }
  return true;
}
/*---------------------------------------------------------------------------*/
/* Motes that it doesn't concern hear it too, and need not know the identifier. */
static bool
bound_delivery_input(uint16_t from, const uint8_t *body, uint16_t length)
{
  struct event_service_delivery delivery;
  uint16_t list = event_service_consumers_decode(&delivery, body, length);
  bool known;

  if(list == 0) {
    return false;
  }
  if(from != event_service_place.parent || !event_service_tree_concerns(&delivery)) {
    return true;
  }
  if(!event_service_binding_read(false, from, &delivery.event, body + list, length - list,
                                 &known)) {
    return false;
  }
  if(known) {
    event_service_tree_deliver(&delivery, from);
  }
  return true;
}
#endif
/*---------------------------------------------------------------------------*/
/* A parent broadcasts it, so motes other than its children hear it, too. */
static bool
delivery_input(uint16_t from, const uint8_t *body, uint16_t length)
{
  struct event_service_delivery delivery;

  if(!event_service_delivery_decode(&delivery, body, length)) {
    return false;
  }
  if(from == event_service_place.parent) {
    event_service_tree_deliver(&delivery, from);
  }
  return true;
}
/*---------------------------------------------------------------------------*/
static struct pubsub_protocol protocols[] = {
  { .type = PUBSUB_FRAME_REGISTRATION, .input = registration_input },
  { .type = PUBSUB_FRAME_REGISTERED, .input = registered_input },
  { .type = PUBSUB_FRAME_PUSH, .input = push_input },
  { .type = PUBSUB_FRAME_DELIVERY, .input = delivery_input },
  { .type = PUBSUB_FRAME_INSTRUCTION, .input = event_service_instruction_input },
#if EVENT_SERVICE_BINDINGS > 0
  { .type = PUBSUB_FRAME_BOUND, .input = bound_input },
  { .type = PUBSUB_FRAME_BOUND_PUSH, .input = bound_push_input },
  { .type = PUBSUB_FRAME_BOUND_DELIVERY, .input = bound_delivery_input },
  { .type = PUBSUB_FRAME_UNBOUND, .input = event_service_unbound_input },
#endif
#if EVENT_SERVICE_RENEWAL
  { .type = PUBSUB_FRAME_ORPHAN, .input = event_service_orphan_input },
  { .type = PUBSUB_FRAME_ADOPTION, .input = event_service_adoption_input },
#endif
};
/*---------------------------------------------------------------------------*/
static void
from_gateway(const char *line)
{
  struct event_service_delivery delivery;
  uint8_t body[PUBSUB_FRAME_SIZE];
  uint16_t length;
  uint8_t type;

  if(!event_service_uart_read(line, &type, body, &length)) {
    return;
  }
  if(type == PUBSUB_FRAME_DELIVERY
     && event_service_delivery_decode(&delivery, body, length)) {
    event_service_tree_deliver(&delivery, event_service_place.mote);
  } else {
    event_service_counters.uart_frames_malformed++;
  }
}
/*---------------------------------------------------------------------------*/
PROCESS_THREAD(event_service_process, ev, data)
{
  PROCESS_BEGIN();

  while(1) {
    PROCESS_WAIT_EVENT_UNTIL(ev == serial_line_event_message && data != NULL);
    from_gateway(data);
  }

  PROCESS_END();
}
/*---------------------------------------------------------------------------*/
void
event_service_init(const struct event_service_place *place)
{
  unsigned i;

  event_service_place = *place;
  event_service_output_init();
  event_service_requests_init();
  event_service_tree_init();
#if EVENT_SERVICE_TERMS > 0
  holds = false;
  ctimer_stop(&held_timer);
#endif
#if EVENT_SERVICE_BINDINGS > 0
  event_service_binding_init();
#endif
#if EVENT_SERVICE_RENEWAL
  event_service_renewal_init();
#endif
  for(i = 0; i < sizeof(protocols) / sizeof(protocols[0]); i++) {
    pubsub_routing_add_protocol(&protocols[i]);
  }
  if(is_base_station()) {
    process_start(&event_service_process, NULL);
  }
}
