/* SPDX-License-Identifier: Apache-2.0 */
/* The five commands, as the queue keeps them and as they are carried out. */
#ifndef BLACKBOARD_COMMAND_H_
#define BLACKBOARD_COMMAND_H_

#include "blackboard.h"

enum {
  COMMAND_SUBSCRIBE,
  COMMAND_MODIFY,
  COMMAND_UNSUBSCRIBE,
  COMMAND_PAUSE,
  COMMAND_PUBLISH
};

struct command {
  uint8_t what;
  uint8_t event;
  uint8_t number; /* of the subscription */
  uint32_t time;  /* when it was given */
  union {
    uint32_t value; /* to publish; whether to pause */
    const struct blackboard_subscription *subscription;
  } with;
};

extern const struct blackboard_port *blackboard_port;

/* What the direct calls return. */
int command_carry_out(const struct command *command);

/* Those stop or resume whose event's subscriptions have changed so. */
void command_tell_producers(void);

void queue_init(void);

/* The oldest, NULL if there is none; it stays until it is dropped. */
const struct command *queue_first(void);
void queue_drop(void);

#endif
