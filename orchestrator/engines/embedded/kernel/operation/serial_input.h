/* SPDX-License-Identifier: Apache-2.0 */
/* Appends bytes that a script or a program outside writes to a mote's serial port to those that the mote has not read yet. */
#ifndef SERIAL_INPUT_H
#define SERIAL_INPUT_H

#include "motes/simulation.h"

/* If the bytes don't fit into the mote's buffer, all of them are dropped. The mote is woken in any case. */
void serial_input_write(struct simulation *simulation, struct mote *mote, const char *bytes, size_t length);

#endif
