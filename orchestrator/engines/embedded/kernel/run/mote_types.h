/* SPDX-License-Identifier: Apache-2.0 */
/* A type's firmware, made ready for its motes. */
#ifndef MOTE_TYPES_H
#define MOTE_TYPES_H

#include "motes/simulation.h"

/* Requires the type's capacity, and the simulation's. A firmware that can't be loaded ends the process. */
void mote_type_open(const struct simulation *simulation, struct mote_type *type);

#endif
