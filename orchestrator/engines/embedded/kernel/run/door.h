/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The door by which another process drives the simulation step by step, in place of a script: a socket with lines of text
 * (engines/embedded/live.py is its other side). All motes' lines go into the log, as "TIME<tab>ID:NUMBER<tab>TEXT".
 *
 * From the driver; motes count from 0 in the order in which they were made, those of the description first:
 *
 *   advance TIME yes|no           goes on until all events before TIME (us) have happened; with "yes" at most to the end of
 *                                 the event in which a listened mote printed. The answer is below
 *   listen MOTE lines|bytes|nothing
 *                                 what the driver gets of what the mote prints
 *   write MOTE HEX                bytes for its serial port, now
 *   note ID TEXT                  a line in the log, now, as if a mote with this id had printed it
 *   type PATH                     one more type, followed by its interfaces as in the description
 *   add TYPE ID X Y Z EEPROM [RATE]
 *                                 one more mote, as "mote" in the description: its board gets power now
 *   quiet | sending MOTE DBM, edge FROM TO RATIO SIGNAL LQI DELAY CHANNEL
 *                                 as in the description
 *   remove MOTE                   pulls its plug
 *   move MOTE X Y Z               m
 *   end yes|no                    the run ends now, with this verdict
 *
 * The answer to "advance", when the simulation stands still again:
 *
 *   line TIME MOTE TEXT           for each line of motes whose lines are wanted
 *   bytes TIME MOTE HEX           for what the others print, tick by tick
 *   fell TIME MOTE REPORT         for each mote that crashed or hung, with --contain 1: it has no power now; REPORT is JSON
 *   at TIME                       the present time
 *
 * A command's effect comes after all events before the present time, and after the event that ended the last "advance": it
 * does not depend on the steps in which that time was reached. If the driver goes away, the process ends.
 */
#ifndef DOOR_H
#define DOOR_H

#include "motes/simulation.h"

/* For a simulation that is driven; `file`: the socket. `contain`: a mote's fault ends that mote only. */
void door_open(struct simulation *simulation, int file, bool contain);

/* Tells the driver how far the simulation is, unless it has only been prepared, and does what the driver wants until it
   lets the simulation go on, or ends it (log.closed). */
void door_wait(struct simulation *simulation);

#endif
