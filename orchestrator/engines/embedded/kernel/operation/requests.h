/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A script's changes to the simulation take effect after the current event, at the same simulated time and in the script's
 * order (Cooja passes them to the simulation's thread). A mote's position and id change at once.
 */
#ifndef REQUESTS_H
#define REQUESTS_H

#include "motes/simulation.h"

enum operation { WAKE, ADD, REMOVE, WRITE, GENERATE, PRESS, RELEASE, CLICK, SIGNAL_PIR, VIBRATE };

/* `bytes` are copied; `delay_us` is for GENERATE only. */
void requests_add(struct simulation *simulation, enum operation operation, struct mote *mote, int64_t delay_us, const char *bytes,
                     size_t length);

/* Executes all requests. */
void requests_execute(struct simulation *simulation);

#endif
