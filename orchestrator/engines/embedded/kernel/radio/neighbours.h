/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NEIGHBOURS_H
#define NEIGHBOURS_H

#include "radio/medium.h"

/* m, rounded as Cooja's */
double neighbours_distance(const struct mote *a, const struct mote *b);

/* The strength (dBm) that a signal raises weaker ones to at this distance from its source, INT_MIN if none, and whether
   that is beyond the range. */
int neighbours_strength(double distance, double range, bool *beyond);

/* Finds the radios that a radio could reach or disturb, anew only after some radio came, went or moved. */
void neighbours_find(struct simulation *simulation, struct mote *mote);

#endif
