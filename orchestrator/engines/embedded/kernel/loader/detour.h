/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Moves an instruction to where there is room for a longer form. A jump in its
 * old place leads there, and another jump leads back. (Such an instruction has at
 * least six bytes, and a jump five; nothing jumps into the middle of one.)
 */
#ifndef DETOUR_H
#define DETOUR_H

#include "loader/instruction.h"

enum { DETOUR_SIZE = 24 }; /* bytes, the most that a detour takes */

/* Can the instruction, whose operand is relative to itself, have an operand relative to gs instead? */
bool detour_possible(const struct instruction *instruction, const uint8_t *code);

/* Moves the instruction at `code` to `room`. Its operand is then `offset` bytes behind the base in gs; an instruction that
   computes an address uses the same base, which is stored at `base` (within 2 GB). */
void detour_make(const struct instruction *instruction, uint8_t *code, uint8_t *room, uint32_t offset, const void *base);

#endif
