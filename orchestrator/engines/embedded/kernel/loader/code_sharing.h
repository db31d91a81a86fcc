/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One copy of the code for all motes of a type (DESIGN.md). The code of a shared object finds its data relative to
 * itself, so every mote would need a copy at another address, and the processor's caches of decoded instructions,
 * branches and translations would hold it once for each. So the code is rewritten in memory: an operand that is relative
 * to its instruction and leads to writable data becomes relative to a base register, which each tick sets.
 *
 * The base is in rbx if the firmware leaves that register alone and says so by a symbol, CODE_SHARING_SYMBOL: both forms
 * of an instruction have the same length. Otherwise it is in gs, a segment register that compilers for Linux never use;
 * that form is longer, so the instruction is moved to where there is room (detour.h).
 *
 * The file itself is not changed: Cooja and other kinds of machines run it, too.
 */
#ifndef CODE_SHARING_H
#define CODE_SHARING_H

#include "loader/firmware.h"

#define CODE_SHARING_SYMBOL "mote_leaves_rbx"

/* Can this firmware's code be rewritten? Every instruction must be known and, if the base is in rbx, no library may call a
   mote's function back. Sets the base register and the number of detours. */
bool code_sharing_possible(struct firmware *firmware);

/* Rewrites the code mapped at `image`, which must be writable; variables are then at the base + their address in the
   file. */
void code_sharing_rewrite(struct firmware *firmware, uint8_t *image);

#endif
