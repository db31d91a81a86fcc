/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The door by which another process drives the simulation step by step, in place of a script: a socket with lines of text
 * (engines/embedded/live is its other side). All motes' lines go into the log, as "TIME<tab>ID:NUMBER<tab>TEXT".
 *
 * From the driver; motes count from 0 in the order in which they were made, those of the description first:
 *
 *   advance TIME yes|no|line      goes on until all events before TIME (us) have happened; with "yes" at most to the end of
 *                                 the event in which a listened mote printed; with "line" at most to its line, while that
 *                                 event is under way: then only "move", "rename", "note" and "log" take effect at once, and
 *                                 all else when it is over, as for a script. The answer is below
 *   listen MOTE lines|bytes|nothing
 *                                 what the driver gets of what the mote prints
 *   frames yes|no                 whether it gets the frames that motes send
 *   lines yes|no                  whether the log gets the motes' lines (at first, yes)
 *   remind DELAY HEX              the driver gets these bytes in so many us, by an event that is inserted now, as the
 *                                 GENERATE_MSG of a script is
 *   write MOTE HEX                bytes for its serial port, now
 *   press | release | click | signal-pir | vibrate MOTE
 *                                 its button or sensor, as a script does
 *   note ID TEXT                  a line in the log, now, as if a mote with this id had printed it
 *   log HEX                       bytes for the log, now
 *   type PATH | sky PATH          one more type, followed by its interfaces as in the description
 *   add TYPE ID X Y Z EEPROM [RATE]
 *                                 one more mote, as "mote" in the description: its board gets power now
 *   remove MOTE                   pulls its plug
 *   take-out | put-back MOTE      removes and adds it as a script does: it keeps its memory
 *   rename MOTE ID                gives it another id
 *   move MOTE X Y Z               m
 *   quiet | sending MOTE DBM, edge FROM TO RATIO SIGNAL LQI DELAY CHANNEL
 *                                 as in the description
 *   link FROM TO RATIO SIGNAL LQI DELAY CHANNEL
 *                                 gives all edges between these two such values, or adds one
 *   unlink FROM TO                takes them away
 *   medium TRANSMISSION INTERFERENCE TX RX
 *                                 the ranges (m) and ratios of a medium that is `placed`
 *   poke MOTE OFFSET HEX          bytes for its memory, at an offset in its image; of an emulated mote, at an address
 *   fork SEED | same              copies the simulation (branch.h); four files come with it. The branch answers at its own
 *                                 socket, as to a question
 *   end yes|no                    the run ends now, with this verdict
 *
 * and questions:
 *
 *   peek MOTE OFFSET SIZE         bytes of its memory, as its code left or will find them; variables of interfaces get what
 *                                 has changed meanwhile when its code runs next
 *   leds MOTE                     those of an emulated mote that are on, as bits: 1 red, 2 green, 4 blue
 *   motes                         where motes are, and what their radios do
 *   flush                         nothing, but the log's file is complete when it is answered
 *
 * The answer to "advance", when the simulation stands still again, and to a question:
 *
 *   line TIME MOTE TEXT           for each line of motes whose lines are wanted
 *   bytes TIME MOTE HEX           for what the others print, tick by tick
 *   frame TIME MOTE CHANNEL POWER HEX
 *                                 for each frame that a mote began to send at this time, with its FCS; an emulated radio's
 *                                 is known at its end
 *   reminder TIME HEX
 *   fell TIME MOTE REPORT         for each mote that crashed or hung, with --contain 1: it has no power now; REPORT is JSON
 *   forked TIME PROCESS | refused TIME REASON
 *   memory TIME MOTE HEX
 *   leds TIME MOTE BITS
 *   mote TIME MOTE ID X Y Z none | STATE CHANNEL POWER SIGNAL
 *                                 for each mote in the simulation; STATE is off, listening, receiving, interfered or
 *                                 transmitting, SIGNAL in dBm
 *   at TIME                       the present time, the last line
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
