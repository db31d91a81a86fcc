/* SPDX-License-Identifier: Apache-2.0 */
/* Motes that come, go, move and are renamed while the simulation runs. */
#ifndef POPULATION_H
#define POPULATION_H

#include "simulation.h"

/* All motes of the description are there. */
void population_open(struct simulation *simulation);

/* A new mote of the type of that number: it has booted, but is not in the simulation yet. */
struct mote *population_generate(struct simulation *simulation, int64_t type);

/* Now it is: it starts within the start delay, and has a radio. */
void population_add(struct simulation *simulation, struct mote *mote);

void population_remove(struct simulation *simulation, struct mote *mote);

/* Signal strengths follow with the medium's next update, as in Cooja. */
void population_move(struct simulation *simulation, struct mote *mote, double x, double y, double z);

#endif
