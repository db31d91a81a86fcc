/* SPDX-License-Identifier: Apache-2.0 */
/* Special function registers: interrupt enable, interrupt flags and module enable of the watchdog and the USARTs. */
#ifndef MSP430_SPECIAL_H
#define MSP430_SPECIAL_H

#include "msp430/state.h"

void special_reset(struct msp430 *mcu);
int32_t special_read(struct msp430 *mcu, uint32_t address, bool word);
void special_write(struct msp430 *mcu, uint32_t address, int32_t value, bool word);

/* Bits of IFG1 (0) or IFG2 (1). */
void special_set_flags(struct msp430 *mcu, unsigned number, int32_t bits);
void special_clear_flags(struct msp430 *mcu, unsigned number, int32_t bits);

#endif
