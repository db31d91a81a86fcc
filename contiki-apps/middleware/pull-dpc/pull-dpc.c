/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include "contiki.h"
#include "lib/random.h"
#include "sys/ctimer.h"
#include "cpc/cpc.h"
#include "pull-dpc.h"
#include "pubsub-counters.h"
#include "pubsub-enforcement.h"
#include "pubsub-observer.h"
#include "pubsub-octets.h"

#define PULL_SIZE PUBSUB_PULL_FIXED_SIZE
#define MOST_PULLS ((PUBSUB_FRAME_SIZE - PUBSUB_FRAME_HEADER_SIZE) / PULL_SIZE)

struct way {
  uint16_t subscriber; /* PUBSUB_NOBODY: unused */
  uint16_t subscription;
  uint16_t next_hop;
  clock_time_t at;     /* of the pull message that it is from */
};

struct pull_dpc_counters pull_dpc_counters;

static struct way ways[PULL_DPC_MAX_WAYS];
static uint16_t own[PULL_DPC_MAX_SUBSCRIPTIONS];
static uint8_t owns;
static struct ctimer refreshing;

/* The pull messages of the frame that waits. */
static uint8_t waiting[MOST_PULLS * PULL_SIZE];
static uint8_t waiting_size;
static struct ctimer sending;
/*---------------------------------------------------------------------------*/
static void
send_waiting(void *ptr)
{
  ctimer_stop(&sending);
  if(waiting_size > 0) {
    pull_dpc_counters.pulls_sent++;
    pubsub_routing_send(PUBSUB_FRAME_PULLS, PUBSUB_EVERYBODY, waiting, waiting_size, NULL);
  }
  waiting_size = 0;
}
/*---------------------------------------------------------------------------*/
static void
tell(uint16_t subscriber, uint16_t subscription)
{
  if(waiting_size == sizeof(waiting)) {
    send_waiting(NULL);
  }
  if(waiting_size == 0) {
    ctimer_set(&sending, 1 + random_rand() % PULL_DPC_JITTER, send_waiting, NULL);
  }
  pubsub_put16(waiting + waiting_size + PUBSUB_PULL_SUBSCRIBER_AT, subscriber);
  pubsub_put16(waiting + waiting_size + PUBSUB_PULL_SUBSCRIPTION_AT, subscription);
  waiting_size += PULL_SIZE;
}
/*---------------------------------------------------------------------------*/
static void
refresh(void *ptr)
{
  unsigned i;

  for(i = 0; i < owns; i++) {
    if(pubsub_enforce_id(PUBSUB_B_TO_EXTB, PUBSUB_SUBSCRIBE, own[i])) {
      pull_dpc_counters.pulls_originated++;
      tell(pubsub_routing_self(), own[i]);
    }
  }
  ctimer_set(&refreshing, PULL_DPC_REFRESH, refresh, NULL);
}
/*---------------------------------------------------------------------------*/
static void
subscription(pubsub_subject_t subject, bool subscribed)
{
  uint16_t id = pubsub_subject_id(subject);
  unsigned i;

  for(i = 0; i < owns && own[i] != id; i++);
  if(!subscribed) {
    if(i < owns) {
      own[i] = own[--owns]; /* its ways end when they aren't refreshed */
    }
    return;
  }
  if(i == PULL_DPC_MAX_SUBSCRIPTIONS) {
    pubsub_counters.pool_exhausted++;
    return;
  }
  if(i == owns) {
    own[owns++] = id;
  }
  if(pubsub_enforce_id(PUBSUB_B_TO_EXTB, PUBSUB_SUBSCRIBE, id)) {
    pull_dpc_counters.pulls_originated++;
    tell(pubsub_routing_self(), id);
  }
  ctimer_set(&refreshing, PULL_DPC_REFRESH, refresh, NULL);
}
/*---------------------------------------------------------------------------*/
static bool
is_older(const struct way *way, clock_time_t than)
{
  return way->subscriber == PUBSUB_NOBODY || (clock_time_t)(clock_time() - way->at) >= than;
}
/*---------------------------------------------------------------------------*/
static bool
is_way(const struct way *way, uint16_t subscription)
{
  return way->subscription == subscription
    && !is_older(way, PULL_DPC_REFRESHES * PULL_DPC_REFRESH);
}
/*---------------------------------------------------------------------------*/
static struct way *
way_to(uint16_t subscriber, uint16_t subscription)
{
  unsigned i;

  for(i = 0; i < PULL_DPC_MAX_WAYS; i++) {
    if(ways[i].subscriber == subscriber && is_way(&ways[i], subscription)) {
      return &ways[i];
    }
  }
  return NULL;
}
/*---------------------------------------------------------------------------*/
/* The place of a way that ended, NULL if there is none. */
static struct way *
free_way(void)
{
  unsigned i;

  for(i = 0; i < PULL_DPC_MAX_WAYS; i++) {
    if(is_older(&ways[i], PULL_DPC_REFRESHES * PULL_DPC_REFRESH)) {
      return &ways[i];
    }
  }
  return NULL;
}
/*---------------------------------------------------------------------------*/
/*
 * Four bytes have no room for a number: what comes within half the interval of
 * refreshing is the same message, heard again. One that there is no room for isn't
 * passed on, for it might circle.
 */
static void
pull(uint16_t from, uint16_t subscriber, uint16_t subscription)
{
  struct way *way = way_to(subscriber, subscription);

  if(subscriber == pubsub_routing_self()
     || (way != NULL && !is_older(way, PULL_DPC_REFRESH / 2))) {
    pull_dpc_counters.pulls_duplicate++;
    return;
  }
  if(!pubsub_enforce_id(PUBSUB_EXTB_TO_B, PUBSUB_SUBSCRIBE, subscription)) {
    return;
  }
  if(way == NULL && (way = free_way()) == NULL) {
    pull_dpc_counters.pulls_refused++;
    return;
  }
  way->subscriber = subscriber;
  way->subscription = subscription;
  way->next_hop = from;
  way->at = clock_time();
  if(pubsub_enforce_id(PUBSUB_B_TO_EXTB, PUBSUB_SUBSCRIBE, subscription)) {
    pull_dpc_counters.pulls_forwarded++;
    tell(subscriber, subscription);
  }
}
/*---------------------------------------------------------------------------*/
bool
pull_dpc_are_pulls(const uint8_t *body, uint16_t length)
{
  uint16_t at;

  if(length == 0 || length % PULL_SIZE != 0 || length > sizeof(waiting)) {
    return false;
  }
  for(at = 0; at < length; at += PULL_SIZE) {
    if(!pubsub_is_mote(pubsub_get16(body + at + PUBSUB_PULL_SUBSCRIBER_AT))) {
      return false;
    }
  }
  return true;
}
/*---------------------------------------------------------------------------*/
static bool
pulls_input(uint16_t from, uint16_t next_hop, uint16_t number,
            const uint8_t *body, uint16_t length)
{
  uint8_t kept[MOST_PULLS * PULL_SIZE]; /* what is sent takes the packet's place */
  uint16_t at;

  if(!pubsub_is_mote(from) || !pull_dpc_are_pulls(body, length)) {
    return false;
  }
  memcpy(kept, body, length);
  pubsub_counters.control_packets_received++;
  for(at = 0; at < length; at += PULL_SIZE) {
    pull(from, pubsub_get16(kept + at + PUBSUB_PULL_SUBSCRIBER_AT),
         pubsub_get16(kept + at + PUBSUB_PULL_SUBSCRIPTION_AT));
  }
  return true;
}
/*---------------------------------------------------------------------------*/
static void
send_towards(const struct pubsub_event *event, const struct way *way)
{
  uint8_t frame[PUBSUB_FRAME_SIZE], to[PUBSUB_PULLED_EVENT_BODY_FIXED_SIZE];
  uint16_t size;

  pubsub_put16(to, way->subscriber);
  size = pubsub_routing_frame(frame, PUBSUB_FRAME_PULLED_EVENT, way->next_hop,
                              to, sizeof(to), event, 0);
  if(size > 0) {
    cpc_of(event)->unicast(frame, size);
  }
}
/*---------------------------------------------------------------------------*/
/* Forwards an event that only its subscriber is to get, by the way to it. */
static void
pass_on(struct pubsub_event *event, uint16_t subscriber, uint16_t from, uint16_t number)
{
  const struct way *way = way_to(subscriber, pubsub_subject_id(event->subject));

  pubsub_counters.event_packets_received++;
  PUBSUB_OBSERVE(received, event, from, number);
  if(!pubsub_enforce_notify(PUBSUB_EXTB_TO_B, event, NULL)
     || !pubsub_enforce_notify(PUBSUB_B_TO_EXTB, event, NULL)) {
    return;
  }
  if(way == NULL || way->next_hop == from) {
    pull_dpc_counters.pulled_no_way++;
    PUBSUB_OBSERVE(dropped, "no-route", from, number);
  } else {
    send_towards(event, way);
  }
}
/*---------------------------------------------------------------------------*/
bool
pull_dpc_decode(struct pubsub_event *event, uint16_t *subscriber,
                const uint8_t *body, uint16_t length)
{
  if(length < PUBSUB_PULLED_EVENT_BODY_FIXED_SIZE) {
    return false;
  }
  *subscriber = pubsub_get16(body);
  return pubsub_is_mote(*subscriber)
    && pubsub_event_decode(event, body + PUBSUB_PULLED_EVENT_BODY_FIXED_SIZE,
                           length - PUBSUB_PULLED_EVENT_BODY_FIXED_SIZE);
}
/*---------------------------------------------------------------------------*/
static bool
events_input(uint16_t from, uint16_t next_hop, uint16_t number,
             const uint8_t *body, uint16_t length)
{
  struct pubsub_event event;
  uint16_t subscriber;

  if(!pubsub_is_mote(from) || !pull_dpc_decode(&event, &subscriber, body, length)) {
    return false;
  }
  if(next_hop != pubsub_routing_self()) {
    pubsub_counters.packets_off_topology++;
  } else if(subscriber == pubsub_routing_self()) {
    pubsub_routing_input(&pull_dpc_routes, &event, from, number);
  } else {
    pass_on(&event, subscriber, from, number);
  }
  return true;
}
/*---------------------------------------------------------------------------*/
void
pull_dpc_init(void)
{
  static struct pubsub_protocol pulls = { NULL, PUBSUB_FRAME_PULLS, NULL, pulls_input };
  static struct pubsub_protocol events = { NULL, PUBSUB_FRAME_PULLED_EVENT, NULL, events_input };

  ctimer_stop(&refreshing);
  ctimer_stop(&sending);
  memset(ways, 0, sizeof(ways));
  memset(&pull_dpc_counters, 0, sizeof(pull_dpc_counters));
  owns = waiting_size = 0;
  pubsub_routing_add_protocol(&pulls);
  pubsub_routing_add_protocol(&events);
}
/*---------------------------------------------------------------------------*/
static bool
is_neighbour(uint16_t mote)
{
  return true;
}
/*---------------------------------------------------------------------------*/
/* From elsewhere only what is for this mote comes to the routing layer. */
static uint16_t
next_hop(const struct pubsub_event *event, uint16_t from)
{
  uint16_t id = pubsub_subject_id(event->subject);
  unsigned i;

  for(i = 0; from == PUBSUB_NOBODY && i < PULL_DPC_MAX_WAYS; i++) {
    if(is_way(&ways[i], id)) {
      return PUBSUB_SEVERAL;
    }
  }
  return PUBSUB_NOBODY;
}
/*---------------------------------------------------------------------------*/
static void
send(const struct pubsub_event *event, uint16_t from)
{
  uint16_t id = pubsub_subject_id(event->subject);
  unsigned i;

  for(i = 0; i < PULL_DPC_MAX_WAYS; i++) {
    if(is_way(&ways[i], id)) {
      send_towards(event, &ways[i]);
    }
  }
}
/*---------------------------------------------------------------------------*/
static uint16_t
beside(const struct pubsub_event *event, unsigned contributors)
{
  return PUBSUB_PULLED_EVENT_BODY_FIXED_SIZE;
}
/*---------------------------------------------------------------------------*/
const struct pubsub_routing_driver pull_dpc_routes = {
  "PullDPC", is_neighbour, next_hop, subscription, send, beside
};
