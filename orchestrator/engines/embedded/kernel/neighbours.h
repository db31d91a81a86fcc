/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NEIGHBOURS_H
#define NEIGHBOURS_H

#include "simulation.h"

/* Fills by_x with the motes that have a radio; returns how many. neighbours_find() sorts them. */
uint32_t neighbours_sort(struct mote **by_x, struct mote *motes, uint32_t count);

/* Finds the radios that a radio could reach or disturb, once: positions don't change. */
void neighbours_find(struct simulation *simulation, struct mote *mote);

#endif
