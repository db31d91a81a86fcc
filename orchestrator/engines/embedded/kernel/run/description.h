/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The simulation as plain text, one fact a line, in this order:
 *
 *   simulation 1
 *   rules 5.0 | 2026.07
 *   seed NUMBER                          64 bits
 *   start-delay NUMBER                   us
 *   medium udgm | udgm-constant-loss | logistic-loss | directed-graph | silent
 *   ranges TRANSMISSION INTERFERENCE     m, for logistic-loss both the same; this line and the next not for the last two
 *   ratios TRANSMISSION RECEPTION        0..1
 *   loss SENSITIVITY INFLECTION EXPONENT NOISE
 *                                        only for logistic-loss, as the next: dBm, dBm, -, dB
 *   varies YES|NO LEAST MOST             with time; dB
 *   timeout NUMBER                       us
 *   spare NUMBER                         motes of each type that the script may add at most
 *   javascript | program ...             a script that runs in a process of its own; or one that runs natively, and its
 *                                        instructions (program.h)
 *   type PATH                            one or more; each followed by its interfaces
 *   interface NAME
 *   mote TYPE ID X Y Z EEPROM [RATE]     TYPE counts from 0, EEPROM in hexadecimal or -, RATE of its radio in kbit/s
 *   quiet MOTE DBM                       none or more: a mote's strength where no signal is; motes count from 0
 *   sending MOTE DBM                     and while it sends
 *   edge FROM TO RATIO SIGNAL LQI DELAY CHANNEL
 *                                        only for directed-graph; motes count from 0, SIGNAL in dBm, DELAY in us;
 *                                        those FROM one mote together
 *   mobility                             for each Mobility plugin, followed by its moves
 *   move PLACE TIME X Y                  those of the Mobility plugin's file in order; PLACE counts the motes that are
 *                                        there from 0, TIME in us
 *   end
 */
#ifndef DESCRIPTION_H
#define DESCRIPTION_H

#include "motes/simulation.h"

#include <stdio.h>

/* Reads all of it into an empty simulation. A fault ends the process with a report that names the line. */
void description_read(FILE *file, struct simulation *simulation);

#endif
