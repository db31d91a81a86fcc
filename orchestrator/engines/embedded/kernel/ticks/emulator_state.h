/* SPDX-License-Identifier: Apache-2.0 */
/* Registers, stack and variables of an emulated call (emulator.h). */
#ifndef EMULATOR_STATE_H
#define EMULATOR_STATE_H

#include "loader/firmware.h"

enum kept { /* how a function may use a variable's value besides copying it */
  KNOWN,    /* in any way, because its value is known */
  COUNTED,  /* it may compare it with 0: one value represents all above 0 */
  ANY       /* in no way: one value represents all */
};

struct variable {
  const char *name;
  uint8_t size; /* bytes */
  enum kept kept;
  bool may_change;
  int32_t value;   /* before the function and after it */
  uint64_t offset; /* in the file's addresses; found by emulator_find() */
  bool there;
};

enum { KEPT_RELOCATIONS = 64 };

struct emulator {
  const struct firmware *firmware;
  struct relocation kept[KEPT_RELOCATIONS]; /* those found so far; all 0 at first */
};

void emulator_find(const struct firmware *firmware, struct variable *variables, unsigned count);

enum { STACK_SIZE = 1024 /* bytes */ };
static const uint64_t STACK = UINT64_C(1) << 40; /* its address */

struct value {
  uint64_t bits;
  enum kept kept;
};

struct processor {
  struct emulator *emulator;
  struct variable *variables;
  unsigned count;
  struct value registers[16], stack[STACK_SIZE / 8];
  uint64_t next; /* instruction */
  bool zero, sign, carry, overflow;
};

struct operand { /* the operand that is a register or in memory */
  bool memory, canary;
  unsigned number;
  uint64_t address;
};

static inline uint64_t
cut(uint64_t bits, unsigned size)
{
  return size == 8 ? bits : bits & ((UINT64_C(1) << 8 * size) - 1);
}

static inline uint64_t
extended(uint64_t bits, unsigned size)
{
  return size == 8 ? bits : (uint64_t)((int64_t)(bits << (64 - 8 * size)) >> (64 - 8 * size));
}

/* Read and write memory and operands; return false for memory that is not known. */
bool emulator_load(struct processor *processor, uint64_t address, unsigned size, struct value *value);
bool emulator_store(struct processor *processor, uint64_t address, unsigned size, struct value value);
bool emulator_get(struct processor *processor, const struct operand *operand, unsigned size, struct value *value);
bool emulator_set(struct processor *processor, const struct operand *operand, unsigned size, struct value value);

#endif
