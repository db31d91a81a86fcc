/* SPDX-License-Identifier: Apache-2.0 */
/* Mote 4 among neighbours 2, 3, 5, 6; subscribers 1 and 9 are further away. */
#ifndef DIFFUSION_NODE_H_
#define DIFFUSION_NODE_H_

#include <string.h>
#include "configured-routes.h"
#include "diffusion.h"
#include "diffusion-gradients.h"
#include "diffusion-neighbours.h"
#include "host.h"
#include "mean.h"
#include "pubsub-counters.h"
#include "pubsub-link.h"
#include "pubsub-octets.h"
#include "sys/log.h"

#define TOPIC pubsub_subject("t")
#define OTHER pubsub_subject("u")
#define RENEWAL 10000 /* ms */
#define INTEREST 5
#define COPY 6

static unsigned got;
static uint16_t numbers;
/*---------------------------------------------------------------------------*/
static inline void
arrived(const struct pubsub_event *event, uint16_t from, void *context)
{
  got++;
}
/*---------------------------------------------------------------------------*/
static inline void
node(void)
{
  memset(&pubsub_counters, 0, sizeof(pubsub_counters));
  got = 0;
  configured_routes_set(3);
  configured_routes_add_neighbour(3);
  pubsub_init(4, 4, &configured_routes);
  diffusion_init();
  host_link_silent = 0;
}
/*---------------------------------------------------------------------------*/
static inline unsigned
kind(unsigned frame)
{
  return host_sent[frame].bytes[0] & 0xf;
}
/*---------------------------------------------------------------------------*/
/* Counts the frames of a type that were sent since `first`. */
static inline unsigned
sent(unsigned type, unsigned first)
{
  unsigned n = 0;

  for(; first < host_sent_frames; first++) {
    n += kind(first) == type;
  }
  return n;
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
static inline void
interest(pubsub_subject_t subject, uint16_t subscriber, uint16_t sequence,
         uint16_t from, uint8_t hops, uint32_t renewal)
{
  uint8_t body[17];

  pubsub_put32(pubsub_put32(body, (uint32_t)subject), subject >> 32);
  pubsub_put16(pubsub_put16(body + 8, subscriber), sequence);
  body[12] = hops;
  pubsub_put32(body + 13, renewal);
  receive(INTEREST, from, PUBSUB_EVERYBODY, body, sizeof(body));
}
/*---------------------------------------------------------------------------*/
static inline struct pubsub_event
make(uint8_t publisher, uint16_t sequence)
{
  struct pubsub_contributor one = { publisher, sequence };
  struct pubsub_event event = host_make(TOPIC, 7, 1, &one);

  event.flags = 0;
  return event;
}
/*---------------------------------------------------------------------------*/
/* Receives a copy of a publisher's event for two subscribers; the second may be 0. */
static inline void
copy_of(const struct pubsub_event *event, uint16_t from, uint16_t first,
        uint16_t second)
{
  uint8_t body[2 * PUBSUB_FRAME_SIZE], size = second != 0 ? 5 : 3;
  unsigned i;

  body[0] = second != 0 ? 2 : 1;
  pubsub_put16(pubsub_put16(body + 1, first), second);
  size += pubsub_event_encode(event, body + size, sizeof(body) - size);
  for(i = 0; i < event->contributors; i++, size += 2) {
    pubsub_put16(body + size, event->contributor[i].incarnation);
  }
  receive(COPY, from, 4, body, size);
}
/*---------------------------------------------------------------------------*/
/* The publisher's incarnation in the events that copy_from() makes. */
static uint16_t incarnation;

static inline void
copy_from(uint8_t publisher, uint16_t sequence, uint16_t from, uint16_t first,
          uint16_t second)
{
  struct pubsub_event event = make(publisher, sequence);

  event.contributor[0].incarnation = incarnation;
  copy_of(&event, from, first, second);
}
/*---------------------------------------------------------------------------*/
/* Checks that the last frame is a copy for so many subscribers, and returns its receiver. */
static inline uint16_t
goes_to(unsigned subscribers)
{
  const uint8_t *frame = host_sent[host_sent_frames - 1].bytes;

  CHECK_EQUAL(kind(host_sent_frames - 1), COPY);
  CHECK_EQUAL(frame[PUBSUB_FRAME_HEADER_SIZE], subscribers);
  return pubsub_get16(frame + 3);
}
/*---------------------------------------------------------------------------*/
/* Returns the hops to the subscriber in the last frame, which is an interest. */
static inline unsigned
told(void)
{
  CHECK_EQUAL(kind(host_sent_frames - 1), INTEREST);
  return host_sent[host_sent_frames - 1].bytes[PUBSUB_FRAME_HEADER_SIZE + 12];
}

#endif
