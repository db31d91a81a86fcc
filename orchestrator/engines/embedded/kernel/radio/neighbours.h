/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NEIGHBOURS_H
#define NEIGHBOURS_H

#include "motes/simulation.h"

/* m, rounded as Cooja's */
double neighbours_distance(const struct mote *a, const struct mote *b);

/* Finds the radios that a radio could reach or disturb, anew only after some radio came, went or moved. */
void neighbours_find(struct simulation *simulation, struct mote *mote);

#endif
