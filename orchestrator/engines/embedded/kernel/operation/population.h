/* SPDX-License-Identifier: Apache-2.0 */
/* Motes that come, go, move and are renamed while the simulation runs. */
#ifndef POPULATION_H
#define POPULATION_H

#include "motes/simulation.h"

/* All motes of the description are there. */
void population_open(struct simulation *simulation);

/* A new mote of the type of that number; it is not in the simulation yet. */
struct mote *population_generate(struct simulation *simulation, int64_t type);

/* Now it is, or it is again: it starts within the start delay, and has a radio, the medium's newest. One that returns goes on with
   the memory that it had, and a clock that begins again; it wakes as population_remove() says. */
void population_add(struct simulation *simulation, struct mote *mote);

/* It leaves the medium and the list of motes, and its wake-up doesn't happen. As in Cooja, what wakes it before that time
   (the end of a frame that was on its way to it) runs its code again, with a radio that nobody hears, and its lines are
   logged; later nothing does, for Cooja believes that the wake-up is still to come. */
void population_remove(struct simulation *simulation, struct mote *mote);

/* Signal strengths follow with the medium's next update, as in Cooja. */
void population_move(struct simulation *simulation, struct mote *mote, double x, double y, double z);

#endif
