/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The world outside of a simulation: real time, by which it is paced, and the programs at the other ends of motes' serial
 * lines. A file has the settings, with one fact in each line, in this order:
 *
 *   speed FACTOR                 simulated time by real time; 0: as fast as possible
 *   follow yes|no                a script's sim.setSpeedLimit() counts
 *   patience MS                  real time in which the other end of a line has to take some bytes
 *   server MOTE PORT FILE [FILE] any number: sockets that listen, for a SerialSocketServer; motes count from 0
 *   client MOTE PORT FILE        any number: a connected socket, for a SerialSocketClient
 *   record FILE                  where input is recorded, as lines of JSON (input.h)
 *   input TIME MOTE HEX          any number, by time: bytes for a mote's serial port at a simulated time (us), in place of sockets
 *   stop TIME yes|no             the run ends at that time, with this verdict
 *   begin
 *
 * Another socket is for the process that runs the plugins' commands. It sends 1 or 0 when they have ended, with which the run
 * ends as OK or FAILED, and gets a line for each connection: "connected PORT TIME", "refused PORT TIME", "closed PORT TIME REASON".
 */
#ifndef OUTSIDE_H
#define OUTSIDE_H

#include "base/text.h"
#include "motes/simulation.h"

#include <stdio.h>

/* Reads the settings. `control`: the other socket, or -1. */
void outside_read(struct simulation *simulation, FILE *settings, int control);

/* Must be called when the motes have been created, before the first event. */
void outside_start(struct simulation *simulation);

/* For a script's sim.setSpeedLimit(); 0: no limit. */
void outside_set_speed(struct simulation *simulation, double speed);

/* Has the run been ended from outside, and with which verdict? */
bool outside_ended(const struct simulation *simulation, bool *ok);

/* Is some socket of a serial line open? If so, adds which to `which`. */
bool outside_holds_socket(const struct simulation *simulation, struct text *which);

/* Sends what still waits for clients, and completes the record. */
void outside_end(struct simulation *simulation);

/* Adds what was measured to the report. */
void outside_report(const struct simulation *simulation, struct text *json);

#endif
