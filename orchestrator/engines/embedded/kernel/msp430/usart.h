/* SPDX-License-Identifier: Apache-2.0 */
/*
 * USART 0 and 1, as UART and as SPI master: both take eight bit times for a byte and have a cycle between bytes. Parity, start
 * and stop bits, modulation and break aren't modelled, as in MSPSim.
 */
#ifndef MSP430_USART_H
#define MSP430_USART_H

#include "msp430/state.h"

void usart_init(struct msp430 *mcu);
void usart_reset(struct msp430 *mcu, unsigned number);
int32_t usart_read(struct msp430 *mcu, uint32_t address, bool word);
void usart_write(struct msp430 *mcu, uint32_t address, int32_t value, bool word);

#endif
