/* SPDX-License-Identifier: Apache-2.0 */
/* An instruction in the form in which it is executed: a function for its operation and addressing modes, and its operands. */
#ifndef MSP430_INSTRUCTION_H
#define MSP430_INSTRUCTION_H

#include "msp430/state.h"

struct instruction {
  void (*run)(struct msp430 *mcu, const struct instruction *instruction, int64_t cycles); /* `cycles` are those before it */
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
 * While one instruction follows the other, neither the number of cycles nor PC is in `mcu`: the first is an argument, the second
 * is where the instruction is in the table. Both are written when it is time to stop, and before anything that may look.
 */
static inline uint32_t
instruction_address(const struct msp430 *mcu, const struct instruction *instruction)
{
  return (uint32_t)((instruction - mcu->base) * 2);
}

/* The operands of this instruction, which began at this cycle, are not all plain memory. */
static inline void
instruction_note(struct msp430 *mcu, const struct instruction *instruction, int64_t cycles)
{
  mcu->at = instruction_address(mcu, instruction);
  mcu->registers[MSP430_PC] = mcu->at + instruction->size;
  mcu->before = cycles;
  mcu->cycles = cycles + instruction->cycles;
}

static inline const struct instruction *
instruction_next(const struct instruction *instruction)
{
  return (const struct instruction *)((const char *)instruction + instruction->size * (sizeof(*instruction) / 2));
}

/*
 * Goes on with the next instruction, unless it is time to stop; `end` is the cycle at which this one ends. Functions that execute
 * instructions end with this or the next one; compilers make a jump of it, so that each has its own place for the processor to
 * predict what comes next.
 */
static inline __attribute__((always_inline)) void
instruction_go_on(struct msp430 *mcu, const struct instruction *instruction, const struct instruction *next, int64_t cycles, int64_t end)
{
  if(__builtin_expect(end < mcu->stop, true)) {
    next->run(mcu, next, end);
    return;
  }
  mcu->at = instruction_address(mcu, instruction);
  mcu->registers[MSP430_PC] = instruction_address(mcu, next);
  mcu->before = cycles;
  mcu->cycles = end;
}

/* The same if PC says which is the next one. */
static inline __attribute__((always_inline)) void
instruction_go_to_pc(struct msp430 *mcu, const struct instruction *instruction, int64_t cycles, int64_t end)
{
  uint32_t pc = mcu->registers[MSP430_PC];

  if(end < mcu->stop && pc < MSP430_MEMORY) {
    const struct instruction *next = &mcu->base[pc / 2];
    next->run(mcu, next, end);
    return;
  }
  mcu->at = instruction_address(mcu, instruction);
  mcu->before = cycles;
  mcu->cycles = end;
}

#endif
