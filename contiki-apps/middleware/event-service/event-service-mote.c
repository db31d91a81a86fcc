/* SPDX-License-Identifier: Apache-2.0 */
#include "contiki.h"
#include "dev/serial-line.h"
#include "event-service.h"
#include "event-service-frames.h"
#include "event-service-instructor.h"
#include "event-service-output.h"
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
void
event_service_up_push(const struct pubsub_event *event)
{
  uint8_t body[PUBSUB_FRAME_SIZE];
  uint16_t length = pubsub_event_encode(event, body,
                                        PUBSUB_FRAME_SIZE - PUBSUB_FRAME_HEADER_SIZE);

  if(!is_base_station()) {
    event_service_send(PUBSUB_FRAME_PUSH, event_service_place.parent, body, length, event);
  } else if(event_service_place.tables_here) {
    deliver_here(event);
  } else {
    event_service_uart_send(PUBSUB_FRAME_PUSH, body, length);
  }
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
    event_service_send(PUBSUB_FRAME_REGISTERED, from, body, length, NULL);
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
    event_service_request_done(&registration);
  }
  return true;
}
/*---------------------------------------------------------------------------*/
static bool
push_input(uint16_t from, const uint8_t *body, uint16_t length)
{
  struct pubsub_event event;

  if(!pubsub_event_decode(&event, body, length)) {
    return false;
  }
  pubsub_counters.event_packets_received++;
  PUBSUB_OBSERVE(received, &event, from, 0);
  event_service_up_push(&event);
  return true;
}
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
  for(i = 0; i < sizeof(protocols) / sizeof(protocols[0]); i++) {
    pubsub_routing_add_protocol(&protocols[i]);
  }
  if(is_base_station()) {
    process_start(&event_service_process, NULL);
  }
}
