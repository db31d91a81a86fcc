/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the resources that a simulation needs before the first mote boots. */
#ifndef CAPACITY_H
#define CAPACITY_H

#include "motes/simulation.h"

/* The number of memory mappings that the motes of a type may use: their share of a process's limit. */
uint64_t capacity_mappings(const struct simulation *simulation, const struct mote_type *type);

/* The number behind `name` in a file of /proc, or `otherwise`. */
int64_t capacity_number(const char *path, const char *name, int64_t otherwise);

/* Ends the process with a report if the motes' data exceed the free memory. */
void capacity_check_memory(const struct simulation *simulation);

#endif
