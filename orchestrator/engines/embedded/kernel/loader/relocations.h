/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the addresses in a firmware's data, its own and those of other libraries. */
#ifndef RELOCATIONS_H
#define RELOCATIONS_H

#include "loader/firmware.h"

/* Loads the libraries that the firmware needs, resolves its symbols and lists its relocations in `firmware`. Faults end
   the process. */
void relocations_read(struct firmware *firmware);

#endif
