/* SPDX-License-Identifier: Apache-2.0 */
#include "msp430/decode.h"

#include "msp430/operations.h"

enum { MODE_REGISTER, MODE_INDEXED, MODE_INDIRECT, MODE_INCREMENTED };
enum { FIRST_JUMP = 0x2000, FIRST_DOUBLE = 0x4000, FIRST_SINGLE = 0x1000, RETI_CODE = 0x1300, LAST_RETI = 0x130f };

/* What the constant generators give, by addressing mode; R2 has them in the indirect modes only. */
static const uint16_t CONSTANTS_R2[] = {0, 0, 4, 8}, CONSTANTS_R3[] = {0, 1, 2, 0xffff};

/* Reads a register's addressing mode; `*value` becomes its constant or index, `*base` its register. */
static enum operand
decode_operand(struct instruction *instruction, uint32_t address, const uint16_t words[3], unsigned number, unsigned mode,
               uint16_t *value, uint8_t *base)
{
  uint32_t next = address + instruction->size;

  *base = (uint8_t)number;
  if(number == MSP430_CG2 || (number == MSP430_SR && mode > MODE_INDEXED)) {
    *value = number == MSP430_CG2 ? CONSTANTS_R3[mode] : CONSTANTS_R2[mode];
    return CONSTANT;
  }
  if(mode == MODE_REGISTER) {
    return REGISTER;
  }
  if(mode == MODE_INDEXED || (mode == MODE_INCREMENTED && number == MSP430_PC)) {
    *value = words[instruction->size / 2];
    instruction->size += 2;
  }
  if(mode == MODE_INCREMENTED) {
    return number == MSP430_PC ? CONSTANT : INCREMENTED;
  }
  if(number == MSP430_PC || number == MSP430_SR) {
    *value = (uint16_t)(*value + (number == MSP430_PC ? next : 0));
    *base = NO_BASE;
  }
  return INDEXED;
}

static void
decode_double(struct instruction *instruction, uint32_t address, const uint16_t words[3])
{
  static const uint8_t to_register[] = {1, 3, 2, 2}, to_memory[] = {4, 6, 5, 5}; /* cycles by the source's mode */
  uint16_t code = words[0];
  unsigned source = code >> 8 & 15, mode = code >> 4 & 3, destination = code & 15;
  bool word = !(code & 0x40), in_memory = code & 0x80;
  bool generated = source == MSP430_CG2 || (source == MSP430_SR && mode > MODE_INDEXED);
  enum operand operand = decode_operand(instruction, address, words, source, mode, &instruction->source,
                                         &instruction->source_register);
  bool moves_stack = !in_memory && destination == MSP430_SP && (code >> 12) - 4 == MOV;
  enum target target = destination == MSP430_PC || destination == MSP430_SR || moves_stack ? TO_SPECIAL : TO_REGISTER;

  instruction->cycles = (in_memory ? to_memory : to_register)[generated ? MODE_REGISTER : mode];
  if(destination == MSP430_PC && !generated && (mode == MODE_REGISTER || mode == MODE_INCREMENTED)) {
    instruction->cycles++; /* also where PC only is the base of an address */
  }
  if(operand == REGISTER && source == MSP430_PC) {
    operand = CONSTANT;
    instruction->source = (uint16_t)(address + 2);
  }
  if(operand == CONSTANT && !word) {
    instruction->source &= 0xff;
  }
  if(in_memory) {
    uint32_t pc = destination == MSP430_PC ? address + instruction->size : 0;
    instruction->destination = (uint16_t)(words[instruction->size / 2] + pc);
    instruction->size += 2;
    instruction->destination_register = (uint8_t)(target == TO_SPECIAL ? NO_BASE : destination);
    target = TO_INDEXED;
  } else {
    instruction->destination_register = (uint8_t)destination;
  }
  instruction->run = operation_double((enum double_operation)((code >> 12) - 4), operand, target, word);
}

static void
decode_single(struct instruction *instruction, uint32_t address, const uint16_t words[3])
{
  static const uint8_t cycles[] = {1, 4, 3, 3}, more_to_push[] = {2, 1, 1, 2}, more_to_call[] = {3, 1, 1, 2};
  uint16_t code = words[0];
  unsigned number = code & 15, mode = code >> 4 & 3;
  bool word = !(code & 0x40);
  bool generated = number == MSP430_CG2 || (number == MSP430_SR && mode > MODE_INDEXED);
  enum single_operation operation = (enum single_operation)((code - FIRST_SINGLE) >> 7);
  enum operand operand = decode_operand(instruction, address, words, number, mode, &instruction->source,
                                         &instruction->source_register);

  instruction->cycles = cycles[generated ? MODE_REGISTER : mode];
  if(operation == PUSH || operation == CALL) {
    instruction->destination = (operation == PUSH ? more_to_push : more_to_call)[mode];
  } else if(operand == CONSTANT && !generated) { /* the result is written over the immediate value */
    operand = INDEXED;
    instruction->source = (uint16_t)(address + 2);
    instruction->source_register = NO_BASE;
  }
  if(operand == CONSTANT && !word) {
    instruction->source &= 0xff;
  }
  instruction->run = operation_single(operation, operand, word);
}

struct instruction
instruction_decode(uint32_t address, const uint16_t words[3])
{
  struct instruction instruction = {.size = 2};
  uint16_t code = words[0];

  if(code >= FIRST_DOUBLE) {
    decode_double(&instruction, address, words);
  } else if(code >= FIRST_JUMP) {
    instruction.cycles = 2;
    instruction.source = (uint16_t)(2 * ((code & 0x3ff) - (code & 0x200 ? 0x400 : 0)));
    instruction.source_register = code >> 10 & 7;
    instruction.run = address + 2 + (uint32_t)(int16_t)instruction.source < MSP430_MEMORY
                        ? operation_jump((enum condition)instruction.source_register) : operation_jump_beyond;
  } else if(code >= FIRST_SINGLE && code < RETI_CODE) {
    decode_single(&instruction, address, words);
  } else if(code >= RETI_CODE && code <= LAST_RETI) {
    instruction.cycles = 1;
    instruction.destination = 4;
    instruction.run = operation_return_from_interrupt;
  } else {
    instruction.run = operation_of_msp430x;
  }
  return instruction;
}
