/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A script that runs natively: a program for a machine with a stack, made by script/compiler.py. It runs at every line up to
 * where it waits for the next one, and at the time-out. Where it comes to what this machine doesn't do as Nashorn does, the
 * process ends (beyond() of value.h).
 */
#ifndef PROGRAM_H
#define PROGRAM_H

#include "base/reader.h"
#include "motes/simulation.h"

struct program;

/* Reads the rest of its first line, "program VARIABLES NULLS UNDEFINED TIMEOUT", and for each instruction a line, "do NAME
   [ARGUMENT [ARGUMENT]]". The first NULLS of the variables are null at first, the next are undefined, the others have no value;
   TIMEOUT is the instruction at which the time-out's code begins. The line behind all that is read already when it returns. */
struct program *program_read(struct reader *reader);

/* For simulation.line: the script runs until it waits again, or has decided (log.closed). */
void program_line(struct simulation *simulation, struct mote *mote, const char *text, size_t length);

/* The time-out's code; at its end the script has decided. */
void program_timeout(struct simulation *simulation);

#endif
