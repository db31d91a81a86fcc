/* SPDX-License-Identifier: Apache-2.0 */
/* Tells the driver what motes do (door.h). */
#ifndef DOOR_OUTPUTS_H
#define DOOR_OUTPUTS_H

#include "run/door_state.h"

/* Has motes' output, and with `contain` their faults, go through the door. */
void door_outputs_open(struct simulation *simulation, bool contain);

/* For simulation.sent. The simulation doesn't stand still at a frame, as nobody could answer before its end. */
void door_take_frame(struct simulation *simulation, struct mote *mote, int64_t began, const struct packet *packet);

/* Something happened that the driver waits for; the simulation may stand still after this event. */
void door_heard(struct simulation *simulation);

#endif
