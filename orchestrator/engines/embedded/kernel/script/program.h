/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A script that runs natively: a program for a stack machine, made by script/compiler.py. At every line it runs until it
 * waits for the next one; it also runs at the time-out. If it does something that this machine may not do as Nashorn does,
 * the process ends (beyond.h).
 */
#ifndef PROGRAM_H
#define PROGRAM_H

#include "base/reader.h"
#include "motes/simulation.h"

struct program;

/* Reads the rest of its first line, "program VARIABLES NULLS UNDEFINED TIMEOUT", and a line for each instruction, "do NAME
   [ARGUMENT [ARGUMENT]]". Of the variables the first NULLS are null at first, the next UNDEFINED are undefined, and the
   others have no value; TIMEOUT is the instruction at which the code for the time-out begins. Reads one line more. */
struct program *program_read(struct reader *reader);

/* For simulation.line: runs the script until it waits again or has decided (log.closed). */
void program_line(struct simulation *simulation, struct mote *mote, const char *text, size_t length);

/* Runs the code for the time-out, at whose end the script has decided. */
void program_timeout(struct simulation *simulation);

#endif
