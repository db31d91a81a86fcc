/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include "contiki.h"
#include "lib/list.h"
#include "pubsub-counters.h"
#include "pubsub-enforcement.h"
#include "pubsub-link.h"
#include "pubsub-observer.h"
#include "pubsub-octets.h"
#include "pubsub-routing.h"

#include "sys/log.h"
#define LOG_MODULE "PubSub"
#define LOG_LEVEL LOG_LEVEL_WARN

LIST(interceptors);
LIST(protocols);

const struct pubsub_observer *pubsub_observer;

static const struct pubsub_routing_driver *routes;
static bool (*deliver)(const struct pubsub_event *event, uint16_t from);
static uint16_t self;
static uint16_t frame_number;

/* The frame for which a protocol asked to be told whether it was transmitted. */
static uint16_t watched_frame;
static void (*watcher)(bool transmitted);
/*---------------------------------------------------------------------------*/
static void
frame_done(uint16_t number, const char *reason)
{
  if(reason != NULL) {
    PUBSUB_OBSERVE(dropped, reason, self, number);
  }
  if(watcher != NULL && number == watched_frame) {
    void (*sent)(bool transmitted) = watcher;
    watcher = NULL;
    sent(reason == NULL);
  }
}
/*---------------------------------------------------------------------------*/
static uint8_t *
frame_header(uint8_t *at, uint8_t type, uint16_t next_hop)
{
  *at++ = PUBSUB_FRAME_FIRST(type);
  at = pubsub_put16(at, self);
  at = pubsub_put16(at, next_hop);
  return pubsub_put16(at, ++frame_number);
}
/*---------------------------------------------------------------------------*/
uint16_t
pubsub_routing_frame(uint8_t *frame, uint8_t type, uint16_t next_hop,
                     const uint8_t *own, uint8_t length,
                     const struct pubsub_event *event, uint8_t after)
{
  uint8_t *body = frame_header(frame, type, next_hop);
  uint16_t size = 0;

  if(length + after <= PUBSUB_FRAME_SIZE - PUBSUB_FRAME_HEADER_SIZE) {
    memcpy(body, own, length);
    size = pubsub_event_encode(event, body + length, PUBSUB_FRAME_SIZE
                               - PUBSUB_FRAME_HEADER_SIZE - length - after);
  }
  /* It was checked that every event fits, where it was made or decoded. */
  if(size == 0) {
    LOG_ERR("event of %u bytes does not fit a frame\n",
            (unsigned)pubsub_event_size(event));
    PUBSUB_OBSERVE(dropped, "size", self, frame_number);
    return 0;
  }
  pubsub_counters.events_transmitted++;
  PUBSUB_OBSERVE(sent, event, next_hop, frame_number);
  return PUBSUB_FRAME_HEADER_SIZE + length + size;
}
/*---------------------------------------------------------------------------*/
void
pubsub_routing_broadcast(const uint8_t *frame, uint16_t size)
{
  pubsub_link_send(frame, size, pubsub_get16(frame + PUBSUB_FRAME_NUMBER_AT), frame_done);
}
/*---------------------------------------------------------------------------*/
static void
send_event(const struct pubsub_routing_driver *driver,
           struct pubsub_event *event, uint16_t next_hop, uint16_t from)
{
  static const uint8_t nothing;
  uint8_t frame[PUBSUB_FRAME_SIZE];
  uint16_t size;

  if(!pubsub_enforce_notify(PUBSUB_B_TO_EXTB, event, NULL)) {
    return;
  }
  if(next_hop == PUBSUB_SEVERAL) {
    driver->send(event, from);
    return;
  }
  size = pubsub_routing_frame(frame, PUBSUB_FRAME_EVENT, next_hop, &nothing, 0, event, 0);
  if(size > 0) {
    pubsub_routing_broadcast(frame, size);
  }
}
/*---------------------------------------------------------------------------*/
static struct pubsub_interceptor *
interceptor_of(pubsub_subject_t subject)
{
  struct pubsub_interceptor *i;

  for(i = list_head(interceptors); i != NULL; i = list_item_next(i)) {
    if(i->subject == subject) {
      return i;
    }
  }
  return NULL;
}
/*---------------------------------------------------------------------------*/
/* Delivers the event here, then sends it on. `frame`: for the trace of lost frames. */
static void
route(const struct pubsub_routing_driver *driver,
      struct pubsub_event *event, uint16_t from, uint16_t frame)
{
  uint16_t next_hop = driver->next_hop(event, from);
  bool delivered = deliver(event, from == PUBSUB_NOBODY ? self : from);

  if(next_hop == PUBSUB_NOBODY) {
    if(!delivered) {
      pubsub_counters.no_route++;
      PUBSUB_OBSERVE(dropped, "no-route",
                     from == PUBSUB_NOBODY ? self : from, frame);
    }
    return;
  }
  if(event->flags & PUBSUB_AGGREGATABLE) {
    struct pubsub_interceptor *interceptor = interceptor_of(event->subject);
    if(interceptor != NULL && interceptor->intercept(interceptor, event)) {
      return;
    }
  }
  send_event(driver, event, next_hop, from);
}
/*---------------------------------------------------------------------------*/
static void
malformed(uint16_t from, uint16_t number)
{
  pubsub_counters.packets_malformed++;
  PUBSUB_OBSERVE(dropped, "malformed", from, number);
}
/*---------------------------------------------------------------------------*/
void
pubsub_routing_input(const struct pubsub_routing_driver *driver,
                     struct pubsub_event *event,
                     uint16_t from, uint16_t number)
{
  pubsub_counters.event_packets_received++;
  PUBSUB_OBSERVE(received, event, from, number);
  if(pubsub_enforce_notify(PUBSUB_EXTB_TO_B, event, NULL)) {
    route(driver != NULL ? driver : routes, event, from, number);
  }
}
/*---------------------------------------------------------------------------*/
static void
input_event(uint16_t from, uint16_t number,
            const uint8_t *body, uint16_t length)
{
  struct pubsub_event event;

  if(!pubsub_event_decode(&event, body, length)) {
    malformed(from, number);
    return;
  }
  pubsub_routing_input(NULL, &event, from, number);
}
/*---------------------------------------------------------------------------*/
static struct pubsub_protocol *
protocol_of(uint8_t type)
{
  struct pubsub_protocol *p;

  for(p = list_head(protocols); p != NULL; p = list_item_next(p)) {
    if(p->type == type) {
      return p;
    }
  }
  return NULL;
}
/*---------------------------------------------------------------------------*/
static bool
is_for_us(uint16_t from, uint16_t next_hop)
{
  return (next_hop == self || next_hop == PUBSUB_EVERYBODY)
    && routes->is_neighbour(from);
}
/*---------------------------------------------------------------------------*/
/* Whether input() would only count this frame, which others send on its way. */
static bool
passes_by(const uint8_t *frame, uint16_t length)
{
  struct pubsub_protocol *p;
  uint16_t from;

  if(length < PUBSUB_FRAME_HEADER_SIZE || PUBSUB_FRAME_TYPE(frame[0]) >= PUBSUB_FRAME_TYPES
     || pubsub_observer != NULL) {
    return false;
  }
  from = pubsub_get16(frame + PUBSUB_FRAME_SENDER_AT);
  p = protocol_of(PUBSUB_FRAME_TYPE(frame[0]));
  if(from == self || (p != NULL && p->overhear != NULL)
     || is_for_us(from, pubsub_get16(frame + PUBSUB_FRAME_NEXT_HOP_AT))) {
    return false;
  }
  pubsub_counters.packets_off_topology++;
  return true;
}
/*---------------------------------------------------------------------------*/
static void
input(const uint8_t *frame, uint16_t length)
{
  uint16_t from, next_hop, number;
  struct pubsub_protocol *p;
  const uint8_t *body = frame + PUBSUB_FRAME_HEADER_SIZE;

  if(length < PUBSUB_FRAME_HEADER_SIZE || PUBSUB_FRAME_TYPE(frame[0]) >= PUBSUB_FRAME_TYPES) {
    malformed(PUBSUB_NOBODY, 0);
    return;
  }
  length -= PUBSUB_FRAME_HEADER_SIZE;
  from = pubsub_get16(frame + PUBSUB_FRAME_SENDER_AT);
  next_hop = pubsub_get16(frame + PUBSUB_FRAME_NEXT_HOP_AT);
  number = pubsub_get16(frame + PUBSUB_FRAME_NUMBER_AT);
  p = protocol_of(PUBSUB_FRAME_TYPE(frame[0]));
  if(p != NULL && p->overhear != NULL) {
    if(!p->overhear(from, next_hop, number, body, length)) {
      malformed(from, number);
    }
    return;
  }
  if(!is_for_us(from, next_hop)) {
    pubsub_counters.packets_off_topology++;
    PUBSUB_OBSERVE(dropped, "off-topology", from, number);
    return;
  }
  if(PUBSUB_FRAME_TYPE(frame[0]) == PUBSUB_FRAME_EVENT) {
    input_event(from, number, body, length);
  } else if(p != NULL && p->input(from, body, length)) {
    pubsub_counters.control_packets_received++;
  } else {
    malformed(from, number);
  }
}
/*---------------------------------------------------------------------------*/
void
pubsub_routing_init(uint16_t mote, const struct pubsub_routing_driver *driver,
                    bool (*to)(const struct pubsub_event *event,
                               uint16_t from))
{
  list_init(interceptors);
  list_init(protocols);
  self = mote;
  routes = driver;
  deliver = to;
  frame_number = 0;
  watcher = NULL;
  pubsub_link_init(input);
  PUBSUB_LINK_FILTER(passes_by);
}
/*---------------------------------------------------------------------------*/
const struct pubsub_routing_driver *
pubsub_routing_use(const struct pubsub_routing_driver *driver)
{
  const struct pubsub_routing_driver *before = routes;

  routes = driver;
  return before;
}
/*---------------------------------------------------------------------------*/
uint16_t
pubsub_routing_self(void)
{
  return self;
}
/*---------------------------------------------------------------------------*/
void
pubsub_routing_publish(const struct pubsub_routing_driver *driver,
                       struct pubsub_event *event)
{
  route(driver != NULL ? driver : routes, event, PUBSUB_NOBODY, 0);
}
/*---------------------------------------------------------------------------*/
void
pubsub_routing_forward(struct pubsub_event *event)
{
  uint16_t next_hop = routes->next_hop(event, PUBSUB_NOBODY);

  if(next_hop != PUBSUB_NOBODY) {
    send_event(routes, event, next_hop, PUBSUB_NOBODY);
  } else {
    pubsub_counters.no_route++;
    PUBSUB_OBSERVE(dropped, "no-route", self, 0);
  }
}
/*---------------------------------------------------------------------------*/
bool
pubsub_routing_fits(const struct pubsub_event *event, unsigned more)
{
  uint16_t beside = routes->beside == NULL ? 0
    : routes->beside(event, event->contributors + more);

  return PUBSUB_FRAME_HEADER_SIZE + beside + pubsub_event_size(event)
    + PUBSUB_CONTRIBUTOR_SIZE * more <= PUBSUB_FRAME_SIZE;
}
/*---------------------------------------------------------------------------*/
bool
pubsub_routing_intercept(struct pubsub_interceptor *interceptor)
{
  if(interceptor_of(interceptor->subject) != NULL) {
    return false;
  }
  list_add(interceptors, interceptor);
  return true;
}
/*---------------------------------------------------------------------------*/
void
pubsub_routing_let_pass(struct pubsub_interceptor *interceptor)
{
  list_remove(interceptors, interceptor);
}
/*---------------------------------------------------------------------------*/
void
pubsub_routing_subscription(pubsub_subject_t subject, bool subscribed)
{
  if(routes->subscription != NULL) {
    routes->subscription(subject, subscribed);
  }
}
/*---------------------------------------------------------------------------*/
void
pubsub_routing_add_protocol(struct pubsub_protocol *protocol)
{
  list_add(protocols, protocol);
}
/*---------------------------------------------------------------------------*/
void
pubsub_routing_send(uint8_t type, uint16_t next_hop,
                    const uint8_t *body, uint16_t length,
                    void (*sent)(bool transmitted))
{
  uint8_t frame[PUBSUB_FRAME_SIZE];
  uint8_t *at = frame_header(frame, type, next_hop);

  if(length > sizeof(frame) - PUBSUB_FRAME_HEADER_SIZE) {
    LOG_ERR("frame of type %u is too long\n", (unsigned)type);
    return;
  }
  memcpy(at, body, length);
  pubsub_counters.control_packets_sent++;
  if(sent != NULL) {
    watched_frame = frame_number;
    watcher = sent;
  }
  pubsub_link_send(frame, PUBSUB_FRAME_HEADER_SIZE + length, frame_number,
                   frame_done);
}
