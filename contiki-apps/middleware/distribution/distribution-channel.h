/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The event channel of one node: values that a task passes on go to the tasks that the links name, by an inbox
 * on this node, by a frame to another one. Frames wait in the order of their priorities, and one at a time is
 * under way on the radio.
 */
#ifndef DISTRIBUTION_CHANNEL_H_
#define DISTRIBUTION_CHANNEL_H_

#include "distribution.h"

void distribution_channel_init(void);

/* The task has ended with that value. */
void distribution_channel_push(uint8_t task, const struct distribution_value *value);

/* Asks the reference for its time. */
void distribution_channel_ask(void);

/* For the thread of a step: waits for the next value. */
void distribution_channel_wait(uint8_t task, struct distribution_value *value);

/* The newest value for a target, or of a source on this node. */
const struct distribution_value *distribution_channel_newest(uint8_t task);

/* A source has updated its object. */
void distribution_channel_update(uint8_t task, const struct distribution_value *value);

#endif
