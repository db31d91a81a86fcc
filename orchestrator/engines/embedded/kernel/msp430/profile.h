/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where in a firmware the cycles pass, counted for each address over all microcontrollers that run it. A cycle counts to the
 * instruction that runs, that of an interrupt's entry to the instruction before it, and those of code outside of main flash to the
 * last instruction inside. Cycles asleep don't count. Firmware that writes its own main flash is counted up to then.
 */
#ifndef MSP430_PROFILE_H
#define MSP430_PROFILE_H

#include "msp430/instruction.h"

/* An instruction was decoded at this place of the image's table: it is counted from now on, if the image is. */
void profile_decoded(struct msp430 *mcu, struct instruction *instruction);

#endif
