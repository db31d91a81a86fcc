/* SPDX-License-Identifier: Apache-2.0 */
/* What the record of radios says about a frame at each of them. */
#ifndef FATES_H
#define FATES_H

#include "radio/medium.h"

/* What becomes of the frame with this number at a radio that it has reached to its end. */
enum fate fates_at_end(const struct simulation *simulation, const struct mote *mote, uint64_t number);

/* Tells the record what becomes of a frame at its end, at all radios without delay, which don't know of the end yet. */
void fates_note(struct simulation *simulation, const struct connection *connection);

#endif
