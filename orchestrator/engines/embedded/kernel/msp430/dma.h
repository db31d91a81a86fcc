/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The DMA controller as far as MSPSim has it: single bytes, triggered by the USARTs' flags. All other triggers, software's too,
 * move nothing.
 */
#ifndef MSP430_DMA_H
#define MSP430_DMA_H

#include "msp430/state.h"

enum dma_trigger { DMA_USART0_RECEIVED = 3, DMA_USART0_SENT = 4, DMA_USART1_RECEIVED = 9, DMA_USART1_SENT = 10 };

int32_t dma_read(struct msp430 *mcu, uint32_t address, bool word);
void dma_write(struct msp430 *mcu, uint32_t address, int32_t value, bool word);
void dma_triggered(struct msp430 *mcu, enum dma_trigger trigger);

#endif
