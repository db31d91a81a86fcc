/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a unit test of the middleware stands on: a clock, timers, a link that
 * keeps what was sent.
 */
#ifndef HOST_H_
#define HOST_H_

#include "check.h"
#include "contiki.h"
#include "pubsub-event.h"

/* Lets so many ms pass; timers fire in order. */
void host_pass(clock_time_t ms);

/* Frames handed to the link, oldest first; the test empties them. */
struct host_frame {
  uint16_t length;
  uint8_t bytes[PUBSUB_FRAME_SIZE];
};
extern struct host_frame host_sent[256];
extern unsigned host_sent_frames;

/* The reason with which the link fails the next frames; NULL if it transmits them. */
extern const char *host_link_verdict;

/* This mote acknowledges no frames that are for it alone; 0: all do. */
extern uint16_t host_link_silent;

/* Whether a frame is said to wait at the MAC. */
extern bool host_link_busy;

/* The link keeps the next frames, up to eight, until host_link_finish() says that they are sent. */
extern bool host_link_waits;
void host_link_finish(void);

/* The event in a sent frame. */
struct pubsub_event host_event(unsigned frame);
uint16_t host_next_hop(unsigned frame);

/* A frame arrives, of exactly these bytes. */
void host_receive(const uint8_t *bytes, uint16_t length);

/* A frame with this event arrives from a mote, for a mote. */
void host_receive_event(const struct pubsub_event *event,
                        uint16_t from, uint16_t next_hop);

/* An aggregatable event on the subject: n contributors "publisher.sequence". */
struct pubsub_event host_make(pubsub_subject_t subject, int16_t value, int n,
                              const struct pubsub_contributor *contributors);

#endif
