/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Routing by subscriptions after Directed Diffusion (Intanagonwiwat, Govindan
 * and Estrin 2000), in FAMOUSO's manner (Schiefer, Steup and Kaiser 2013,
 * section 3): subscribers periodically flood their interest; every node keeps a
 * gradient for each topic and subscriber, towards the neighbour that brought the
 * interest on the shortest way, the first among equals. A channel chooses it by
 * an attribute; channels without it use the driver given to pubsub_init().
 *
 *   pubsub_init(self, index, &configured_routes);  or &diffusion_routes
 *   diffusion_init();                              on every mote, relays too
 *
 *   static struct diffusion_attribute wanted;
 *   diffusion_subscribe(&wanted, 10 * CLOCK_SECOND);
 *   pubsub_subscribe(subject, arrived, NULL, &wanted.attribute);
 *
 *   static struct diffusion_attribute offered;
 *   diffusion_publish(&offered);
 *   channel = pubsub_announce(subject, &offered.attribute);
 *
 * An event is forwarded once, in one frame to the union of the next hops towards
 * all subscribers of its topic (late cloning, section 4). frames/ has the frames.
 */
#ifndef DIFFUSION_H_
#define DIFFUSION_H_

#include "diffusion-conf.h"
#include "diffusion-counters.h"
#include "pubsub.h"

extern const struct pubsub_routing_driver diffusion_routes;

struct diffusion_attribute {
  struct pubsub_attribute attribute;
  clock_time_t renewal; /* 0: of a publisher's channel */
  uint8_t topic;
};

/* Start, after pubsub_init(). */
void diffusion_init(void);

/*
 * Prepare an attribute for a subscriber's channel, whose interest is flooded
 * every `renewal` clock ticks: the shorter, the more mobile the nodes.
 */
void diffusion_subscribe(struct diffusion_attribute *attribute,
                         clock_time_t renewal);

/* Prepare an attribute for a publisher's channel. */
void diffusion_publish(struct diffusion_attribute *attribute);

#endif
