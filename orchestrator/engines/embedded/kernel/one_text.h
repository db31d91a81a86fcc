/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One text for all motes of a type. Code of a shared object finds its data
 * relative to itself, so every mote would need the code at an address of its
 * own, and the processor's caches of decoded instructions, branches and
 * translations would hold it once a mote. Firmware that leaves the register
 * rbx alone (it says so by a symbol, ONE_TEXT_SYMBOL) is rewritten in memory
 * instead: "relative to the instruction" becomes "relative to rbx" for
 * everything that is writable; both have the same length. In the file nothing
 * changes: Cooja, and a machine of another kind, run it as it is.
 */
#ifndef ONE_TEXT_H
#define ONE_TEXT_H

#include "firmware.h"

#define ONE_TEXT_SYMBOL "mote_leaves_rbx"

/* Can this firmware's code be rewritten? Every instruction of it must be understood, and no other library call it. */
bool one_text_possible(const struct firmware *firmware);

/* Rewrites the code mapped at `image`, which must be writable: variables are at rbx + their address in the file. */
void one_text_rewrite(const struct firmware *firmware, uint8_t *image);

#endif
