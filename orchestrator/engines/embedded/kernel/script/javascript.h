/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a script in QuickJS, on a stack of its own: at every line it goes on until it waits for the next one. What it finds
 * is defined in the .js files of this folder, and the functions that these call in javascript_calls.c.
 */
#ifndef JAVASCRIPT_H
#define JAVASCRIPT_H

#include "base/reader.h"
#include "base/text.h"
#include "motes/simulation.h"

struct javascript;

/* How the kernel runs scripts. `module`: quickjs-ng's extension module; `folder` has the .js files that are beside this one. */
struct interpreter {
  const char *module, *folder;
};

/* Reads the line "javascript" and the lines "source LINES HEX" behind it: texts, each of which is evaluated with so many
   empty lines before it. Reads one line more. */
struct javascript *javascript_read(struct reader *reader);

/* May the script do more than read lines and log? False only if none of the words is in its text by which it could reach the
   simulation or a mote. */
bool javascript_acts(const struct javascript *javascript);

/* Starts the script, up to where it waits for its first line. Ends the process with a report if it is no JavaScript. */
void javascript_open(struct simulation *simulation, const struct interpreter *interpreter);

/* For simulation.line: runs the script until it waits again or has decided (log.closed). */
void javascript_line(struct simulation *simulation, struct mote *mote, const char *text, size_t length);

/* Runs the script's code for the time-out, at whose end it has decided. */
void javascript_timeout(struct simulation *simulation);

/* The error that ended the script, as members of the report; nothing if none did. */
void javascript_report_error(const struct simulation *simulation, struct text *json);

#endif
