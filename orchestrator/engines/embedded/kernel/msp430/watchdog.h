/* SPDX-License-Identifier: Apache-2.0 */
/* The watchdog, which counts cycles, or virtual time if it is clocked by ACLK. */
#ifndef MSP430_WATCHDOG_H
#define MSP430_WATCHDOG_H

#include "msp430/state.h"

enum { WDTCTL = 0x120 };

void watchdog_init(struct msp430 *mcu);
void watchdog_reset(struct msp430 *mcu);
int32_t watchdog_read(struct msp430 *mcu, uint32_t address, bool word);
void watchdog_write(struct msp430 *mcu, uint32_t address, int32_t value, bool word);

#endif
