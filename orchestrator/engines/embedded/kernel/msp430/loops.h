/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Short loops that wait: until a flag is set, or until a register has counted to 0. How often they go round is worked out instead
 * of executed, up to the next event; the last rounds before it are executed, so all that shows is as if all had been.
 */
#ifndef MSP430_LOOPS_H
#define MSP430_LOOPS_H

#include "msp430/instruction.h"

enum { LONGEST_LOOP = 20 }; /* bytes before its jump */

/* If the jump at this address ends such a loop, `instruction`, which is decoded, will skip its rounds. */
void loop_find(const struct msp430 *mcu, uint32_t address, struct instruction *instruction);

#endif
