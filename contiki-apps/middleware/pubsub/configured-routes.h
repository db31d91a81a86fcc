/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Routes configured beforehand, as in the aggregation paper's experiments
 * (5.2.1): every node knows its next hop towards the subscriber and whom it may
 * hear; nothing is ever learnt.
 */
#ifndef CONFIGURED_ROUTES_H_
#define CONFIGURED_ROUTES_H_

#include "pubsub-routing.h"

extern const struct pubsub_routing_driver configured_routes;

/* Forget everything; `parent` is the next hop, PUBSUB_NOBODY at the end. */
void configured_routes_set(uint16_t parent);

/*
 * Events of one subject go to another next hop (Figure 3 of the aggregation
 * paper); after configured_routes_set(), for one subject, the last one told.
 */
void configured_routes_set_for(pubsub_subject_t subject, uint16_t parent);

/* Hear this mote too. False if the table is full (logged and counted). */
bool configured_routes_add_neighbour(uint16_t mote);

uint16_t configured_routes_parent(void);

#endif
