/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events in the aggregation-aware format of Schiefer, Steup and Kaiser (2013),
 * section 4: every event names the individual events that it is made of, so
 * that a subscriber can tell them apart after they were merged on the way.
 */
#ifndef PUBSUB_EVENT_H_
#define PUBSUB_EVENT_H_

#include <stdbool.h>
#include <stdint.h>
#include "pubsub-conf.h"
#include "pubsub-frames.h"

/* A topic has 64 bits as in FAMOUSO, usually the eight characters of a name. */
typedef uint64_t pubsub_subject_t;

/* On air, before an event's data; of each contributor; before the body. */
#define PUBSUB_EVENT_HEADER_SIZE PUBSUB_EVENT_FIXED_SIZE
#define PUBSUB_CONTRIBUTOR_SIZE PUBSUB_CONTRIBUTOR_FIXED_SIZE
#define PUBSUB_FRAME_HEADER_SIZE PUBSUB_FRAME_FIXED_SIZE

/* Room for contributors when an event has no data. */
#define PUBSUB_MAX_CONTRIBUTORS \
  ((PUBSUB_FRAME_SIZE - PUBSUB_FRAME_HEADER_SIZE - PUBSUB_EVENT_HEADER_SIZE) \
   / PUBSUB_CONTRIBUTOR_SIZE)

enum {
  PUBSUB_AGGREGATABLE = 0x01, /* a merge function may take it */
  PUBSUB_RELIABLE = 0x02,     /* each hop sees that the next has it (cpc.h) */
  PUBSUB_FLAGS = 0x03         /* all flags there are; others are malformed */
};

/*
 * One individual event: its publisher (1-based index) and its number. A
 * publisher doesn't repeat numbers while it runs, but it may begin anew when it
 * boots, so routing that remembers events has to tell its boots apart.
 * `incarnation` does that where routing carries it beside the event
 * (diffusion); otherwise it is 0.
 */
struct pubsub_contributor {
  uint8_t publisher;
  uint16_t sequence;
  uint16_t incarnation;
};

struct pubsub_event {
  pubsub_subject_t subject;
  uint8_t flags;
  uint8_t contributors; /* 1: an individual event; more: an aggregate */
  uint8_t length;       /* bytes of data */
  uint8_t data[PUBSUB_MAX_DATA];
  struct pubsub_contributor contributor[PUBSUB_MAX_CONTRIBUTORS];
};

/* The subject named by up to eight characters; more are left out. */
pubsub_subject_t pubsub_subject(const char *name);

/* 16 bits of the subject, for frames that have no room for more. */
uint16_t pubsub_subject_id(pubsub_subject_t subject);

/* Bytes that the event takes in a frame, frame header left out. */
uint16_t pubsub_event_size(const struct pubsub_event *event);

/* Whether it fits PUBSUB_FRAME_SIZE with that many more contributors. */
bool pubsub_event_fits(const struct pubsub_event *event, unsigned more);

/*
 * Write an event to `buffer` of `size` bytes. Returns the bytes written, 0 if
 * they don't fit.
 */
uint16_t pubsub_event_encode(const struct pubsub_event *event,
                             uint8_t *buffer, uint16_t size);

/*
 * Read an event that fills `buffer` of `size` bytes exactly. Returns false for
 * anything else: cut short, too long, unknown flags, no contributor, publisher
 * 0, more data or contributors than this build has room for.
 */
bool pubsub_event_decode(struct pubsub_event *event,
                         const uint8_t *buffer, uint16_t size);

/* Whether one of its individual events is from that publisher. */
bool pubsub_event_contains(const struct pubsub_event *event,
                           uint8_t publisher);

#endif
