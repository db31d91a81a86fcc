/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One text for all motes of a type. Code of a shared object finds its data
 * relative to itself, so every mote would need the code at an address of its
 * own, and the processor's caches of decoded instructions, branches and
 * translations would hold it once a mote. So it is rewritten in memory:
 * "relative to the instruction" becomes relative to a base, which a tick gets,
 * for everything that is writable.
 *
 * The base is in rbx if the firmware leaves that register alone and says so by a
 * symbol, ONE_TEXT_SYMBOL: both forms have the same length. Else it is in gs, an
 * address register that compilers of Linux programs never use, and instructions
 * make a detour (detour.h) to where the longer form has room.
 *
 * In the file nothing changes: Cooja, and a machine of another kind, run it as it is.
 */
#ifndef ONE_TEXT_H
#define ONE_TEXT_H

#include "loader/firmware.h"

#define ONE_TEXT_SYMBOL "mote_leaves_rbx"

/* Can this firmware's code be rewritten? Every instruction of it must be understood, and with rbx no other library call
   it. Sets where the base is and how many detours are needed. */
bool one_text_possible(struct firmware *firmware);

/* Rewrites the code mapped at `image`, which must be writable: variables are at the base + their address in the
   file. */
void one_text_rewrite(struct firmware *firmware, uint8_t *image);

#endif
