/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Notices a stack that has grown into variables: below `_end`, the end of what the linker put in RAM. A stack that the firmware
 * moved there itself, as threads have, is none: this looks only at what PUSH, CALL and interrupts write.
 */
#ifndef MSP430_STACK_H
#define MSP430_STACK_H

#include "msp430/state.h"

/* `data_end`: of variables; 0: it isn't known, and nothing is noticed. */
void stack_init(struct msp430 *mcu, uint32_t data_end);

/* The stack has reached an address below mcu->stack_limit, by the instruction at mcu->at or an interrupt after it. */
void stack_reached(struct msp430 *mcu, uint32_t address);

/* The firmware has given SP a new value. */
void stack_moved(struct msp430 *mcu, uint32_t address);

#endif
