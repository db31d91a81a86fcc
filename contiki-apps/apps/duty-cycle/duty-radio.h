/* SPDX-License-Identifier: Apache-2.0 */
/* Decides when the radio of a mote that only sends is on. */
#ifndef DUTY_RADIO_H_
#define DUTY_RADIO_H_

#include <stdbool.h>
#include "contiki.h"

enum { DUTY_ALWAYS = 1, DUTY_TIMER, DUTY_QUEUE };

/*
 * From now on the radio is off when it may be. `window` is for DUTY_TIMER,
 * `deadline` (us, 0 for none) for DUTY_QUEUE. Returns false, and the radio stays
 * on, if the board refused.
 */
bool duty_radio_start(uint8_t when, clock_time_t window, uint32_t deadline);

/* Switches it on for good. */
void duty_radio_stop(void);

/* A burst is about to be published. */
void duty_radio_expect_burst(void);

#endif
