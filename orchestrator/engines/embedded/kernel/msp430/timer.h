/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Timer A (three capture/compare registers) and timer B (seven). Captures of ACLK are worked out from the counter. Their outputs aren't modelled, as in MSPSim.
 */
#ifndef MSP430_TIMER_H
#define MSP430_TIMER_H

#include "msp430/state.h"

enum { TIMER_A_VECTOR_REGISTER = 0x12e, TIMER_B_VECTOR_REGISTER = 0x11e, TIMER_A = 0x160, TIMER_B = 0x180 };

void timer_init(struct msp430 *mcu);
void timer_reset(struct timer *timer);

int32_t timer_read(struct msp430 *mcu, uint32_t address, bool word);
void timer_write(struct msp430 *mcu, uint32_t address, int32_t value, bool word);

/* A pin that some capture register of the timer listens to has changed. MSPSim takes the pin's number for the register's. */
void timer_capture(struct timer *timer, unsigned pin, bool high);

#endif
