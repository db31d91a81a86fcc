/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the addresses in a firmware's data, its own and those of other libraries. */
#ifndef RELOCATIONS_H
#define RELOCATIONS_H

#include "loader/firmware.h"

/* Loads the libraries that the firmware needs, resolves its symbols and lists its relocations in `firmware`. Faults end
   the process. */
void relocations_read(struct firmware *firmware);

/* Does the firmware use this symbol through its tables, as code compiled with -fPIC uses every symbol that is not static
   or hidden? */
bool relocations_name(const struct elf_file *elf, const char *name);

#endif
