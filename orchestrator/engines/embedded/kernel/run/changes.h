/* SPDX-License-Identifier: Apache-2.0 */
/* What the process that drives the simulation changes in it (door.h), by the same functions as a script. */
#ifndef CHANGES_H
#define CHANGES_H

#include "base/reader.h"
#include "motes/simulation.h"

/* Obeys the reader's line, which must be one of these commands. */
void change(struct simulation *simulation, struct reader *reader);

/* Writes a line into the log as the scripts of our own templates do. */
void log_line(struct simulation *simulation, int id, const char *text, size_t length);

#endif
