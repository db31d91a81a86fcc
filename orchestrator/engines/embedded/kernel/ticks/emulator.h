/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a function of a firmware's file instruction by instruction, on variables that stand for a mote's, to find out what
 * it does: which variables it reads and writes, and that what it does follows from nothing else. It takes what compilers
 * make of a few assignments and conditions, for x86-64; anything else, a call too, is no answer.
 */
#ifndef EMULATOR_H
#define EMULATOR_H

#include "ticks/emulator_state.h"

/* Calls the function at that address of the file. False: it does something else than to work with these variables. */
bool emulator_call(struct emulator *emulator, uint64_t function, struct variable *variables, unsigned count);

#endif
