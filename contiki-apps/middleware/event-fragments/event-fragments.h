/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events larger than a frame, beyond the event service thesis: they go as several events
 * of the same subject, each with three bytes before its data (the message's number, the
 * fragment's place, the last one's place). Gateways see nothing of it. Nothing is
 * repeated: if one fragment is lost, so is the whole.
 */
#ifndef EVENT_FRAGMENTS_H_
#define EVENT_FRAGMENTS_H_

#include <stdbool.h>
#include <stdint.h>
#include "contiki.h"
#include "sys/ctimer.h"
#include "pubsub-event.h"

#define EVENT_FRAGMENTS_HEADER 3
#define EVENT_FRAGMENTS_DATA (PUBSUB_MAX_DATA - EVENT_FRAGMENTS_HEADER)

/* The largest event, bytes. */
#ifdef EVENT_FRAGMENTS_CONF_SIZE
#define EVENT_FRAGMENTS_SIZE EVENT_FRAGMENTS_CONF_SIZE
#else
#define EVENT_FRAGMENTS_SIZE 256
#endif

/* Suppliers whose events a mote puts together at a time. */
#ifdef EVENT_FRAGMENTS_CONF_SOURCES
#define EVENT_FRAGMENTS_SOURCES EVENT_FRAGMENTS_CONF_SOURCES
#else
#define EVENT_FRAGMENTS_SOURCES 2
#endif

/* A mote's counters; `whole` and `incomplete` are of events that it puts together. */
#define EVENT_FRAGMENTS_COUNTERS(X) \
  X(fragmented_refused) \
  X(fragmented_whole) \
  X(fragmented_incomplete)

struct event_fragments_counters {
#define EVENT_FRAGMENTS_COUNTER_FIELD(name) uint32_t name;
  EVENT_FRAGMENTS_COUNTERS(EVENT_FRAGMENTS_COUNTER_FIELD)
#undef EVENT_FRAGMENTS_COUNTER_FIELD
};

extern struct event_fragments_counters event_fragments_counters;

struct event_fragments_sender {
  pubsub_subject_t event;
  const uint8_t *data;
  uint16_t length;
  uint8_t message, next;
  clock_time_t gap;
  struct ctimer timer;
};

/*
 * Push an event of up to EVENT_FRAGMENTS_SIZE bytes that the mote has advertised, a
 * fragment each `gap`: a send buffer has room for one frame. The data must stay until
 * the last one is pushed. False, and counted, if the sender is still busy.
 */
bool event_fragments_push(struct event_fragments_sender *sender, pubsub_subject_t event,
                          const uint8_t *data, uint16_t length, clock_time_t gap);

/*
 * A consumer gives what comes to this function, which calls `whole` when an event's last
 * missing fragment is there.
 */
void event_fragments_take(const struct pubsub_event *event,
                          void (*whole)(pubsub_subject_t event, uint8_t publisher,
                                        const uint8_t *data, uint16_t length));

void event_fragments_init(void);

#endif
