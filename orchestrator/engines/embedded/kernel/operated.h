/* SPDX-License-Identifier: Apache-2.0 */
/* A mote's button, pressed and released by a script. */
#ifndef OPERATED_H
#define OPERATED_H

#include "simulation.h"

/* In `delay_us` from now. */
void operated_button(struct simulation *simulation, struct mote *mote, bool down, int64_t delay_us);

#endif
