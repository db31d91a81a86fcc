/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PushDPC (Russello, Mostarda and Dulay 2011, 3.3 and 6.2.2): push diffusion.
 * Subscriptions stay where they are made, and notifications seek the subscribers:
 * every mote sends each on once, whatever its topic. Notifications that wait at the
 * same time share a frame. It is a driver of the routing layer, given to
 * pubsub_publish_by(), or to pubsub_init() for all topics.
 */
#ifndef PUSH_DPC_H_
#define PUSH_DPC_H_

#include "push-dpc-conf.h"
#include "pubsub-routing.h"

extern const struct pubsub_routing_driver push_dpc_routes;

/* Start, after pubsub_init() and cpc_init(), on every mote, relays too. */
void push_dpc_init(void);

/* Read an event and its incarnations out of a frame's body: their size, 0 if they
   are malformed. */
uint16_t push_dpc_decode(struct pubsub_event *event, const uint8_t *at, uint16_t length);

#define PUSH_DPC_COUNTERS(X) \
  X(pushes_sent) \
  X(pushes_merged) \
  X(pushes_duplicate) \
  X(pushes_refused)

struct push_dpc_counters {
#define PUSH_DPC_COUNTER_FIELD(name) uint16_t name;
  PUSH_DPC_COUNTERS(PUSH_DPC_COUNTER_FIELD)
#undef PUSH_DPC_COUNTER_FIELD
};

extern struct push_dpc_counters push_dpc_counters;

#endif
