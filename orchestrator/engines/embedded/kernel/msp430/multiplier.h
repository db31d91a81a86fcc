/* SPDX-License-Identifier: Apache-2.0 */
/* The hardware multiplier. It isn't reset with the CPU, as in MSPSim. */
#ifndef MSP430_MULTIPLIER_H
#define MSP430_MULTIPLIER_H

#include "msp430/state.h"

int32_t multiplier_read(struct msp430 *mcu, uint32_t address, bool word);
void multiplier_write(struct msp430 *mcu, uint32_t address, int32_t value, bool word);

#endif
