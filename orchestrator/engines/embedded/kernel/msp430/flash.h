/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The flash controller. Its state outlives a reset. An operation that was begun by code in flash stops the CPU until it is over;
 * one that is clocked by MCLK is over at once, as in MSPSim, and erasing all memory erases from information memory on, RAM too.
 */
#ifndef MSP430_FLASH_H
#define MSP430_FLASH_H

#include "msp430/state.h"

void flash_init(struct msp430 *mcu);
int32_t flash_read(struct msp430 *mcu, uint32_t address, bool word);
void flash_write(struct msp430 *mcu, uint32_t address, int32_t value, bool word);

/* The CPU reads flash while the controller is busy. */
void flash_read_busy(struct msp430 *mcu);

/* The CPU writes to flash. */
void flash_write_memory(struct msp430 *mcu, uint32_t address, int32_t value, bool word);

#endif
