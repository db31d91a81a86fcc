/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scripts of our own .csc files (csc-templates/scripts), which need no interpreter: every line goes into the log, and the
 * verdict depends on lines that contain an expected or a forbidden text.
 */
#ifndef END_SCRIPT_H
#define END_SCRIPT_H

#include "base/reader.h"
#include "motes/simulation.h"

struct end_script;

/* Reads the rest of the line "ends AT TIMEOUT EXPECTED FORBIDDEN". AT is "at-once" if the first line that decides ends the
   run, otherwise "late"; TIMEOUT is "verdict" if the time-out gives a verdict, "none" if it is a failure of its own. EXPECTED
   and FORBIDDEN are "text HEX" or "none". Reads one line more. */
struct end_script *end_script_read(struct reader *reader);

/* For simulation.line: logs the line, and decides (log.closed). */
void end_script_line(struct simulation *simulation, struct mote *mote, const char *text, size_t length);

/* Decides at the time-out. */
void end_script_timeout(struct simulation *simulation);

#endif
