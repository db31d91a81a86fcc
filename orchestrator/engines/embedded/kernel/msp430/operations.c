/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Order within an instruction, as MSPSim has it: its cycles pass (but for some of PUSH, CALL and RETI, which pass at the end), a
 * destination is read, then the source, then the result is written. @Rn+ is incremented before the destination is read. Where its results differ from the manual's, the comments say so.
 */
#include "msp430/operations.h"

#include "msp430/interrupts.h"
#include "msp430/memory.h"
#include "msp430/stack.h"

enum { FLAGS = SR_C | SR_Z | SR_N | SR_V };

static inline __attribute__((always_inline)) int32_t
mask_of(bool word)
{
  return word ? 0xffff : 0xff;
}

static inline __attribute__((always_inline)) int32_t
sign_of(bool word)
{
  return word ? 0x8000 : 0x80;
}

/* Registers can hold 17 bits after an increment, and then the sum of an address has 20. */
static inline __attribute__((always_inline)) uint32_t
indexed(const struct msp430 *mcu, unsigned base, uint16_t index)
{
  uint32_t value = mcu->registers[base];

  if(__builtin_expect(value <= 0xffff, true)) {
    return (value + index) & 0xffff;
  }
  return (value + index - (index > 0x8000 ? 0x10000 : 0)) & 0xfffff;
}

static inline __attribute__((always_inline)) int32_t
read_operand(struct msp430 *mcu, const struct instruction *instruction, int64_t cycles, uint32_t address, bool word)
{
  if(!memory_is_plain(mcu, address, PAGE_READ)) {
    instruction_note(mcu, instruction, cycles);
  }
  return memory_read(mcu, address, word);
}

static inline __attribute__((always_inline)) void
write_operand(struct msp430 *mcu, const struct instruction *instruction, int64_t cycles, uint32_t address, int32_t value, bool word)
{
  if(!memory_is_plain(mcu, address, PAGE_WRITE)) {
    instruction_note(mcu, instruction, cycles);
  }
  memory_write(mcu, address, value, word);
}

static inline __attribute__((always_inline)) void
set_flags(struct msp430 *mcu, uint32_t flags, bool after_memory)
{
  uint32_t status = (mcu->registers[MSP430_SR] & ~(uint32_t)FLAGS) | flags;

  mcu->registers[MSP430_SR] = status;
  /* The write of the result may have flagged a reset, and that of the flags puts it off until GIE is set. */
  if(after_memory && __builtin_expect(mcu->forced_interrupts, false)) {
    status_write(mcu, status);
  }
}

/* The same where the result is written to a register: into SR between the flags C and V, and Z and N. */
static inline __attribute__((always_inline)) void
write_register_and_flags(struct msp430 *mcu, unsigned number, int32_t result, bool writes, uint32_t flags)
{
  if(number != MSP430_SR) {
    if(writes) {
      register_write(mcu, number, (uint32_t)result);
    }
    set_flags(mcu, flags, false);
    return;
  }
  status_write(mcu, (mcu->registers[MSP430_SR] & ~(uint32_t)(SR_C | SR_V)) | (flags & (SR_C | SR_V)));
  if(writes) {
    status_write(mcu, (uint32_t)result);
  }
  status_write(mcu, (mcu->registers[MSP430_SR] & ~(uint32_t)(SR_Z | SR_N)) | (flags & (SR_Z | SR_N)));
}

static inline __attribute__((always_inline)) uint32_t
flag(bool on, uint32_t bit)
{
  return on ? bit : 0;
}

/* Works out a result, not masked, and the flags C and V; `flags` has the old ones. */
static inline __attribute__((always_inline)) int32_t
result_of(enum double_operation operation, int32_t source, int32_t destination, bool word, uint32_t *flags)
{
  int32_t sign = sign_of(word), result, carry = operation == SUB;

  switch(operation) {
  case MOV:
    return source;
  case BIC:
    return ~source & destination;
  case BIS:
    return source | destination;
  case SUB:
  case SUBC:
    source = (source ^ 0xffff) & 0xffff; /* 16 bits also of bytes: their carry is always set */
    /* fall through */
  case ADDC:
  case ADD:
    if(operation == ADDC || operation == SUBC) {
      carry = (int32_t)(*flags & SR_C);
    }
    result = destination + source + carry;
    *flags = flag(result > mask_of(word), SR_C) | flag((~(source ^ destination) & (source ^ result) & sign) != 0, SR_V);
    return result;
  case CMP:
    result = destination - source;
    *flags = flag(destination >= source, SR_C) |
             flag((~(source ^ result) & (source ^ destination) & sign) != 0, SR_V);
    return result;
  case DADD: /* adds in binary, and leaves C and V */
    *flags &= SR_C | SR_V;
    return destination + source + (int32_t)(*flags & SR_C);
  case XOR:
    *flags = flag((source ^ destination) != 0, SR_C) | flag((source & destination & sign) != 0, SR_V);
    return source ^ destination;
  default: /* BIT, AND */
    *flags = flag((source & destination) != 0, SR_C);
    return source & destination;
  }
}

static inline __attribute__((always_inline)) uint32_t
sign_and_zero(int32_t result, bool word)
{
  return flag(result == 0, SR_Z) | flag((result & sign_of(word)) != 0, SR_N);
}

static inline __attribute__((always_inline)) void
execute_double(struct msp430 *mcu, const struct instruction *instruction, int64_t cycles, enum double_operation operation,
               enum operand source_is, enum target target, bool word)
{
  unsigned source_register = instruction->source_register, target_register = instruction->destination_register;
  bool flags_change = operation != MOV && operation != BIC && operation != BIS;
  bool writes = operation != CMP && operation != BIT;
  bool in_memory = target == TO_INDEXED;
  uint32_t source_address = 0, target_address = 0, flags = 0;
  int32_t source = 0, destination = 0, result;

  if(target == TO_SPECIAL) {
    mcu->registers[MSP430_PC] = instruction_address(mcu, instruction) + instruction->size;
  }
  switch(source_is) {
  case CONSTANT:
    source = instruction->source;
    break;
  case REGISTER:
    source = (int32_t)mcu->registers[source_register] & mask_of(word);
    break;
  case INDEXED:
    source_address = indexed(mcu, source_register, instruction->source);
    break;
  default: /* INCREMENTED */
    source_address = mcu->registers[source_register];
    mcu->registers[source_register] += word ? 2 : 1;
    break;
  }
  if(!in_memory) {
    destination = operation == MOV ? 0 : (int32_t)mcu->registers[target_register] & mask_of(word);
  } else {
    target_address = indexed(mcu, target_register, instruction->destination);
    destination = operation == MOV ? 0 : read_operand(mcu, instruction, cycles, target_address, word);
  }
  if(source_is != CONSTANT && source_is != REGISTER) {
    source = read_operand(mcu, instruction, cycles, source_address, word);
  }
  if(flags_change) {
    flags = mcu->registers[MSP430_SR];
  }
  result = result_of(operation, source, destination, word, &flags) & mask_of(word);
  if(flags_change) {
    flags |= sign_and_zero(result, word);
  }
  if(target == TO_SPECIAL) {
    if(flags_change) {
      write_register_and_flags(mcu, target_register, result, writes, flags);
    } else {
      register_write(mcu, target_register, (uint32_t)result);
    }
    if(target_register == MSP430_SP) {
      stack_moved(mcu, (uint32_t)result);
    }
    return;
  }
  if(writes && in_memory) {
    write_operand(mcu, instruction, cycles, target_address, result, word);
  } else if(writes) {
    mcu->registers[target_register] = (uint32_t)result;
  }
  if(flags_change) {
    set_flags(mcu, flags, in_memory);
  }
}

static inline __attribute__((always_inline)) void
execute_single(struct msp430 *mcu, const struct instruction *instruction, int64_t cycles, enum single_operation operation,
               enum operand operand, bool word)
{
  unsigned number = instruction->source_register;
  uint32_t address = 0, stack = 0, flags = 0, status;
  int32_t value = 0, result;

  if(operation == CALL || (operand == REGISTER && number == MSP430_PC)) {
    mcu->registers[MSP430_PC] = instruction_address(mcu, instruction) + instruction->size;
  }
  if(operation == PUSH || operation == CALL) {
    stack = mcu->registers[MSP430_SP] - 2;
    mcu->registers[MSP430_SP] = stack & 0xfffff;
    if(__builtin_expect(stack < mcu->stack_limit, false)) {
      instruction_note(mcu, instruction, cycles);
      stack_reached(mcu, stack);
    }
  }
  switch(operand) {
  case CONSTANT:
    value = instruction->source;
    break;
  case REGISTER:
    value = (int32_t)mcu->registers[number] & mask_of(word);
    break;
  case INDEXED:
    address = indexed(mcu, number, instruction->source);
    break;
  default: /* INCREMENTED */
    address = mcu->registers[number];
    mcu->registers[number] = (address + (word ? 2 : 1)) & 0xfffff;
    break;
  }
  if(operand != CONSTANT && operand != REGISTER) {
    value = read_operand(mcu, instruction, cycles, address, word);
  }
  status = mcu->registers[MSP430_SR];
  switch(operation) {
  case PUSH:
    write_operand(mcu, instruction, cycles, stack, value & mask_of(word), word);
    return;
  case CALL:
    write_operand(mcu, instruction, cycles, stack, (int32_t)mcu->registers[MSP430_PC], true);
    mcu->registers[MSP430_PC] = (uint32_t)value & 0xffffe;
    return;
  case RRC:
    flags = (uint32_t)value & SR_C;
    result = value >> 1 | (status & SR_C ? sign_of(word) : 0);
    break;
  case RRA:
    flags = (uint32_t)value & SR_C;
    result = (value & sign_of(word)) | value >> 1;
    break;
  case SXT:
    result = value & 0x80 ? value | 0xfff00 : value & 0x7f;
    flags = flag(result != 0, SR_C);
    break;
  default: /* SWPB */
    result = (value >> 8 & 0xff) + (value << 8 & 0xff00);
    break;
  }
  result &= mask_of(word);
  flags |= sign_and_zero(result, word);
  if(operand != REGISTER && operand != CONSTANT) {
    write_operand(mcu, instruction, cycles, address, result, word);
    if(operation != SWPB) {
      set_flags(mcu, flags, true);
    }
  } else if(operation != SWPB) { /* a constant's register is written, as MSPSim does */
    write_register_and_flags(mcu, number, result, true, flags);
  } else {
    register_write(mcu, number, (uint32_t)result);
  }
}

static inline __attribute__((always_inline)) bool
holds(enum condition condition, uint32_t status)
{
  bool differ = !(status & SR_N) != !(status & SR_V);

  switch(condition) {
  case NOT_ZERO:
    return !(status & SR_Z);
  case ZERO:
    return status & SR_Z;
  case NO_CARRY:
    return !(status & SR_C);
  case CARRY:
    return status & SR_C;
  case NEGATIVE:
    return status & SR_N;
  case GREATER_OR_EQUAL:
    return !differ;
  case LESS:
    return differ;
  default:
    return true;
  }
}

bool
operation_condition(enum condition condition, uint32_t status)
{
  return holds(condition, status);
}

void
operation_jump_beyond(struct msp430 *mcu, const struct instruction *instruction, int64_t cycles)
{
  uint32_t pc = instruction_address(mcu, instruction) + instruction->size;

  if(holds((enum condition)instruction->source_register, mcu->registers[MSP430_SR])) {
    pc = (pc + (uint32_t)(int16_t)instruction->source) & 0xfffff;
  }
  mcu->registers[MSP430_PC] = pc;
  instruction_go_to_pc(mcu, instruction, cycles, cycles + instruction->cycles);
}

void
operation_return_from_interrupt(struct msp430 *mcu, const struct instruction *instruction, int64_t cycles)
{
  uint32_t stack, status;

  instruction_note(mcu, instruction, cycles);
  mcu->serviced_interrupt = NO_INTERRUPT;
  stack = mcu->registers[MSP430_SP];
  status = (uint32_t)memory_read(mcu, stack, true);
  status_write(mcu, status & 0xfff);
  register_write(mcu, MSP430_PC, (uint32_t)memory_read(mcu, stack + 2, true) | (status & 0xf000) << 4);
  register_write(mcu, MSP430_SP, stack + 4);
  mcu->cycles += instruction->destination;
  interrupts_end_service(mcu);
}

void
operation_of_msp430x(struct msp430 *mcu, const struct instruction *instruction, int64_t cycles)
{
  instruction_note(mcu, instruction, cycles);
  msp430_refuse(mcu, "an instruction of the MSP430X, which an MSP430F1611 doesn't have");
}

/* ---- The functions, one for each combination, and their tables ---- */

#define DOUBLE_NAME(operation, source, target, word) run_##operation##_##source##_##target##_##word
#define DOUBLE(operation, source, target, word)                                                          \
  static void DOUBLE_NAME(operation, source, target, word)(struct msp430 *mcu, const struct instruction *instruction, int64_t cycles) \
  {                                                                                                      \
    execute_double(mcu, instruction, cycles, operation, source, target, word);                           \
    if(target == TO_SPECIAL) {                                                                           \
      instruction_go_to_pc(mcu, instruction, cycles, cycles + instruction->cycles);                      \
    } else {                                                                                             \
      instruction_go_on(mcu, instruction, instruction_next(instruction), cycles, cycles + instruction->cycles); \
    }                                                                                                    \
  }
#define DOUBLE_ENTRY(operation, source, target, word) [operation][source][target][word] = DOUBLE_NAME(operation, source, target, word),
#define EACH_WIDTH(X, operation, source, target) X(operation, source, target, 0) X(operation, source, target, 1)
#define EACH_TARGET(X, operation, source)                                                     \
  EACH_WIDTH(X, operation, source, TO_REGISTER) EACH_WIDTH(X, operation, source, TO_SPECIAL)  \
  EACH_WIDTH(X, operation, source, TO_INDEXED)
#define EACH_SOURCE(X, operation)                                                                          \
  EACH_TARGET(X, operation, CONSTANT) EACH_TARGET(X, operation, REGISTER) EACH_TARGET(X, operation, INDEXED) \
  EACH_TARGET(X, operation, INCREMENTED)
#define EACH_DOUBLE(X)                                                                                      \
  EACH_SOURCE(X, MOV) EACH_SOURCE(X, ADD) EACH_SOURCE(X, ADDC) EACH_SOURCE(X, SUBC) EACH_SOURCE(X, SUB)       \
  EACH_SOURCE(X, CMP) EACH_SOURCE(X, DADD) EACH_SOURCE(X, BIT) EACH_SOURCE(X, BIC) EACH_SOURCE(X, BIS)        \
  EACH_SOURCE(X, XOR) EACH_SOURCE(X, AND)

#define SINGLE_NAME(operation, operand, word) run_##operation##_##operand##_##word
#define SINGLE(operation, operand, word)                                                       \
  static void SINGLE_NAME(operation, operand, word)(struct msp430 *mcu, const struct instruction *instruction, int64_t cycles) \
  {                                                                                            \
    bool stacks = operation == PUSH || operation == CALL;                                      \
    int64_t end = cycles + instruction->cycles + (stacks ? instruction->destination : 0);      \
    execute_single(mcu, instruction, cycles, operation, operand, word);                        \
    if(operation == CALL || (operand == REGISTER && instruction->source_register == MSP430_PC)) { \
      instruction_go_to_pc(mcu, instruction, cycles, end);                                     \
    } else {                                                                                   \
      instruction_go_on(mcu, instruction, instruction_next(instruction), cycles, end);         \
    }                                                                                          \
  }
#define SINGLE_ENTRY(operation, operand, word) [operation][operand][word] = SINGLE_NAME(operation, operand, word),
#define EACH_OPERAND(X, operation)                                                                   \
  X(operation, CONSTANT, 0) X(operation, CONSTANT, 1) X(operation, REGISTER, 0) X(operation, REGISTER, 1) \
  X(operation, INDEXED, 0) X(operation, INDEXED, 1)  \
  X(operation, INCREMENTED, 0) X(operation, INCREMENTED, 1)
#define EACH_SINGLE(X)                                                                               \
  EACH_OPERAND(X, RRC) EACH_OPERAND(X, SWPB) EACH_OPERAND(X, RRA) EACH_OPERAND(X, SXT) EACH_OPERAND(X, PUSH) \
  EACH_OPERAND(X, CALL)

#define JUMP_NAME(condition) run_jump_##condition
#define JUMP(condition)                                                                      \
  static void JUMP_NAME(condition)(struct msp430 *mcu, const struct instruction *instruction, int64_t cycles) \
  {                                                                                          \
    bool taken = holds(condition, mcu->registers[MSP430_SR]);                                \
    const struct instruction *next = instruction + 1 + (taken ? (int16_t)instruction->source / 2 : 0); \
    instruction_go_on(mcu, instruction, next, cycles, cycles + instruction->cycles);         \
  }
#define JUMP_ENTRY(condition) [condition] = JUMP_NAME(condition),
#define EACH_JUMP(X) X(NOT_ZERO) X(ZERO) X(NO_CARRY) X(CARRY) X(NEGATIVE) X(GREATER_OR_EQUAL) X(LESS) X(ALWAYS)

EACH_DOUBLE(DOUBLE)
EACH_SINGLE(SINGLE)
EACH_JUMP(JUMP)

execute *
operation_double(enum double_operation operation, enum operand source, enum target target, bool word)
{
  static execute *const functions[DOUBLE_OPERATIONS][OPERANDS][TARGETS][2] = {EACH_DOUBLE(DOUBLE_ENTRY)};

  return functions[operation][source][target][word];
}

execute *
operation_single(enum single_operation operation, enum operand operand, bool word)
{
  static execute *const functions[SINGLE_OPERATIONS][OPERANDS][2] = {EACH_SINGLE(SINGLE_ENTRY)};

  return functions[operation][operand][word];
}

execute *
operation_jump(enum condition condition)
{
  static execute *const functions[CONDITIONS] = {EACH_JUMP(JUMP_ENTRY)};

  return functions[condition];
}
