/* SPDX-License-Identifier: Apache-2.0 */
#include "msp430/loops.h"

#include "msp430/decode.h"
#include "msp430/memory.h"
#include "msp430/operations.h"

enum { FIRST_JUMP = 0x2000, FIRST_DOUBLE = 0x4000, NOP = 0x4303, FIRST_GENERAL = 4 }; /* registers from R4 on */
enum { INCREASES = 0x80 }; /* beside the condition */

struct loop { /* what is known of its body so far */
  uint32_t jump;
  unsigned cycles, written; /* registers that the body sets, a bit for each */
  unsigned counter;         /* the register that counts; 0: none */
  unsigned tested;          /* the register that is compared with 0; 0: none */
  bool increases, polls;    /* it reads anything but those two registers */
};

/* What may be read again and again: only an event changes it, and reading has no effect that the last one doesn't have, too. */
static bool
is_steady(uint32_t address)
{
  return address < 0x06 || (address >= 0x18 && address < 0x20) || (address >= 0x28 && address < 0x38) ||
         (address >= 0x70 && address < 0x80 && address % 8 != 6) || (address >= RAM_BEGIN && address < RAM_END - 1);
}

/* The bit of a capture control register in which its input shows follows a clock. */
static bool
is_steady_but_for_input(uint32_t address)
{
  return (address >= 0x162 && address <= 0x166) || (address >= 0x182 && address <= 0x18e);
}

enum kind { A_CONSTANT, A_REGISTER, ABSOLUTE, ANOTHER };

static enum kind
kind_of(unsigned number, unsigned mode)
{
  if(number == MSP430_CG2 || (number == MSP430_SR && mode > 1) || (number == MSP430_PC && mode == 3)) {
    return A_CONSTANT;
  }
  return number == MSP430_SR && mode == 1 ? ABSOLUTE : number >= FIRST_GENERAL && mode == 0 ? A_REGISTER : ANOTHER;
}

static bool
takes_double(struct loop *loop, uint16_t code, const struct instruction *instruction)
{
  enum { IS_BYTE = 0x40, IN_MEMORY = 0x80, INPUT = 0x08 };
  enum double_operation operation = (enum double_operation)((code >> 12) - 4);
  enum kind source = kind_of(code >> 8 & 15, code >> 4 & 3);
  unsigned number = code & 15;
  enum kind target = (code & IN_MEMORY) != 0 ? kind_of(number, 1) : kind_of(number, 0);
  bool word = (code & IS_BYTE) == 0, constant = source == A_CONSTANT;
  uint16_t value = instruction->source;

  if(source == ANOTHER || target == ANOTHER || target == A_CONSTANT) {
    return false;
  }
  if((operation == ADD || operation == SUB) && target == A_REGISTER && constant && word && loop->counter == 0 &&
     (value == 1 || value == 0xffff)) {
    loop->counter = number;
    loop->increases = (operation == ADD) == (value == 1);
    return true;
  }
  if(operation == CMP && target == A_REGISTER && constant && word && value == 0) {
    loop->polls |= loop->tested != 0 && loop->tested != number;
    loop->tested = number;
    return true;
  }
  loop->polls = true;
  if(source == ABSOLUTE && !is_steady(value)) {
    return false;
  }
  if(target == ABSOLUTE && !is_steady(instruction->destination) &&
     !(is_steady_but_for_input(instruction->destination) && operation == BIT && constant && word && (value & INPUT) == 0)) {
    return false;
  }
  switch(operation) {
  case MOV:
    loop->written |= 1U << number;
    return source == ABSOLUTE && target == A_REGISTER;
  case AND:
    return constant && target == A_REGISTER && (loop->written >> number & 1);
  case BIT:
  case CMP:
    return true;
  default:
    return false;
  }
}

/* Takes one more instruction into the body; returns its size, or 0 if it may not be there. */
static unsigned
take(const struct msp430 *mcu, struct loop *loop, uint32_t address)
{
  uint16_t words[3];
  struct instruction instruction;

  memory_words(mcu, address, words);
  if(words[0] < FIRST_JUMP) {
    return 0;
  }
  instruction = instruction_decode(address, words);
  loop->cycles += instruction.cycles;
  if(words[0] == NOP) {
    return instruction.size;
  }
  if(words[0] >= FIRST_DOUBLE) {
    return takes_double(loop, words[0], &instruction) ? instruction.size : 0;
  }
  return (words[0] >> 10 & 7) == ZERO && address + 2 + instruction.source > loop->jump && instruction.source < 0x8000
           ? instruction.size : 0; /* out of the loop */
}

/* Two rounds one after the other read the same, and so will all to come. The first time the loop may have been entered in its
   middle. A counter counts whatever it began with. Returns the cycles of all rounds that are skipped. */
static int64_t
skip(struct msp430 *mcu, const struct instruction *instruction, int64_t now)
{
  int64_t cycles = instruction->destination, rounds = (mcu->stop - now - 1) / cycles - 1;
  unsigned counter = instruction->destination_register;
  bool again = mcu->loop_at == instruction && mcu->loop_cycles + cycles == now;

  mcu->loop_at = instruction;
  mcu->loop_cycles = now;
  if(counter == 0) {
    rounds = again ? rounds : 0;
  } else {
    bool increases = instruction->source_register & INCREASES;
    int64_t value = mcu->registers[counter], left = (increases ? 0x10000 - value : value) - 1; /* the last one is executed */
    rounds = value == 0 ? 0 : left < rounds ? left : rounds;
    if(rounds > 0) {
      mcu->registers[counter] = (uint32_t)(value + (increases ? rounds : -rounds));
    }
  }
  return rounds > 0 ? rounds * cycles : 0;
}

static void
run_loop(struct msp430 *mcu, const struct instruction *instruction, int64_t cycles)
{
  const struct instruction *next = instruction + 1;
  int64_t end = cycles + instruction->cycles;

  if(operation_condition((enum condition)(instruction->source_register & ~INCREASES), mcu->registers[MSP430_SR])) {
    next += (int16_t)instruction->source / 2;
    end += end < mcu->stop ? skip(mcu, instruction, end) : 0;
  }
  instruction_go_on(mcu, instruction, next, cycles, end);
}

void
loop_find(const struct msp430 *mcu, uint32_t address, struct instruction *instruction)
{
  uint16_t code = (uint16_t)(mcu->memory[address] | mcu->memory[address + 1] << 8);
  enum condition condition = (enum condition)(code >> 10 & 7);
  struct loop loop = {.jump = address, .cycles = instruction->cycles};
  int distance = (int16_t)instruction->source + 2;
  uint32_t at = address + (uint32_t)distance;

  if(code < FIRST_JUMP || code >= FIRST_DOUBLE || distance > 0 || distance < -LONGEST_LOOP || at < MAIN_FLASH_BEGIN) {
    return;
  }
  while(at < address) {
    unsigned size = take(mcu, &loop, at);
    if(size == 0) {
      return;
    }
    at += size;
  }
  if(at != address) {
    return;
  }
  if(loop.counter != 0 && (loop.polls || (loop.tested != 0 && loop.tested != loop.counter) ||
                           (condition != NOT_ZERO && (condition != ALWAYS || loop.tested == 0)))) {
    return;
  }
  instruction->run = run_loop;
  instruction->destination = (uint16_t)loop.cycles;
  instruction->destination_register = (uint8_t)loop.counter;
  instruction->source_register = (uint8_t)((unsigned)condition | (loop.increases ? INCREASES : 0U));
}
