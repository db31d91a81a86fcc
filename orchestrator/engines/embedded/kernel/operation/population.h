/* SPDX-License-Identifier: Apache-2.0 */
/* Adds, removes, moves and renames motes while the simulation runs. */
#ifndef POPULATION_H
#define POPULATION_H

#include "motes/simulation.h"

/* Must be called when all motes of the description exist. */
void population_open(struct simulation *simulation);

/* Makes a new mote of a type, which is not in the simulation yet. */
struct mote *population_generate(struct simulation *simulation, int64_t type);

/* Adds a mote to the simulation, perhaps again: it starts within the start delay, and its radio is the medium's newest. A
   mote that is added again has its former memory and a new clock; population_remove() says when it wakes. */
void population_add(struct simulation *simulation, struct mote *mote);

/* Removes a mote from the medium and the list of motes; its wake-up does not happen. As in Cooja, anything that wakes it
   before the time of that wake-up (the end of a frame on its way to it) runs its code again, with a radio that nobody
   hears, and its lines are logged. Later nothing wakes it, because Cooja still waits for the wake-up. */
void population_remove(struct simulation *simulation, struct mote *mote);

/* Makes a mote as described and adds it: a board that gets power, or new firmware. It starts within the start delay. */
void population_plug_in(struct simulation *simulation, const struct mote *described);

/* Removes a mote as pulling a plug does. Other than in Cooja, none of its code runs after that, and a frame that it is
   sending ends, received by nobody. */
void population_unplug(struct simulation *simulation, struct mote *mote);

/* Moves a mote; as in Cooja, signal strengths change with the medium's next update. */
void population_move(struct simulation *simulation, struct mote *mote, double x, double y, double z);

#endif
