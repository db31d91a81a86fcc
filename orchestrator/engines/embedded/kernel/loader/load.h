/* SPDX-License-Identifier: Apache-2.0 */
/* Loads a firmware's file, and makes an image of it for each mote. */
#ifndef LOAD_H
#define LOAD_H

#include "loader/firmware.h"

/* Opens the file, resolves its symbols and reserves address space for `motes` images, within a number of memory mappings.
   `share` false: every mote gets a copy of the code. `guard`: accesses beyond a mote's data are stopped at once. Faults end
   the process. */
void firmware_open(struct firmware *firmware, const char *path, unsigned motes, uint64_t mappings, bool share, bool guard);

/* Makes one more image with relocated initial data; its constructors have not run. A variable is at the image's address +
   its address in the file, a function at firmware_code() + its address. Call functions with context_call(). */
uint8_t *firmware_map(struct firmware *firmware);

void firmware_run_constructors(const struct firmware *firmware, uint8_t *image);

#endif
