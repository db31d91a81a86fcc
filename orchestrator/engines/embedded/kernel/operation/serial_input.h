/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes to a mote's serial port, as a script writes them: behind those that the mote hasn't taken yet. */
#ifndef SERIAL_INPUT_H
#define SERIAL_INPUT_H

#include "motes/simulation.h"

/* What doesn't fit into the mote's buffer is dropped as a whole; the mote is woken in any case. */
void serial_input_write(struct simulation *simulation, struct mote *mote, const char *bytes, size_t length);

#endif
