/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NEIGHBOURS_H
#define NEIGHBOURS_H

#include "radio/medium.h"

/* The distance in m, rounded as in Cooja. */
double neighbours_distance(const struct mote *a, const struct mote *b);

/* The strength (dBm) of a signal at this distance from its source, INT_MIN if there is none, and whether that is beyond the
   range. Weaker signals are raised to it. */
int neighbours_strength(double distance, double range, bool *beyond);

/* Finds the radios that a radio could reach or disturb; the result is kept until a radio is added, removed or moved. */
void neighbours_find(struct simulation *simulation, struct mote *mote);

/* Finds them for the record of a frame that reaches none of them. */
void neighbours_of_lost(struct simulation *simulation, struct mote *mote);

#endif
