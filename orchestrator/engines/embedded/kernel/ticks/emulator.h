/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a function of a firmware's file instruction by instruction, on variables that stand for a mote's, to find out what
 * it does: which variables it reads and writes, and that what it does follows from nothing else. It takes what compilers
 * make of a few assignments and conditions, for x86-64; anything else, a call too, is no answer.
 */
#ifndef EMULATOR_H
#define EMULATOR_H

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

/* Calls the function at that address of the file. False: it does something else than to work with these variables. */
bool emulator_call(struct emulator *emulator, uint64_t function, struct variable *variables, unsigned count);

#endif
