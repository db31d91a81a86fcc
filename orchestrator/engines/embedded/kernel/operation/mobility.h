/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Moves motes as the file of Cooja's Mobility plugin says, each move at its time.
 * After the last move the file begins again, and times count from then. A move
 * whose time is past takes effect at once.
 */
#ifndef MOBILITY_H
#define MOBILITY_H

#include "motes/simulation.h"

struct move {
  int64_t time; /* us from the beginning of the file */
  uint32_t place; /* of the mote among those in the simulation, from 0 */
  double x, y; /* m */
};

struct mobility { /* of one plugin */
  struct time_event time_event; /* first member */
  struct move *moves;
  uint32_t count, next;
  int64_t start; /* us, when the file last began */
};

/* Makes the first move, or inserts its event. */
void mobility_start(struct simulation *simulation);

#endif
