/* SPDX-License-Identifier: Apache-2.0 */
/* What carries commands out and what keeps them, to each other. */
#ifndef BLACKBOARD_COMMAND_H_
#define BLACKBOARD_COMMAND_H_

#include <stddef.h>
#include "blackboard.h"

extern const struct blackboard_port *blackboard_port;

/* Count one, by its place among the counters: a call is smaller than 32 bits. */
void blackboard_command_count(uint_fast8_t counter);
#define BLACKBOARD_COUNTER(name) \
  (offsetof(struct blackboard_counters, name) / sizeof(uint32_t))

/* The subscriber has its notification. */
void blackboard_command_taken(uint8_t event, uint8_t number);

/* Those stop or resume whose event's subscriptions have changed so. */
void blackboard_command_tell_producers(void);

/* The oldest is number 0. NULL if there are not as many; it stays until it is
   dropped. */
const struct blackboard_command *blackboard_queue_at(uint_fast8_t number);
void blackboard_queue_drop(uint_fast8_t number);

#endif
