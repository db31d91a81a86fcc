/* SPDX-License-Identifier: Apache-2.0 */
/* What a simulation needs of the machine, known before the first mote boots. */
#ifndef CAPACITY_H
#define CAPACITY_H

#include "motes/simulation.h"

/* How many memory mappings the motes of a type may use: their share of what the system lets a process have. */
uint64_t capacity_mappings(const struct simulation *simulation, const struct mote_type *type);

/* Ends the process with a report if the motes' data are more than the memory that is free. */
void capacity_check_memory(const struct simulation *simulation);

#endif
