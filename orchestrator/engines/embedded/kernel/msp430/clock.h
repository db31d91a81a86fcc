/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The basic clock module: the DCO's frequency is a linear function of its three settings, MCLK is always the DCO, SMCLK the DCO
 * divided, ACLK the 32,768 Hz crystal divided.
 */
#ifndef MSP430_CLOCK_H
#define MSP430_CLOCK_H

#include "msp430/state.h"

void clock_reset(struct msp430 *mcu);
int32_t clock_read(struct msp430 *mcu, uint32_t address, bool word);
void clock_write(struct msp430 *mcu, uint32_t address, int32_t value, bool word);

#endif
