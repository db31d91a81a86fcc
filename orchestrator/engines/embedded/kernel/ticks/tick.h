/* SPDX-License-Identifier: Apache-2.0 */
/* A mote boots, and wakes up. */
#ifndef TICK_H
#define TICK_H

#include "motes/simulation.h"

/* Maps, initialises and configures the mote. */
void mote_create(struct mote *mote);

void mote_set_id(struct simulation *simulation, struct mote *mote, int id);

/* It starts at that time, but for less than a millisecond. */
void mote_set_start(struct mote *mote, int64_t time_us);

/* A wake-up in which the mote has nothing to do: true, and it is done. Else mote_execute() must follow. */
bool mote_skips(struct simulation *simulation, struct mote *mote);

/* One wake-up. */
void mote_execute(struct simulation *simulation, struct mote *mote);

#endif
