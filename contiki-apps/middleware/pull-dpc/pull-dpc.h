/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PullDPC (Russello, Mostarda and Dulay 2011, 6.2.2): one-phase pull. A subscriber
 * floods a pull message of four bytes, its address and the subscription's id, and
 * again every PULL_DPC_REFRESH; every mote passes it on once and remembers the
 * neighbour that brought it first. Notifications go back that way, point to point.
 * Subscriptions that wait at the same time share a frame.
 *
 * It is a driver of the routing layer, given to pubsub_init() for all topics, or to
 * pubsub_publish_by(), where the subscriber calls pull_dpc_routes.subscription().
 */
#ifndef PULL_DPC_H_
#define PULL_DPC_H_

#include "contiki.h"
#include "pubsub-routing.h"

/* Pairs of a subscriber and a subscription elsewhere. */
#ifdef PULL_DPC_CONF_MAX_WAYS
#define PULL_DPC_MAX_WAYS PULL_DPC_CONF_MAX_WAYS
#else
#define PULL_DPC_MAX_WAYS 16
#endif

/* This mote's own subscriptions. */
#ifdef PULL_DPC_CONF_MAX_SUBSCRIPTIONS
#define PULL_DPC_MAX_SUBSCRIPTIONS PULL_DPC_CONF_MAX_SUBSCRIPTIONS
#else
#define PULL_DPC_MAX_SUBSCRIPTIONS 4
#endif

/* Between two pull messages of a subscription, clock ticks; the same on all motes. */
#ifdef PULL_DPC_CONF_REFRESH
#define PULL_DPC_REFRESH PULL_DPC_CONF_REFRESH
#else
#define PULL_DPC_REFRESH (30 * CLOCK_SECOND)
#endif

/* A pull message is passed on after a random time below this, clock ticks. */
#ifdef PULL_DPC_CONF_JITTER
#define PULL_DPC_JITTER PULL_DPC_CONF_JITTER
#else
#define PULL_DPC_JITTER (CLOCK_SECOND / 8)
#endif

/* A way that was not refreshed for that many intervals ends. */
#define PULL_DPC_REFRESHES 3

extern const struct pubsub_routing_driver pull_dpc_routes;

/* Start, after pubsub_init() and cpc_init(), on every mote, relays too. */
void pull_dpc_init(void);

/* Whether a frame's body is pull messages and nothing else. */
bool pull_dpc_are_pulls(const uint8_t *body, uint16_t length);

/* Read an event that was pulled. False if the body is malformed. */
bool pull_dpc_decode(struct pubsub_event *event, uint16_t *subscriber,
                     const uint8_t *body, uint16_t length);

#define PULL_DPC_COUNTERS(X) \
  X(pulls_originated) \
  X(pulls_forwarded) \
  X(pulls_sent) \
  X(pulls_duplicate) \
  X(pulls_refused) \
  X(pulled_no_way)

struct pull_dpc_counters {
#define PULL_DPC_COUNTER_FIELD(name) uint16_t name;
  PULL_DPC_COUNTERS(PULL_DPC_COUNTER_FIELD)
#undef PULL_DPC_COUNTER_FIELD
};

extern struct pull_dpc_counters pull_dpc_counters;

#endif
