/* SPDX-License-Identifier: Apache-2.0 */
/* Ports 1 to 6; the first two have interrupts. */
#ifndef MSP430_PORT_H
#define MSP430_PORT_H

#include "msp430/state.h"

void port_init(struct msp430 *mcu);
void port_reset(struct msp430 *mcu, unsigned number);
int32_t port_read(struct msp430 *mcu, uint32_t address, bool word);
void port_write(struct msp430 *mcu, uint32_t address, int32_t value, bool word);

#endif
