/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Motes move as the file of Cooja's Mobility plugin says: one move after the
 * other, each at its time; after the last the file begins again, and its times
 * count from then. A move whose time is past comes at once.
 */
#ifndef MOBILITY_H
#define MOBILITY_H

#include "motes/simulation.h"

struct move {
  int64_t time; /* us from the beginning of the file */
  uint32_t place; /* of the mote among those that are there, from 0 */
  double x, y; /* m */
};

struct mobility { /* of one plugin */
  struct time_event time_event; /* first member */
  struct move *moves;
  uint32_t count, next;
  int64_t start; /* us, when the file began last */
};

/* The first move, or its event. */
void mobility_start(struct simulation *simulation);

#endif
