/* SPDX-License-Identifier: Apache-2.0 */
/* Diffusion's counters beside pubsub_counters, under the names of the log
   format. */
#ifndef DIFFUSION_COUNTERS_H_
#define DIFFUSION_COUNTERS_H_

#include <stdint.h>

#define DIFFUSION_COUNTERS(X) \
  X(interests_originated) \
  X(interests_forwarded) \
  X(interests_received) \
  X(interests_duplicate) \
  X(events_duplicate) \
  X(events_overheard) \
  X(forwardings_missed) \
  X(neighbours_dropped) \
  X(link_transmissions) \
  X(ways_lost) \
  X(ways_found) \
  X(gradients_expired)

struct diffusion_counters {
#define DIFFUSION_COUNTER_FIELD(name) uint32_t name;
  DIFFUSION_COUNTERS(DIFFUSION_COUNTER_FIELD)
#undef DIFFUSION_COUNTER_FIELD
};

extern struct diffusion_counters diffusion_counters;

#endif
