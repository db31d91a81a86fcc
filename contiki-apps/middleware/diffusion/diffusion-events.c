/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include "contiki.h"
#include "diffusion-counters.h"
#include "diffusion-events.h"
#include "diffusion-flows.h"
#include "diffusion-gradients.h"
#include "diffusion-neighbours.h"
#include "pubsub-counters.h"
#include "pubsub-link.h"
#include "pubsub-observer.h"
#include "pubsub-octets.h"
#include "pubsub-routing.h"

/* A copy has, before the event, the number of subscribers and their ids; after it, for each
   contributor, the incarnation of its publisher. */
#define LIST_SIZE(subscribers) (1 + 2 * (subscribers))
#define INCARNATION_SIZE 2

/* The subscribers of the copy that is being routed. */
static uint32_t addressed;

static void send_towards(const struct pubsub_event *event, uint32_t subscribers);
/*---------------------------------------------------------------------------*/
static uint32_t
bit(unsigned i)
{
  return (uint32_t)1 << i;
}
/*---------------------------------------------------------------------------*/
/* Bytes of a copy before its event; 0 if that is malformed. */
static uint16_t
list_size(const uint8_t *body, uint16_t length)
{
  unsigned i;

  if(length == 0 || body[0] == 0 || length < LIST_SIZE(body[0])) {
    return 0;
  }
  for(i = 0; i < body[0]; i++) {
    if(!pubsub_is_mote(pubsub_get16(body + LIST_SIZE(i)))) {
      return 0;
    }
  }
  return LIST_SIZE(body[0]);
}
/*---------------------------------------------------------------------------*/
static bool
decode(struct pubsub_event *event, const uint8_t *body, uint16_t length)
{
  uint16_t size = list_size(body, length), after;
  unsigned i;

  if(size == 0 || length < size + PUBSUB_EVENT_HEADER_SIZE) {
    return false;
  }
  body += size;
  length -= size;
  after = INCARNATION_SIZE * body[PUBSUB_EVENT_CONTRIBUTORS_AT];
  if(length < after || !pubsub_event_decode(event, body, length - after)) {
    return false;
  }
  body += length - after;
  for(i = 0; i < event->contributors; i++) {
    event->contributor[i].incarnation =
      pubsub_get16(body + INCARNATION_SIZE * i);
  }
  return true;
}
/*---------------------------------------------------------------------------*/
/* The listed subscribers as bits; those that no gradient leads to are left out. */
static uint32_t
listed(const uint8_t *list, uint8_t topic)
{
  uint32_t subscribers = 0;
  unsigned i;

  for(i = 0; i < list[0]; i++) {
    struct diffusion_gradient *g =
      diffusion_gradients_find(topic, pubsub_get16(list + LIST_SIZE(i)));
    if(g != NULL && g->renewal > 0) {
      subscribers |= bit(g - diffusion_gradients);
    }
  }
  return subscribers;
}
/*---------------------------------------------------------------------------*/
/* The event comes back from its next hop, so that neighbour is no way to the subscriber. */
static void
turn_round(uint32_t subscribers, uint16_t from)
{
  unsigned i;

  for(i = 0; i < DIFFUSION_MAX_GRADIENTS; i++) {
    if(subscribers & bit(i)
       && diffusion_gradients_next_hop(&diffusion_gradients[i]) == from) {
      diffusion_gradients_remove(&diffusion_gradients[i], from);
    }
  }
}
/*---------------------------------------------------------------------------*/
/* A mote on the circle has not heard that a way was lost. */
static void
break_circle(uint32_t subscribers)
{
  unsigned i;

  for(i = 0; i < DIFFUSION_MAX_GRADIENTS; i++) {
    if(subscribers & bit(i)) {
      diffusion_gradients_lose(&diffusion_gradients[i]);
    }
  }
}
/*---------------------------------------------------------------------------*/
static void
take(struct pubsub_event *event, const uint8_t *list, uint16_t from,
     uint16_t number)
{
  uint8_t topic = diffusion_topic_find(event->subject);
  uint32_t subscribers, others;
  bool is_new;

  if(topic == DIFFUSION_NO_TOPIC) {
    pubsub_counters.no_route++;
    PUBSUB_OBSERVE(dropped, "no-route", from, number);
    return;
  }
  subscribers = listed(list, topic);
  turn_round(subscribers, from);
  is_new = diffusion_flows_remember(topic, event);
  others = diffusion_flows_pass(topic, event, from, subscribers, is_new);
  if(is_new) {
    addressed = others;
    pubsub_routing_input(NULL, event, from, number);
  } else if(others != 0) {
    pubsub_counters.event_packets_received++;
    PUBSUB_OBSERVE(received, event, from, number);
    send_towards(event, others);
  } else {
    if(event->contributors == 1
       && diffusion_flows_circle(topic, event, from)) {
      break_circle(subscribers);
    }
    diffusion_counters.events_duplicate++;
    PUBSUB_OBSERVE(dropped, "duplicate", from, number);
  }
}
/*---------------------------------------------------------------------------*/
static bool
input(uint16_t from, uint16_t next_hop, uint16_t number,
      const uint8_t *body, uint16_t length)
{
  struct pubsub_event event;

  if(!pubsub_is_mote(from) || !pubsub_is_mote(next_hop) || !decode(&event, body, length)) {
    return false;
  }
  if(next_hop != pubsub_routing_self() || from == pubsub_routing_self()) {
    diffusion_counters.events_overheard++;
  } else {
    take(&event, body, from, number);
  }
  return true;
}
/*---------------------------------------------------------------------------*/
static struct pubsub_protocol protocol = { NULL, PUBSUB_FRAME_DIFFUSED_EVENT, NULL, input };
/*---------------------------------------------------------------------------*/
void
diffusion_events_init(void)
{
  addressed = 0;
  pubsub_routing_add_protocol(&protocol);
}
/*---------------------------------------------------------------------------*/
/* Called when the MAC is done with a copy; one that didn't arrive is sent again. */
static void
done(const uint8_t *frame, uint16_t length, const char *reason,
     unsigned transmissions)
{
  const uint8_t *list = frame + PUBSUB_FRAME_HEADER_SIZE;
  uint16_t next_hop = pubsub_get16(frame + PUBSUB_FRAME_NEXT_HOP_AT);
  struct pubsub_event event;
  uint32_t subscribers;

  diffusion_counters.link_transmissions += transmissions;
  if(reason == NULL) {
    diffusion_neighbours_answered(next_hop);
    return;
  }
  PUBSUB_OBSERVE(dropped, reason, pubsub_routing_self(),
                 pubsub_get16(frame + PUBSUB_FRAME_NUMBER_AT));
  if(strcmp(reason, PUBSUB_LINK_NO_ACK) != 0
     || !decode(&event, list, length - PUBSUB_FRAME_HEADER_SIZE)) {
    return;
  }
  diffusion_counters.forwardings_missed++;
  subscribers = listed(list, diffusion_topic_find(event.subject));
  if(diffusion_neighbours_missed(next_hop)) {
    diffusion_counters.neighbours_dropped++;
    diffusion_gradients_drop(next_hop);
  }
  send_towards(&event, subscribers);
}
/*---------------------------------------------------------------------------*/
static void
send_copy(const struct pubsub_event *event, uint16_t next_hop,
          const uint8_t *list)
{
  const linkaddr_t *address = diffusion_neighbours_address(next_hop);
  uint8_t frame[PUBSUB_FRAME_SIZE];
  uint16_t size = pubsub_routing_frame(frame, PUBSUB_FRAME_DIFFUSED_EVENT, next_hop, list,
                                       LIST_SIZE(list[0]), event,
                                       INCARNATION_SIZE * event->contributors);
  unsigned i;

  if(size > 0 && address != NULL) {
    for(i = 0; i < event->contributors; i++) {
      pubsub_put16(frame + size, event->contributor[i].incarnation);
      size += INCARNATION_SIZE;
    }
    pubsub_link_send_to(address, frame, size, done);
  }
}
/*---------------------------------------------------------------------------*/
/* The subscribers to whom this neighbour is a best next hop. */
static uint32_t
through(uint16_t neighbour, uint32_t subscribers)
{
  uint32_t found = 0;
  unsigned i;

  for(i = 0; i < DIFFUSION_MAX_GRADIENTS; i++) {
    if(subscribers & bit(i)
       && diffusion_gradients_is_best(&diffusion_gradients[i], neighbour)) {
      found |= bit(i);
    }
  }
  return found;
}
/*---------------------------------------------------------------------------*/
static unsigned
count(uint32_t subscribers)
{
  unsigned n = 0;

  for(; subscribers != 0; subscribers &= subscribers - 1) {
    n++;
  }
  return n;
}
/*---------------------------------------------------------------------------*/
/* The next hop that is a best one for most of the subscribers, and for which ones. */
static uint32_t
choose(uint32_t subscribers, uint16_t *next_hop)
{
  uint32_t best = 0;
  unsigned i, k;

  for(i = 0; i < DIFFUSION_MAX_GRADIENTS; i++) {
    for(k = 0; subscribers & bit(i) && k < DIFFUSION_MAX_WAYS; k++) {
      uint16_t neighbour = diffusion_gradients[i].way[k].neighbour;
      uint32_t these = through(neighbour, subscribers);
      if(count(these) > count(best)) {
        best = these;
        *next_hop = neighbour;
      }
    }
  }
  return best;
}
/*---------------------------------------------------------------------------*/
/* Sends one copy, for as many subscribers as there is room for; returns which. */
static uint32_t
send_first(const struct pubsub_event *event, uint32_t subscribers)
{
  uint16_t size = PUBSUB_FRAME_HEADER_SIZE + pubsub_event_size(event)
    + INCARNATION_SIZE * event->contributors;
  uint8_t list[LIST_SIZE(DIFFUSION_MAX_GRADIENTS)] = { 0 };
  uint16_t next_hop = PUBSUB_NOBODY;
  uint32_t these = choose(subscribers, &next_hop), sent = 0;
  unsigned i;

  for(i = 0; i < DIFFUSION_MAX_GRADIENTS; i++) {
    if(these & bit(i)
       && (list[0] == 0 || size + LIST_SIZE(list[0] + 1) <= PUBSUB_FRAME_SIZE)) {
      pubsub_put16(list + LIST_SIZE(list[0]), diffusion_gradients[i].subscriber);
      list[0]++;
      sent |= bit(i);
    }
  }
  send_copy(event, next_hop, list);
  return sent;
}
/*---------------------------------------------------------------------------*/
static void
send_towards(const struct pubsub_event *event, uint32_t subscribers)
{
  unsigned i;

  for(i = 0; i < DIFFUSION_MAX_GRADIENTS; i++) {
    if(subscribers & bit(i)
       && diffusion_gradients_next_hop(&diffusion_gradients[i])
       == PUBSUB_NOBODY) {
      subscribers &= ~bit(i);
      pubsub_counters.no_route++;
      PUBSUB_OBSERVE(dropped, "no-route", pubsub_routing_self(), 0);
    }
  }
  while(subscribers != 0) {
    subscribers &= ~send_first(event, subscribers);
  }
}
/*---------------------------------------------------------------------------*/
/* The room for one subscriber; if there isn't enough for several, there are several
   copies. */
uint16_t
diffusion_events_beside(unsigned contributors)
{
  return LIST_SIZE(1) + INCARNATION_SIZE * contributors;
}
/*---------------------------------------------------------------------------*/
uint32_t
diffusion_events_subscribers(const struct pubsub_event *event, uint16_t from)
{
  return from != PUBSUB_NOBODY ? addressed
    : diffusion_gradients_of(diffusion_topic_find(event->subject));
}
/*---------------------------------------------------------------------------*/
void
diffusion_events_send(const struct pubsub_event *event, uint16_t from)
{
  uint8_t topic = diffusion_topic_find(event->subject);
  uint32_t subscribers = diffusion_events_subscribers(event, from);

  if(from == PUBSUB_NOBODY) {
    /* Remembers it as this node's own, in case it comes back. */
    diffusion_flows_remember(topic, event);
    diffusion_flows_pass(topic, event, from, subscribers, true);
  }
  send_towards(event, subscribers);
}
