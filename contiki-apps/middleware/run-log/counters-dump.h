/* SPDX-License-Identifier: Apache-2.0 */
/* Prints counters as records `cnt`. */
#ifndef COUNTERS_DUMP_H_
#define COUNTERS_DUMP_H_

#include "pubsub-counters.h"

void counters_dump_one(const char *name, uint32_t value);

/* Prints all counters of the routing layer, and the sum of its frames. */
void counters_dump(const struct pubsub_counters *counters);

#endif
