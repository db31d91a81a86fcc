/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the simulation as plain text, with one fact in each line, in this order:
 *
 *   simulation 1
 *   rules 5.0 | 2026.07
 *   seed NUMBER                          64 bits
 *   start-delay NUMBER                   us
 *   medium NAME                          of a struct medium_rules in radio/
 *   ranges TRANSMISSION INTERFERENCE     m; only media that are `placed` have this line and the next
 *   ratios TRANSMISSION RECEPTION        0..1
 *   ...                                  the medium's own lines, which its read() takes
 *   timeout NUMBER                       us
 *   spare NUMBER                         the most motes of each type that the script may add; if the simulation is driven,
 *                                        the most motes that may be added
 *   power-tracker                        if Cooja's plugin is there, for a script
 *   ends AT TIMEOUT EXPECTED FORBIDDEN | javascript | driven TYPES
 *                                        one of our own scripts (end_script.h); or any other (javascript.h), whose text
 *                                        follows; or another process drives the simulation (door.h), in which there may be
 *                                        so many types
 *   source LINES HEX                     any number, for javascript only
 *   type PATH | sky PATH                 one or more, of Cooja motes or emulated Tmote Skys (sky/sky.h); each followed by its
 *                                        interfaces
 *   interface NAME
 *   images HEX                           of Tmote Skys: what their firmware holds in place of EEPROMs
 *   mote TYPE ID X Y Z EEPROM [RATE]     TYPE counts from 0, EEPROM in hexadecimal or -, RATE of its radio in kbit/s; of a Tmote
 *                                        Sky the last is the speed of its clock by the simulation's, up to 1
 *   quiet MOTE DBM                       any number: a mote's signal strength without a signal; motes count from 0
 *   sending MOTE DBM                     any number: its signal strength while it sends
 *   edge FROM TO RATIO SIGNAL LQI DELAY CHANNEL
 *                                        only for directed-graph; motes count from 0, SIGNAL in dBm, DELAY in us;
 *                                        those FROM one mote together
 *   mobility                             for each Mobility plugin, followed by its moves
 *   move PLACE TIME X Y                  the moves of the Mobility plugin's file in order; PLACE counts the motes in the
 *                                        simulation from 0, TIME in us
 *   end
 */
#ifndef DESCRIPTION_H
#define DESCRIPTION_H

#include "base/reader.h"
#include "motes/simulation.h"
#include "radio/medium.h"

/* Reads a description into an empty simulation. A fault ends the process with a report that names the line. */
void description_read(FILE *file, struct simulation *simulation);

/* The same lines from who drives the simulation; the keyword of a type, a mote or an edge has been taken. */

/* Reads a type and its interfaces, and one line more. `sky`: of emulated Tmote Skys. */
struct mote_type *description_type(struct reader *reader, struct simulation *simulation, bool sky);

/* Reads what is said about a mote, which isn't in the simulation yet. */
struct mote description_mote(struct reader *reader, const struct simulation *simulation);

/* Sets a mote's strength if the line says one, and returns the mote, else NULL. */
struct mote *description_own_strength(struct reader *reader, const struct simulation *simulation);

/* Reads an edge; returns its source. */
uint32_t description_edge(struct reader *reader, const struct simulation *simulation, struct edge *edge);

#endif
