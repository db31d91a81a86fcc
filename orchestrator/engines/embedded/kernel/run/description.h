/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the simulation as plain text, with one fact in each line, in this order:
 *
 *   simulation 1
 *   rules 5.0 | 2026.07
 *   seed NUMBER                          64 bits
 *   start-delay NUMBER                   us
 *   medium udgm | udgm-constant-loss | logistic-loss | directed-graph | silent
 *   ranges TRANSMISSION INTERFERENCE     m, equal for logistic-loss; the last two media don't have this line and the next
 *   ratios TRANSMISSION RECEPTION        0..1
 *   loss SENSITIVITY INFLECTION EXPONENT NOISE
 *                                        dBm, dBm, -, dB; this line and the next are for logistic-loss only
 *   varies YES|NO LEAST MOST             variation with time; dB
 *   timeout NUMBER                       us
 *   spare NUMBER                         the most motes of each type that the script may add
 *   javascript | program ...             the script runs in a process of its own, or natively, with its instructions
 *                                        (program.h)
 *   type PATH                            one or more; each followed by its interfaces
 *   interface NAME
 *   mote TYPE ID X Y Z EEPROM [RATE]     TYPE counts from 0, EEPROM in hexadecimal or -, RATE of its radio in kbit/s
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

#include "motes/simulation.h"

#include <stdio.h>

/* Reads a description into an empty simulation. A fault ends the process with a report that names the line. */
void description_read(FILE *file, struct simulation *simulation);

#endif
