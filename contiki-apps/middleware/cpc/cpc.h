/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Communication protocol components (Russello, Mostarda and Dulay 2011, 3.3): how
 * the frames of a diffusion protocol get over one hop. UnreliableCPC sends each
 * once; ReliableCPC, for events with the flag PUBSUB_RELIABLE, sees that the
 * neighbours have it. The flag is on air, so that each hop knows.
 *
 * Another protocol is another file that defines a struct cpc.
 */
#ifndef CPC_H_
#define CPC_H_

#include <stdbool.h>
#include <stdint.h>
#include "pubsub-event.h"

struct cpc {
  const char *name;
  /* Send a frame to the neighbour that its header names. */
  void (*unicast)(const uint8_t *frame, uint16_t length);
  /*
   * Send a frame of a flood with one event, that came from a neighbour
   * (PUBSUB_NOBODY: it is this mote's own), to all neighbours.
   */
  void (*flood)(const uint8_t *frame, uint16_t length,
                const struct pubsub_event *event, uint16_t from);
  /* A frame of a flood with that event waits to be sent; NULL: no matter. Neighbours
     can be heard to have it from here on. */
  void (*expect)(const struct pubsub_event *event);
  /* A neighbour was heard to have an event of a flood; NULL: no matter. */
  void (*has)(uint16_t neighbour, const struct pubsub_event *event);
};

extern const struct cpc cpc_unreliable;
extern const struct cpc cpc_reliable;

/* Start; `reliable`: what events with the flag go by, NULL if it isn't linked. */
void cpc_init(const struct cpc *reliable);

/* The one that an event is to go by. One that isn't linked is counted, and the
   event goes by UnreliableCPC. */
const struct cpc *cpc_of(const struct pubsub_event *event);

/* A frame of a flood with that event waits to be sent. */
void cpc_expect(const struct pubsub_event *event);

/* A neighbour was heard to have an event of a flood. */
void cpc_heard(uint16_t neighbour, const struct pubsub_event *event);

#define CPC_COUNTERS(X) \
  X(cpc_not_linked) \
  X(cpc_repeated) \
  X(cpc_unanswered) \
  X(cpc_untracked)

struct cpc_counters {
#define CPC_COUNTER_FIELD(name) uint16_t name;
  CPC_COUNTERS(CPC_COUNTER_FIELD)
#undef CPC_COUNTER_FIELD
};

extern struct cpc_counters cpc_counters;

#endif
