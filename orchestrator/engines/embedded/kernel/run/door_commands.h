/* SPDX-License-Identifier: Apache-2.0 */
/* Obeys what concerns the driver itself (door.h). */
#ifndef DOOR_COMMANDS_H
#define DOOR_COMMANDS_H

#include "run/door_state.h"

/* Each of these takes what follows the keyword. */

/* Returns false if that time has been reached already: then only the clock goes on. */
bool door_advance(struct simulation *simulation, struct reader *reader);

/* Reads a type, and one line more; false if this line begins none. */
bool door_add_type(struct simulation *simulation, struct reader *reader);

/* Returns false if the line is about the simulation. */
bool door_obey(struct simulation *simulation, struct reader *reader);

/* Answers that there can be no branch. */
void door_refuse_branch(struct simulation *simulation, const char *why);

#endif
