/* SPDX-License-Identifier: Apache-2.0 */
/* A mote's radio as Cooja's ContikiRadio has it: what it does after a tick, and what the medium does to it. */
#ifndef RADIO_H
#define RADIO_H

#include "simulation.h"

void radio_init(struct mote *mote);

/* On and off, power, channel, the end of a transmission, a new one. */
void radio_after_tick(struct simulation *simulation, struct mote *mote);

/* The same after a tick that didn't run: its variables are as they were. */
void radio_after_skipped_tick(struct simulation *simulation, struct mote *mote);

void radio_reception_start(struct simulation *simulation, struct mote *mote);
void radio_reception_end(struct simulation *simulation, struct mote *mote);
void radio_take_packet(struct mote *mote, struct packet *packet);

static inline bool
radio_receiving(const struct mote *mote)
{
  return ABI(mote, simReceiving) == 1;
}

#endif
