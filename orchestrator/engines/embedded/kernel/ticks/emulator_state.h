/* SPDX-License-Identifier: Apache-2.0 */
/* Registers, stack and variables of an emulated call (emulator.h). */
#ifndef EMULATOR_STATE_H
#define EMULATOR_STATE_H

#include "loader/firmware.h"

enum kept { /* what may become of a variable's value besides being copied */
  KNOWN,    /* anything: its value is all that matters */
  COUNTED,  /* it may be compared with 0: one value stands for all above 0 */
  ANY       /* nothing: one value stands for all */
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
  struct relocation kept[KEPT_RELOCATIONS]; /* the few that calls asked for; all 0 at first */
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

struct operand { /* the one that is a register or memory */
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

/* Memory, and an operand's value; false where nothing is known to be. */
bool emulator_load(struct processor *processor, uint64_t address, unsigned size, struct value *value);
bool emulator_store(struct processor *processor, uint64_t address, unsigned size, struct value value);
bool emulator_get(struct processor *processor, const struct operand *operand, unsigned size, struct value *value);
bool emulator_set(struct processor *processor, const struct operand *operand, unsigned size, struct value value);

#endif
