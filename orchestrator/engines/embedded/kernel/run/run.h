/* SPDX-License-Identifier: Apache-2.0 */
/* A run from the first mote's boot to the script's end. */
#ifndef RUN_H
#define RUN_H

#include "motes/simulation.h"

/* Loads all firmware and creates the motes. */
void simulation_prepare(struct simulation *simulation);

/* Runs to the script's end; true if the verdict is OK. Not part of main(), which compilers make small, not fast. */
bool simulation_run(struct simulation *simulation) __attribute__((hot, noinline));

#endif
