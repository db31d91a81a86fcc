/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where in its firmware a mote stands: for the report of a mote that crashed or
 * does not return. Safe in a signal handler, whatever the mote did to its stack.
 */
#ifndef FAULT_LOCATION_H
#define FAULT_LOCATION_H

#include "base/text.h"
#include "motes/mote.h"

/* Adds the members "firmware" (its file), "code" (offset in it of the instruction) and, for an instruction outside of it,
   in a library that it called or at a wild address, "called":true: then "code" is where it was called from, as far as
   the stack tells. Nothing if it can't be told. `context`: the ucontext_t of the signal. */
void fault_location_of_code(struct text *json, const struct mote *mote, const void *context);

/* The same for the call that returns to `to`. */
void fault_location_of_call(struct text *json, const struct mote *mote, const void *to);

/* For an address in the memory that was set aside for motes of its type, but not the mote's own, adds one of these members:
   "constant":true, the firmware's code or constants; "owner", whose memory it is (id); "behind" or "below", bytes from the
   mote's own data. */
void fault_location_of_address(struct text *json, const struct simulation *simulation, const struct mote *mote, const void *address);

#endif
