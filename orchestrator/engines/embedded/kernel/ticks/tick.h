/* SPDX-License-Identifier: Apache-2.0 */
/* Boots motes and runs their ticks. */
#ifndef TICK_H
#define TICK_H

#include "motes/simulation.h"

/* Maps, initialises and configures the mote. */
void mote_create(struct simulation *simulation, struct mote *mote);

void mote_set_id(struct simulation *simulation, struct mote *mote, int id);

/* Starts a mote at this time, a Cooja mote at the last whole millisecond before. */
void mote_set_start(struct mote *mote, int64_t time_us);

/* If the mote has nothing to do in this wake-up, completes it and returns true; otherwise mote_execute() must follow. */
bool mote_skips(struct simulation *simulation, struct mote *mote);

/* Runs one wake-up. */
void mote_execute(struct simulation *simulation, struct mote *mote);

#endif
