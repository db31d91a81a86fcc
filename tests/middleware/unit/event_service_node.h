/* SPDX-License-Identifier: Apache-2.0 */
/* A mote of the event service between its parent 2 and the motes 9 and on below it: frames that it gets, and those that it
   sends. */
#ifndef UNIT_EVENT_SERVICE_NODE_H_
#define UNIT_EVENT_SERVICE_NODE_H_

#include "event-channel.h"
#include "event-service.h"
#include "event-service-binding.h"
#include "event-service-instructor.h"
#include "event-service-output.h"
#include "event-service-renewal.h"
#include "event-service-requests.h"
#include "event-service-up.h"
#include "event-terms.h"
#include "host.h"
#include "pubsub-bridge.h"
#include "pubsub-counters.h"
#include "pubsub-octets.h"
#include "pubsub.h"

#define SELF 5
#define PARENT 2
#define CHILD 9
#define OTHER 7 /* a neighbour that is neither */

#define TEMP pubsub_subject("temp")
#define PRES pubsub_subject("pres")

extern struct process event_service_process, event_service_instructor_process, pubsub_bridge_process;

static const struct event_service_place leaf = {
  .mote = SELF, .parent = PARENT, .publisher = 3, .send_buffer = 2, .retry = 100
};
static const struct event_service_place base = {
  .mote = SELF, .parent = PUBSUB_NOBODY, .publisher = 3, .send_buffer = 2, .retry = 100, .uart_rate = 999
};

static unsigned seen; /* of the frames that were sent */
/*---------------------------------------------------------------------------*/
static bool
is_neighbour(uint16_t mote)
{
  return mote < 100;
}
/*---------------------------------------------------------------------------*/
static uint16_t
no_next_hop(const struct pubsub_event *event, uint16_t from)
{
  return PUBSUB_NOBODY;
}

static const struct pubsub_routing_driver tree = { .name = "tree", .is_neighbour = is_neighbour, .next_hop = no_next_hop };
/*---------------------------------------------------------------------------*/
static void
start(struct event_service_place place)
{
  pubsub_init(place.mote, place.publisher, &tree);
  event_service_init(&place);
}
/*---------------------------------------------------------------------------*/
static void
receive(uint8_t type, uint16_t from, const uint8_t *body, uint16_t length)
{
  uint8_t frame[PUBSUB_FRAME_SIZE + 1] = { PUBSUB_FRAME_FIRST(type) };

  pubsub_put16(pubsub_put16(pubsub_put16(frame + 1, from), SELF), 1);
  if(length > 0) {
    memcpy(frame + PUBSUB_FRAME_HEADER_SIZE, body, length);
  }
  host_receive(frame, PUBSUB_FRAME_HEADER_SIZE + length);
}
/*---------------------------------------------------------------------------*/
/* Checks the next frame that was sent. */
static void
sent(int line, uint8_t type, uint16_t to, const uint8_t *body, uint16_t length)
{
  const struct host_frame *frame = &host_sent[seen % 256];

  if(seen == host_sent_frames || frame->bytes[0] != PUBSUB_FRAME_FIRST(type) || host_next_hop(seen % 256) != to
     || pubsub_get16(frame->bytes + 1) != SELF || frame->length != PUBSUB_FRAME_HEADER_SIZE + length
     || (length > 0 && memcmp(frame->bytes + PUBSUB_FRAME_HEADER_SIZE, body, length) != 0)) {
    fprintf(stderr, "line %d: %u frames, this of type %u to %u with %u bytes:", line, host_sent_frames - seen,
            frame->bytes[0] & 31, host_next_hop(seen % 256), frame->length);
    for(unsigned i = 0; i < frame->length; i++) {
      fprintf(stderr, " %02x", frame->bytes[i]);
    }
    fprintf(stderr, "\n");
    exit(1);
  }
  seen++;
}

#define CHECK_SENT(type, to, body, length) sent(__LINE__, PUBSUB_FRAME_##type, to, body, length)
#define CHECK_SILENT() CHECK_EQUAL(host_sent_frames, seen)

#define HANG 100000 /* ms that nothing here takes */

static void
await_frame(void)
{
  for(unsigned wait = 0; host_sent_frames == seen; wait++) {
    CHECK(wait < HANG);
    host_pass(1);
  }
}
/*---------------------------------------------------------------------------*/
static uint8_t body[EVENT_SERVICE_REGISTRATION_MOST];

/* Encodes a registration into `body`; returns its size. */
static uint16_t
registration(uint8_t what, uint16_t origin, pubsub_subject_t event, const char *terms, uint8_t length)
{
  struct event_service_registration r = { .what = what, .origin = origin, .event = event, .terms_length = length };

  memcpy(r.terms, terms, length);
  return event_service_registration_encode(&r, body);
}

#define WITHOUT_TERMS "", 0
/*---------------------------------------------------------------------------*/
/* A child registers: whether it is acknowledged, and no other frame goes out. */
static bool
registers(uint8_t what, uint16_t origin, pubsub_subject_t event, const char *terms, uint8_t terms_length)
{
  uint16_t length = registration(what, origin, event, terms, terms_length);

  receive(PUBSUB_FRAME_REGISTRATION, CHILD, body, length);
  if(host_sent_frames == seen) {
    return false;
  }
  CHECK_SENT(REGISTERED, CHILD, body, length);
  CHECK_SILENT();
  return true;
}
/*---------------------------------------------------------------------------*/
static void
acknowledged_by(uint16_t from, uint8_t what, uint16_t origin, pubsub_subject_t event, const char *terms, uint8_t length)
{
  uint16_t size = registration(what, origin, event, terms, length);

  receive(PUBSUB_FRAME_REGISTERED, from, body, size);
}
/*---------------------------------------------------------------------------*/
/* An encoded event of publisher 1. */
static uint8_t event_bytes[PUBSUB_FRAME_SIZE];

static uint16_t
event_of(pubsub_subject_t subject, uint8_t first, uint8_t second)
{
  const struct pubsub_event event = { .subject = subject, .contributors = 1, .contributor = { { 1, 8, 0 } }, .length = 2,
                                      .data = { first, second } };

  return pubsub_event_encode(&event, event_bytes, sizeof(event_bytes));
}
/*---------------------------------------------------------------------------*/
/* A delivery's body, in `delivery_bytes`. */
static uint8_t delivery_bytes[PUBSUB_FRAME_SIZE];

static uint16_t
delivery_of(unsigned consumers, const uint16_t *consumer, pubsub_subject_t subject)
{
  uint16_t length = event_of(subject, 1, 2);
  uint8_t *at = delivery_bytes;

  *at++ = consumers;
  for(unsigned i = 0; i < consumers; i++) {
    at = pubsub_put16(at, consumer[i]);
  }
  memcpy(at, event_bytes, length);
  return at + length - delivery_bytes;
}

#define DELIVERY(subject, ...) \
  delivery_of(sizeof((const uint16_t[]){ __VA_ARGS__ }) / 2, (const uint16_t[]){ __VA_ARGS__ }, subject)
/*---------------------------------------------------------------------------*/
static unsigned consumed;
static uint16_t consumed_from;
static struct pubsub_event last;

static void
take(const struct pubsub_event *event, uint16_t from)
{
  consumed++;
  consumed_from = from;
  last = *event;
}
/*---------------------------------------------------------------------------*/
static pubsub_subject_t ended;

static void
note_end(pubsub_subject_t event)
{
  ended = event;
}

static const struct push_consumer consumer = { take, note_end }, brief_consumer = { take, NULL };
static const struct push_supplier supplier = { note_end }, brief_supplier = { NULL };

#endif
