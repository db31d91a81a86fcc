/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a script does to the simulation takes effect after the current event, at
 * the same time, in the order in which it was asked for (Cooja hands it over to
 * the simulation's thread). The exceptions are a mote's place and id.
 */
#ifndef AFTER_EVENT_H
#define AFTER_EVENT_H

#include "motes/simulation.h"

enum deed { WAKE, ADD, REMOVE, WRITE, GENERATE, PRESS, RELEASE, CLICK, SIGNAL_PIR, VIBRATE };

/* Asks for a deed. `bytes` are copied; `delay_us` is of a GENERATE. */
void after_event_ask(struct simulation *simulation, enum deed deed, struct mote *mote, int64_t delay_us, const char *bytes,
                     size_t length);

/* Does all that was asked for. */
void after_event_do(struct simulation *simulation);

#endif
