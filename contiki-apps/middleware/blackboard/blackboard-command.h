/* SPDX-License-Identifier: Apache-2.0 */
/* The interface between the files that execute commands and those that keep them. */
#ifndef BLACKBOARD_COMMAND_H_
#define BLACKBOARD_COMMAND_H_

#include <stddef.h>
#include "blackboard.h"

extern const struct blackboard_port *blackboard_port;

/* Increments a counter, named by its place: a call takes less code than a 32-bit addition. */
void blackboard_command_count(uint_fast8_t counter);
#define BLACKBOARD_COUNTER(name) \
  (offsetof(struct blackboard_counters, name) / sizeof(uint32_t))

/* Must be called when the subscriber has got its notification. */
void blackboard_command_taken(uint8_t event, uint8_t number);

/* Stops or resumes producers whose event has lost or got its subscriptions. */
void blackboard_command_tell_producers(void);

/* The oldest is number 0. NULL if there are not as many; it stays until it is
   dropped. */
const struct blackboard_command *blackboard_queue_at(uint_fast8_t number);
void blackboard_queue_drop(uint_fast8_t number);

#endif
