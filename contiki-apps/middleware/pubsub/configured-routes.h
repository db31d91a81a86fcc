/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Routes configured beforehand, as in the aggregation paper's experiments
 * (5.2.1): every node knows its next hop towards the subscriber and which motes
 * it may hear; it learns nothing.
 */
#ifndef CONFIGURED_ROUTES_H_
#define CONFIGURED_ROUTES_H_

#include "pubsub-routing.h"

extern const struct pubsub_routing_driver configured_routes;

/* Forgets everything and sets `parent` as the next hop, PUBSUB_NOBODY at the
   end. */
void configured_routes_set(uint16_t parent);

/*
 * Sends events of one subject to another next hop (Figure 3 of the aggregation
 * paper). Call it after configured_routes_set(); it holds for one subject, the
 * one given last.
 */
void configured_routes_set_for(pubsub_subject_t subject, uint16_t parent);

/* Hears this mote, too. Returns false if the table is full, which is logged and
   counted. */
bool configured_routes_add_neighbour(uint16_t mote);

/* Hears `count` motes, too; `neighbour` returns the i-th. Goes on where the table is full, and returns false then. */
static inline bool
configured_routes_add_neighbours(uint8_t count, uint16_t (*neighbour)(uint8_t i))
{
  bool all = true;
  uint8_t i;

  for(i = 0; i < count; i++) {
    all &= configured_routes_add_neighbour(neighbour(i));
  }
  return all;
}

uint16_t configured_routes_parent(void);

#endif
