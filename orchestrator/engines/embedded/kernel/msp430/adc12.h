/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The analog-to-digital converter. Conversions begin when software asks, and take a sample time and 13 ticks of virtual time,
 * whatever its clock. ADC12IV always is 0. An input that nothing is connected to gives numbers that fall by 7.
 */
#ifndef MSP430_ADC12_H
#define MSP430_ADC12_H

#include "msp430/state.h"

void adc12_init(struct msp430 *mcu);
void adc12_reset(struct msp430 *mcu);
int32_t adc12_read(struct msp430 *mcu, uint32_t address, bool word);
void adc12_write(struct msp430 *mcu, uint32_t address, int32_t value, bool word);

#endif
