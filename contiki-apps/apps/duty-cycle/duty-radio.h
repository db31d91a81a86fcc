/* SPDX-License-Identifier: Apache-2.0 */
/* When the radio of a mote that only sends is on. */
#ifndef DUTY_RADIO_H_
#define DUTY_RADIO_H_

#include <stdbool.h>
#include "contiki.h"

enum { DUTY_ALWAYS = 1, DUTY_TIMER, DUTY_QUEUE };

/*
 * From now on it is off when it may be. `window`: of DUTY_TIMER; `deadline`: of
 * DUTY_QUEUE, us, 0 for none. False, and the radio stays on, if the board refused.
 */
bool duty_radio_start(uint8_t when, clock_time_t window, uint32_t deadline);

/* It is on, to stay. */
void duty_radio_stop(void);

/* A burst is about to be published. */
void duty_radio_expect_burst(void);

#endif
