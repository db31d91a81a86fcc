/* SPDX-License-Identifier: Apache-2.0 */
/* Mote 4 among neighbours 2, 3 and 5 that speak PushDPC and PullDPC. */
#ifndef DPC_NODE_H_
#define DPC_NODE_H_

#include <string.h>
#include "configured-routes.h"
#include "cpc/cpc.h"
#include "host.h"
#include "pubsub.h"
#include "pubsub-counters.h"
#include "pubsub-octets.h"
#include "pull-dpc/pull-dpc.h"
#include "push-dpc/push-dpc.h"
#include "reliable-cpc.h"

#define TOPIC pubsub_subject("t")
#define OTHER pubsub_subject("u")

static unsigned got;
static uint8_t last_publisher;
static uint16_t numbers;
/*---------------------------------------------------------------------------*/
static inline void
arrived(const struct pubsub_event *event, uint16_t from, void *context)
{
  got++;
  last_publisher = event->contributor[0].publisher;
}
/*---------------------------------------------------------------------------*/
static inline void
node(const struct pubsub_routing_driver *routes)
{
  memset(&pubsub_counters, 0, sizeof(pubsub_counters));
  got = 0;
  host_sent_frames = 0;
  host_link_silent = 0;
  pubsub_init(4, 4, routes);
  cpc_init(NULL);
  push_dpc_init();
  pull_dpc_init();
}
/*---------------------------------------------------------------------------*/
static inline unsigned
kind(unsigned frame)
{
  return host_sent[frame].bytes[0] & 0xf;
}
/*---------------------------------------------------------------------------*/
static inline void
receive(unsigned type, uint16_t from, uint16_t to, const uint8_t *body,
        uint16_t length)
{
  uint8_t frame[256];

  frame[0] = 0x10 | type;
  pubsub_put16(pubsub_put16(pubsub_put16(frame + 1, from), to), ++numbers);
  memcpy(frame + PUBSUB_FRAME_HEADER_SIZE, body, length);
  host_receive(frame, PUBSUB_FRAME_HEADER_SIZE + length);
}
/*---------------------------------------------------------------------------*/
static inline struct pubsub_event
make(pubsub_subject_t subject, uint8_t publisher, uint16_t sequence, uint8_t flags)
{
  struct pubsub_contributor one = { publisher, sequence };
  struct pubsub_event event = host_make(subject, 7, 1, &one);

  event.flags = flags;
  return event;
}
/*---------------------------------------------------------------------------*/
/* A neighbour forwards an event of a publisher that booted only once. */
static inline void
pushed(uint16_t from, uint8_t publisher, uint16_t sequence, uint8_t flags)
{
  struct pubsub_event event = make(TOPIC, publisher, sequence, flags);
  uint8_t body[PUBSUB_FRAME_SIZE];
  uint16_t size = pubsub_event_encode(&event, body, sizeof(body));

  pubsub_put16(body + size, 0);
  receive(PUBSUB_FRAME_PUSHED_EVENTS, from, PUBSUB_EVERYBODY, body, size + 2);
}
/*---------------------------------------------------------------------------*/
static inline void
pull(uint16_t from, uint16_t subscriber, pubsub_subject_t subject)
{
  uint8_t body[4];

  pubsub_put16(pubsub_put16(body, subscriber), pubsub_subject_id(subject));
  receive(PUBSUB_FRAME_PULLS, from, PUBSUB_EVERYBODY, body, sizeof(body));
}
/*---------------------------------------------------------------------------*/
static inline void
pulled(uint16_t from, uint16_t to, uint16_t subscriber, uint16_t sequence, uint8_t flags)
{
  struct pubsub_event event = make(TOPIC, 9, sequence, flags);
  uint8_t body[PUBSUB_FRAME_SIZE];

  pubsub_put16(body, subscriber);
  receive(PUBSUB_FRAME_PULLED_EVENT, from, to, body,
          2 + pubsub_event_encode(&event, body + 2, sizeof(body) - 2));
}

#endif
