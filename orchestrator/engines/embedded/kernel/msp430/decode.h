/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MSP430_DECODE_H
#define MSP430_DECODE_H

#include "msp430/instruction.h"

/* The instruction at an address whose words are `words`; those that it doesn't have may be anything. */
struct instruction instruction_decode(uint32_t address, const uint16_t words[3]);

#endif
