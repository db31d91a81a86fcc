/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports where in its firmware a mote is that crashed or does not return. Safe in
 * a signal handler, whatever the mote did to its stack.
 */
#ifndef FAULT_LOCATION_H
#define FAULT_LOCATION_H

#include "base/text.h"
#include "motes/mote.h"

/* Adds the members "firmware" (its file) and "code" (the instruction's offset in it). For an instruction outside the
   firmware (in a library that it called, or at a wild address) it also adds "called":true, and "code" is the place of the
   call, according to the stack. Adds nothing if this is unknown. `context`: the ucontext_t of the signal. */
void fault_location_of_code(struct text *json, const struct mote *mote, const void *context);

/* The same two members, and "called", for a place that is known. */
void fault_location_add(struct text *json, const struct mote *mote, uint64_t code, bool called);

/* Does the same for the call that returns to `to`. */
void fault_location_of_call(struct text *json, const struct mote *mote, const void *to);

/* For an address in the memory of the mote's type but not in the mote's own data, adds one of these members:
   "constant":true for the firmware's code and constants; "owner", the id of the mote whose memory it is; "behind" or
   "below", the bytes from the mote's own data. */
void fault_location_of_address(struct text *json, const struct simulation *simulation, const struct mote *mote, const void *address);

#endif
