/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides which motes have the merge function (section 4 of the aggregation
 * paper: "partially deployed merge function") by their distance in hops from
 * the subscriber, so that relays count like publishers.
 */
#ifndef DEPLOYMENT_H_
#define DEPLOYMENT_H_

#include <stdbool.h>
#include <stdint.h>

enum deployment {
  DEPLOYMENT_SPREAD = 1, /* evenly, over the distances */
  DEPLOYMENT_NEAR = 2,   /* those nearest to the subscriber */
  DEPLOYMENT_FAR = 3     /* those farthest from it */
};

/*
 * Whether a mote `depth` hops from the subscriber has it, if the farthest is
 * `deepest` hops away. The share, in %, is of those distances, to the nearest
 * whole number of them.
 */
bool deployment_at(uint8_t deployment, uint8_t share, uint16_t depth,
                   uint16_t deepest);

#endif
