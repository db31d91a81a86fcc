/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sends the start frames that let the next hop know the start exactly: each
 * tells how long it was to the start when the one before it had left the radio.
 * Used by the control node and by every mote that has heard of the start.
 */
#ifndef START_SENDER_H_
#define START_SENDER_H_

#include "contiki.h"
#include "start-time.h"

/*
 * Send a series, the first after `wait` clock ticks, from what `start` says at
 * each moment; it stays in use. A series under way begins again.
 */
void start_sender_begin(const struct start_time *start, clock_time_t wait);

void start_sender_stop(void);

/* Frames of a series; the longest time between two, clock ticks. */
#define START_SENDER_REPEATS 10
#define START_SENDER_INTERVAL (CLOCK_SECOND / 4)

#endif
