/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sends start frames that let the next hop know the start exactly: each tells
 * how long it was to the start when the one before it had left the radio. Used
 * by the control node and by every relay.
 */
#ifndef START_SENDER_H_
#define START_SENDER_H_

#include "run-frames.h"

/*
 * Send one, for the start at `at` (ms, run_now()). `exact`: whether `at` is
 * known exactly here; `hops`: from the control node to here.
 */
void start_sender_send(uint16_t command_number, uint32_t at,
                       bool exact, uint8_t hops);

#endif
