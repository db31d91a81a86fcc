/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where in a firmware the cycles pass, counted for each address over all microcontrollers that run it. A cycle counts to the
 * instruction that runs, that of an interrupt's entry to the instruction before it, and those of code outside of main flash to the
 * last instruction inside. Cycles asleep don't count. Firmware that writes its own main flash is counted up to then.
 */
#ifndef MSP430_PROFILE_H
#define MSP430_PROFILE_H

#include "msp430/instruction.h"

struct profile *profile_new(void);

/* How many cycles were counted at an even address. */
int64_t profile_cycles(const struct profile *profile, uint32_t address);

/* An instruction was decoded at this place of the microcontroller's table: it is counted from now on, if its firmware is. */
void profile_decoded(struct msp430 *mcu, struct instruction *instruction);

#endif
