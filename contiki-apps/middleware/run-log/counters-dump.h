/* SPDX-License-Identifier: Apache-2.0 */
/* Counters as records `cnt`. */
#ifndef COUNTERS_DUMP_H_
#define COUNTERS_DUMP_H_

#include "pubsub-counters.h"

void counters_dump_one(const char *name, uint32_t value);

/* All of the routing layer's, and the frames that they come to. */
void counters_dump(const struct pubsub_counters *counters);

#endif
