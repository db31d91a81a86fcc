/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cooja's plugin PowerTracker: how long each radio was on, sent, received and was interfered. Like the plugin, it counts up to
 * a radio's last event. Without it the cost is a comparison with NULL at each event of a radio.
 */
#ifndef POWER_TRACKER_H
#define POWER_TRACKER_H

#include "motes/simulation.h"

struct power_times { /* us */
  int64_t monitored, on, transmitting, receiving, interfered;
};

extern struct power_tracker *power_tracker; /* NULL: the simulation has none */

/* Begins to count; the motes exist already, and none is added or removed. */
void power_tracker_start(const struct simulation *simulation);

void power_tracker_count(const struct mote *mote);

/* Must be called at each event of Cooja's Radio, when the radio has its new state. */
static inline void
power_tracker_note(const struct mote *mote)
{
  if(power_tracker != NULL) {
    power_tracker_count(mote);
  }
}

/* NULL: the mote has no radio, or nothing counts. */
const struct power_times *power_tracker_times(const struct mote *mote);

#endif
