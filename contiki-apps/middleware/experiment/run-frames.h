/* SPDX-License-Identifier: Apache-2.0 */
/* The bodies of the control protocol's frames. */
#ifndef RUN_FRAMES_H_
#define RUN_FRAMES_H_

#include "run-control.h"

struct run_command {
  uint16_t number;  /* 1, 2, ..: which tells a new command from a repeat */
  uint8_t code;
  uint8_t target;   /* publisher index, of RUN_VERIFY */
  struct start_frame start; /* of RUN_START */
};

#define RUN_COMMAND_SIZE 14
#define RUN_PROBE_SIZE 3 /* publisher u8, number of the command u16 */

void run_command_encode(const struct run_command *command,
                        uint8_t body[RUN_COMMAND_SIZE]);
bool run_command_decode(struct run_command *command,
                        const uint8_t *body, uint16_t length);

/* Broadcast to the neighbours; `sent` as in pubsub_routing_send(). */
void run_command_send(const struct run_command *command,
                      void (*sent)(bool transmitted));

/* Send a probe or a confirmation. */
void run_probe_send(uint8_t type, uint16_t to,
                    uint8_t publisher, uint16_t number);

#endif
