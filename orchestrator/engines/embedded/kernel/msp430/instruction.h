/* SPDX-License-Identifier: Apache-2.0 */
/* An instruction in the form in which it is executed: a function for its operation and addressing modes, and its operands. */
#ifndef MSP430_INSTRUCTION_H
#define MSP430_INSTRUCTION_H

#include "msp430/state.h"

struct instruction {
  void (*run)(struct msp430 *mcu, const struct instruction *instruction);
  uint16_t source;      /* constant or index; of a jump, its signed distance from the next instruction */
  uint16_t destination; /* index; of PUSH, CALL and RETI, the cycles that pass after the access to the stack */
  uint8_t source_register, destination_register; /* NO_BASE where the index is the address */
  uint8_t cycles;       /* they pass before the operands are read */
  uint8_t size;         /* bytes */
};

/*
 * Where an operand is. What depends on PC is known when an instruction is decoded: PC as a source is a constant, and as a base it
 * is part of the index. Indirect is indexed by 0.
 */
enum operand { CONSTANT, REGISTER, INDEXED, INCREMENTED, OPERANDS };
enum target { TO_REGISTER, TO_SPECIAL, TO_INDEXED, TARGETS }; /* special: PC, SR, and SP where MOV writes it */

/*
 * Goes on with the next instruction, unless it is time to stop. Functions that execute instructions end with this; compilers make
 * a jump of it, so that each has its own place for the processor to predict what comes next.
 */
static inline __attribute__((always_inline)) void
instruction_follow(struct msp430 *mcu)
{
  uint32_t pc = mcu->registers[MSP430_PC];

  if(mcu->cycles < mcu->stop && pc < MSP430_MEMORY) {
    const struct instruction *instruction = &mcu->instructions[pc / 2];
    mcu->at = pc;
    mcu->before = mcu->cycles;
    instruction->run(mcu, instruction);
  }
}

#endif
