/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ways of a gradient: the DIFFUSION_MAX_WAYS neighbours that lead to its subscriber, older ones
 * in front.
 */
#ifndef DIFFUSION_WAYS_H_
#define DIFFUSION_WAYS_H_

#include <stdbool.h>
#include <stdint.h>
#include "diffusion-conf.h"

struct diffusion_way {
  uint16_t neighbour; /* PUBSUB_NOBODY: unused */
  uint8_t hops;       /* from the neighbour to the subscriber, as it told */
  uint8_t age;        /* renewals that did not come this way since */
};

/* The neighbour's place among the ways; -1: it is none. */
int diffusion_ways_find(const struct diffusion_way *ways, uint16_t neighbour);

/*
 * The best way among neighbours that are nearer to the subscriber than this node
 * last said it is (`hops`): these can't have chosen this node. A node that said it
 * has no way takes any, because whoever had chosen it has heard that, or would be
 * lost as well. NULL: there is none.
 */
const struct diffusion_way *diffusion_ways_best(const struct diffusion_way *ways, uint8_t hops);

/*
 * That neighbour, so many hops from the subscriber, is a way; if all places are taken,
 * in the place of the worst one, if it is better. `is_way`: as in
 * diffusion_neighbours_learn().
 */
void diffusion_ways_learn(struct diffusion_way *ways, uint16_t from, uint8_t hops,
                          bool (*is_way)(uint16_t neighbour));

/* Remove the way at that place. */
void diffusion_ways_remove(struct diffusion_way *ways, unsigned place);

#endif
