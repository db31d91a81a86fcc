/* SPDX-License-Identifier: Apache-2.0 */
/* The bodies of the control protocol's frames. */
#ifndef RUN_FRAMES_H_
#define RUN_FRAMES_H_

#include "run-control.h"

struct run_command {
  uint16_t number;  /* 1, 2, ..: tells a new command from one heard before */
  uint8_t code;
  uint8_t target;   /* publisher index, of RUN_VERIFY */
  uint8_t times;    /* how often every mote sends it, its probe and the other
                       frames */
  struct start_time_frame start; /* of RUN_START */
};

/* A probe on its way, or its confirmation. */
struct run_probe {
  uint8_t publisher;
  uint16_t number;  /* of the command that asked for it */
  uint8_t times;
};

#define RUN_COMMAND_SIZE PUBSUB_COMMAND_BODY_FIXED_SIZE
#define RUN_PROBE_SIZE PUBSUB_PROBE_BODY_FIXED_SIZE

void run_command_encode(const struct run_command *command,
                        uint8_t body[RUN_COMMAND_SIZE]);
bool run_command_decode(struct run_command *command,
                        const uint8_t *body, uint16_t length);

/* Broadcast to the neighbours; `sent` as in pubsub_routing_send(). */
void run_command_send(const struct run_command *command,
                      void (*sent)(bool transmitted));

bool run_probe_decode(struct run_probe *probe,
                      const uint8_t *body, uint16_t length);

/* Send it as RUN_PROBE or RUN_CONFIRM. */
void run_probe_send(const struct run_probe *probe, uint8_t type, uint16_t to);

#endif
