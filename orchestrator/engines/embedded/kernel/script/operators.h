/* SPDX-License-Identifier: Apache-2.0 */
/* JavaScript's operators for scripts that run natively. */
#ifndef OPERATORS_H
#define OPERATORS_H

#include "script/instructions.h"

/* Converts a number to 32 bits as JavaScript does. */
uint32_t bits(struct value value);

double calculate(enum opcode code, struct value a, struct value b);
bool compare(enum opcode code, struct value a, struct value b);

/* typeof */
const char *kind_of(struct value value);

/* of[key], and of[key] = value; `kept`: see map_set(). */
struct value part_of(struct value of, struct value key);
void set_part(struct value of, struct value key, struct value value, bool kept);

#endif
