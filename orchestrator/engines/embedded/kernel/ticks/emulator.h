/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Emulates a function of a firmware's file on variables that represent a mote's, to find out which variables it reads and
 * writes, and that its effect depends on nothing else. It knows the instructions that compilers make of a few assignments
 * and conditions for x86-64; for any other instruction, such as a call, it gives no answer.
 */
#ifndef EMULATOR_H
#define EMULATOR_H

#include "ticks/emulator_state.h"

/* Emulates a call of the function at this address of the file. Returns false if it uses anything but these variables. */
bool emulator_call(struct emulator *emulator, uint64_t function, struct variable *variables, unsigned count);

#endif
