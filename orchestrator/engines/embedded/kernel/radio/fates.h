/* SPDX-License-Identifier: Apache-2.0 */
/* Tells the record of the air what became of a frame at each radio that it could have reached. */
#ifndef FATES_H
#define FATES_H

#include "radio/medium.h"

/* A transmission comes to its end, for all receivers without delay, who have not been told yet. */
void fates_note(struct simulation *simulation, const struct connection *connection);

/* The reception of the frame with this number ends at a radio behind an edge with a delay. */
void fates_note_late(const struct mote *mote, uint64_t number);

#endif
