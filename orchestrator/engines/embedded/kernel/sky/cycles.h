/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKY_CYCLES_H
#define SKY_CYCLES_H

#include "motes/simulation.h"

/* Writes the cycles of all types' firmware to a file: lines of the type's number in the description, from 0, an address in
   hexadecimal, and the cycles that all its motes together spent there. */
void sky_write_cycles(const struct simulation *simulation, const char *path);

#endif
