/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What comes into the simulation from outside. It takes effect at a simulated time before all other events of that time, so
 * that it has the same effect whether it came from a socket in a paced run or comes from a record in a run at full speed.
 *
 * A record has a line of JSON for each input, {"us":TIME,"mote":INDEX,"hex":BYTES}; {"us":TIME,"stop":VERDICT} when the run was
 * ended from outside; and at last {"us":TIME,"end":true}. Times don't decrease.
 */
#ifndef INPUT_H
#define INPUT_H

#include "motes/simulation.h"

struct input;

struct inputs { /* in the order in which they take effect */
  struct time_event event;
  struct input *first, *last;
  int64_t latest; /* us: of all input so far */
  int record; /* a file, or -1 */
  bool ended, ok; /* from outside */
};

void inputs_init(struct inputs *inputs);

/* Adds bytes for a mote's serial port (NULL: the run ends, OK or not), before the simulation starts. Times don't decrease. */
void inputs_keep(struct inputs *inputs, int64_t time, struct mote *mote, bool ok, const uint8_t *bytes, size_t length);

/* Must be called after that, and before the next two. */
void inputs_start(struct simulation *simulation, struct inputs *inputs);

/* Adds and records bytes for a mote's serial port. They take effect as early as they can. */
void inputs_add(struct simulation *simulation, struct inputs *inputs, struct mote *mote, const uint8_t *bytes, size_t length);

/* Ends the run in the same way. */
void inputs_add_stop(struct simulation *simulation, struct inputs *inputs, bool ok);

/* Whether the run ends before any further input could take effect. */
bool inputs_stop(const struct inputs *inputs);

/* Bytes for this mote's serial port that have not taken effect. */
size_t inputs_waiting(const struct inputs *inputs, const struct mote *mote);

/* Completes the record. */
void inputs_end(const struct simulation *simulation, const struct inputs *inputs);

#endif
