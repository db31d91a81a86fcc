/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include "contiki.h"
#include "lib/random.h"
#include "sys/ctimer.h"
#include "sys/rtimer.h"
#include "cpc/cpc.h"
#include "diffusion/diffusion-conf.h"
#include "push-dpc.h"
#include "pubsub.h"
#include "pubsub-counters.h"
#include "pubsub-observer.h"
#include "pubsub-octets.h"
#include "pubsub-window.h"

#define INCARNATION_SIZE 2

/* Which events of one publisher and topic this mote has already seen. */
struct flow {
  uint8_t publisher; /* 0: unused */
  uint16_t incarnation;
  uint16_t topic;    /* pubsub_subject_id() */
  uint16_t at;       /* when its last new event came: the clock's low bits */
  struct pubsub_window numbers;
};

struct push_dpc_counters push_dpc_counters;

static struct flow flows[PUSH_DPC_MAX_FLOWS];

/* The frame that waits: its events, and of a reliable one, of which there is one
   a frame, what its CPC wants to know. */
static struct {
  uint8_t frame[PUBSUB_FRAME_SIZE];
  uint8_t length; /* 0: none waits */
  bool is_reliable;
  uint16_t from;
  struct ctimer timer;
} waiting;
/*---------------------------------------------------------------------------*/
uint16_t
push_dpc_decode(struct pubsub_event *event, const uint8_t *at, uint16_t length)
{
  uint16_t size;
  unsigned i;

  if(length < PUBSUB_EVENT_HEADER_SIZE) {
    return 0;
  }
  size = PUBSUB_EVENT_HEADER_SIZE + at[PUBSUB_EVENT_LENGTH_AT]
    + PUBSUB_CONTRIBUTOR_SIZE * at[PUBSUB_EVENT_CONTRIBUTORS_AT];
  if(size + INCARNATION_SIZE * at[PUBSUB_EVENT_CONTRIBUTORS_AT] > length
     || !pubsub_event_decode(event, at, size)) {
    return 0;
  }
  for(i = 0; i < event->contributors; i++) {
    event->contributor[i].incarnation = pubsub_get16(at + size);
    size += INCARNATION_SIZE;
  }
  return size;
}
/*---------------------------------------------------------------------------*/
static void
send_waiting(void *ptr)
{
  uint16_t length = waiting.length;
  struct pubsub_event event;

  ctimer_stop(&waiting.timer);
  waiting.length = 0;
  if(length == 0) {
    return;
  }
  push_dpc_counters.pushes_sent++;
  if(waiting.is_reliable
     && push_dpc_decode(&event, waiting.frame + PUBSUB_FRAME_HEADER_SIZE,
               length - PUBSUB_FRAME_HEADER_SIZE) > 0) {
    cpc_of(&event)->flood(waiting.frame, length, &event, waiting.from);
  } else {
    pubsub_routing_broadcast(waiting.frame, length);
  }
}
/*---------------------------------------------------------------------------*/
/* Write the incarnations behind an event of the waiting frame. */
static void
add_incarnations(const struct pubsub_event *event)
{
  unsigned i;

  for(i = 0; i < event->contributors; i++) {
    pubsub_put16(waiting.frame + waiting.length, event->contributor[i].incarnation);
    waiting.length += INCARNATION_SIZE;
  }
}
/*---------------------------------------------------------------------------*/
/* Whether the event joined those that wait already. */
static bool
join(const struct pubsub_event *event)
{
  if(waiting.length == 0 || waiting.is_reliable || event->flags & PUBSUB_RELIABLE
     || waiting.length + pubsub_event_size(event)
     + INCARNATION_SIZE * event->contributors > PUBSUB_FRAME_SIZE) {
    return false;
  }
  waiting.length += pubsub_event_encode(event, waiting.frame + waiting.length,
                                        PUBSUB_FRAME_SIZE - waiting.length);
  add_incarnations(event);
  push_dpc_counters.pushes_merged++;
  PUBSUB_OBSERVE(sent, event, PUBSUB_EVERYBODY,
                 pubsub_get16(waiting.frame + PUBSUB_FRAME_NUMBER_AT));
  return true;
}
/*---------------------------------------------------------------------------*/
/* This mote's own wait for those that are published in the same turn. */
static void
send(const struct pubsub_event *event, uint16_t from)
{
  static const uint8_t nothing;

  if(join(event)) {
    return;
  }
  send_waiting(NULL);
  waiting.length =
    pubsub_routing_frame(waiting.frame, PUBSUB_FRAME_PUSHED_EVENTS, PUBSUB_EVERYBODY,
                         &nothing, 0, event, INCARNATION_SIZE * event->contributors);
  if(waiting.length == 0) {
    return;
  }
  add_incarnations(event);
  waiting.is_reliable = event->flags & PUBSUB_RELIABLE;
  waiting.from = from;
  cpc_expect(event);
  ctimer_set(&waiting.timer, from == PUBSUB_NOBODY ? 1
             : 1 + random_rand() % PUSH_DPC_JITTER, send_waiting, NULL);
}
/*---------------------------------------------------------------------------*/
static struct flow *
flow_of(uint16_t topic, const struct pubsub_contributor *author)
{
  uint16_t now = (uint16_t)clock_time(), quiet, most = PUSH_DPC_LIFETIME - 1;
  struct flow *flow, *oldest = NULL;

  for(flow = flows; flow < flows + PUSH_DPC_MAX_FLOWS; flow++) {
    if(flow->publisher == author->publisher && flow->topic == topic
       && flow->incarnation == author->incarnation) {
      return flow;
    }
    quiet = flow->publisher == 0 ? UINT16_MAX : now - flow->at;
    if(quiet > most) {
      oldest = flow;
      most = quiet;
    }
  }
  if(oldest == NULL) {
    return NULL;
  }
  oldest->publisher = author->publisher;
  oldest->topic = topic;
  oldest->incarnation = author->incarnation;
  pubsub_window_begin(&oldest->numbers, author->sequence);
  return oldest;
}
/*---------------------------------------------------------------------------*/
/* One that couldn't be remembered might circle: it isn't taken. */
static bool
remember(uint16_t topic, const struct pubsub_contributor *author)
{
  struct flow *flow = flow_of(topic, author);

  if(flow == NULL) {
    push_dpc_counters.pushes_refused++;
    return false;
  }
  if(!pubsub_window_enter(&flow->numbers, author->sequence)) {
    return false;
  }
  flow->at = (uint16_t)clock_time();
  return true;
}
/*---------------------------------------------------------------------------*/
/* Whether one of its individual events is new here. */
static bool
is_new(const struct pubsub_event *event)
{
  uint16_t topic = pubsub_subject_id(event->subject);
  bool any = false;
  unsigned i;

  for(i = 0; i < event->contributors; i++) {
    any |= remember(topic, &event->contributor[i]);
  }
  return any;
}
/*---------------------------------------------------------------------------*/
/* Whether the whole body is events. */
static bool
is_right(const uint8_t *body, uint16_t length)
{
  struct pubsub_event event;
  uint16_t at = 0, size;

  do {
    size = push_dpc_decode(&event, body + at, length - at);
    at += size;
  } while(size > 0 && at < length);
  return size > 0;
}
/*---------------------------------------------------------------------------*/
static bool
input(uint16_t from, uint16_t next_hop, uint16_t number,
      const uint8_t *body, uint16_t length)
{
  uint8_t kept[PUBSUB_FRAME_SIZE]; /* what is sent takes the packet's place */
  struct pubsub_event event;
  uint16_t at;

  if(!pubsub_is_mote(from) || length > sizeof(kept) - PUBSUB_FRAME_HEADER_SIZE
     || !is_right(body, length)) {
    return false;
  }
  memcpy(kept, body, length);
  push_dpc_decode(&event, kept, length);
  cpc_heard(from, &event);
  for(at = 0; at < length;) {
    at += push_dpc_decode(&event, kept + at, length - at);
    if(from != pubsub_routing_self() && is_new(&event)) {
      pubsub_routing_input(&push_dpc_routes, &event, from, number);
    } else {
      push_dpc_counters.pushes_duplicate++;
      PUBSUB_OBSERVE(dropped, "duplicate", from, number);
    }
  }
  return true;
}
/*---------------------------------------------------------------------------*/
void
push_dpc_init(void)
{
  static struct pubsub_protocol protocol = { NULL, PUBSUB_FRAME_PUSHED_EVENTS, NULL, input };

  ctimer_stop(&waiting.timer);
  waiting.length = 0;
  memset(flows, 0, sizeof(flows));
  memset(&push_dpc_counters, 0, sizeof(push_dpc_counters));
  if(pubsub_incarnation == 0) {
    pubsub_incarnation = DIFFUSION_INCARNATION();
  }
  pubsub_routing_add_protocol(&protocol);
}
/*---------------------------------------------------------------------------*/
static bool
is_neighbour(uint16_t mote)
{
  return true;
}
/*---------------------------------------------------------------------------*/
static uint16_t
next_hop(const struct pubsub_event *event, uint16_t from)
{
  if(from == PUBSUB_NOBODY) {
    is_new(event); /* not when it comes back */
  }
  return PUBSUB_SEVERAL;
}
/*---------------------------------------------------------------------------*/
static uint16_t
beside(const struct pubsub_event *event, unsigned contributors)
{
  return INCARNATION_SIZE * contributors;
}
/*---------------------------------------------------------------------------*/
const struct pubsub_routing_driver push_dpc_routes = {
  "PushDPC", is_neighbour, next_hop, NULL, send, beside
};
