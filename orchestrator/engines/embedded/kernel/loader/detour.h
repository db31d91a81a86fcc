/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One instruction moved elsewhere, where there is room for a longer form of it:
 * its place in the code gets a jump there, from where another leads back. (Such
 * an instruction has at least six bytes, a jump five; nothing jumps into the
 * middle of one.)
 */
#ifndef DETOUR_H
#define DETOUR_H

#include "loader/instruction.h"

enum { DETOUR_SIZE = 24 }; /* bytes, the most that one takes */

/* Can the instruction, whose operand is relative to itself, be given an operand that is relative to gs instead? */
bool detour_possible(const struct instruction *instruction, const uint8_t *code);

/* Moves the instruction at `code` to `room`; its operand is then `offset` bytes behind the base in gs, and what is an
   address is worked out with the same base, which stands at `base` (within 2 GB). */
void detour_make(const struct instruction *instruction, uint8_t *code, uint8_t *room, uint32_t offset, const void *base);

#endif
