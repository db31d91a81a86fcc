/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sends the start frames from which the next hop learns the start exactly: each
 * says how long it was to the start when the one before it had left the radio.
 * It is used by the control node and by every mote that has heard of the start.
 */
#ifndef START_SENDER_H_
#define START_SENDER_H_

#include "contiki.h"
#include "start-time.h"

/*
 * Sends a series, the first frame after `wait` clock ticks, with what `start`
 * says at each moment; `start` stays in use. A series that is under way begins
 * again.
 */
void start_sender_begin(const struct start_time *start, clock_time_t wait);

void start_sender_stop(void);

/* Frames of a series; the longest time between two, clock ticks. */
#define START_SENDER_REPEATS 10
#define START_SENDER_INTERVAL (CLOCK_SECOND / 4)

#endif
