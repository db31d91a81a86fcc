/* SPDX-License-Identifier: Apache-2.0 */
/* Loads a firmware's file, and makes an image of it for each mote. */
#ifndef LOAD_H
#define LOAD_H

#include "loader/firmware.h"

/* Opens the file, resolves its symbols and sets address space aside for `motes` images, which may take so many memory
   mappings. `share` false: every mote gets a copy of the code. `guard`: what runs past a mote's data is to be stopped there.
   Faults end the process. */
void firmware_open(struct firmware *firmware, const char *path, unsigned motes, uint64_t mappings, bool share, bool guard);

/* One more image with its initial data, relocated; its constructors haven't run. A variable is at the image's address
   plus its own in the file, a function at firmware_code()'s. Call it with context_call(function, image). */
uint8_t *firmware_map(struct firmware *firmware);

void firmware_run_constructors(const struct firmware *firmware, uint8_t *image);

#endif
