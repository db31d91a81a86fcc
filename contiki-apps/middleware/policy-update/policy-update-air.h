/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by this module's files: the format of updates and answers.
 *
 *   update   1 bit: only its mote has it carried out, or all are asked; 7: number;
 *            8: mote, 0: all
 *            1 bit: its sender has none that is older; 3: what; 6: policy; 6: other
 *   answer   8 bits: whose updates; 1: the last was refused; 7: its number
 *
 * in 16 bits each, little-endian or as a sealed value.
 */
#ifndef POLICY_UPDATE_AIR_H_
#define POLICY_UPDATE_AIR_H_

#include "policy-update.h"
#include "pubsub.h"

#define POLICY_UPDATE_SUBJECT 0x21706f6c69637900ULL  /* "!policy" */
#define POLICY_UPDATE_ANSWERS 0x21706f6c646f6e65ULL  /* "!poldone" */

/* An update that was for another mote: nothing. */
#define POLICY_UPDATE_NOTHING 0

/* The number of no update; those of updates go from 0 to the one before and round. */
#define POLICY_UPDATE_NONE 127

struct policy_update_air {
  uint8_t number;
  bool is_only;  /* to one: nobody else has it carried out, so it counts as done by others;
                    to all: those that have it are to answer, too */
  bool is_first; /* the oldest that its sender still has */
  uint8_t to;    /* a mote; 0: all */
  uint8_t what, policy, other;
};

struct policy_update_answer_air {
  uint8_t sender; /* of the updates */
  uint8_t number; /* of the last that the mote has; POLICY_UPDATE_NONE */
  bool is_refused;
};

/* How many numbers further on `number` is than `than`. */
static inline uint8_t
policy_update_ahead(uint8_t number, uint8_t than)
{
  return (number + POLICY_UPDATE_NONE - than) % POLICY_UPDATE_NONE;
}

/* The bytes written. */
uint8_t policy_update_write(uint8_t *data, const struct policy_update_air *update);
uint8_t policy_update_write_answer(uint8_t *data, const struct policy_update_answer_air *answer);

/* False, and it is counted: it is none, or wasn't sealed by the mote that it is from. */
bool policy_update_read(struct policy_update_air *update, const struct pubsub_event *event);
bool policy_update_read_answer(struct policy_update_answer_air *answer,
                               const struct pubsub_event *event);

/* Start the sender's side; by which driver both travel. */
void policy_update_sender_init(const struct pubsub_routing_driver *routes,
                               const struct pubsub_routing_driver *answers,
                               struct pubsub_publisher_channel *channel);

#endif
