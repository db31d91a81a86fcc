/* SPDX-License-Identifier: Apache-2.0 */
#include "ticks/emulator.h"

#include "loader/instruction.h"

#include <string.h>

enum { MOST_STEPS = 500, LONGEST = 15, RAX = 0, RSP = 4, RBP = 5, CANARY_AT = 0x28 };
enum { ADD, OR, ADC, SBB, AND, SUB, XOR, CMP };
static const uint64_t RETURN = UINT64_C(1) << 41;

struct decoded {
  struct operand operand;
  unsigned reg;  /* the other register, or an operation's number */
  unsigned size; /* bytes of both */
  bool rex;
  uint64_t immediate; /* with its sign */
};

/* Decodes ModR/M and its operands at `at`; returns false for an unknown form. */
static bool
read_operand(const struct processor *processor, struct decoded *decoded, const uint8_t *at, uint8_t rex, bool fs, uint64_t end)
{
  unsigned mode = *at >> 6, low = *at & 7, number = low | (rex & 1) << 3;
  uint64_t address;
  int32_t displacement = 0;

  decoded->reg = (*at >> 3 & 7) | (rex & 4) << 1;
  decoded->operand = (struct operand){.memory = mode != 3, .number = number};
  if(mode == 3) {
    return !fs;
  }
  at++;
  if(low == 4) {
    unsigned base = (*at & 7) | (rex & 1) << 3, index = (*at >> 3 & 7) | (rex & 2) << 2, scale = *at >> 6;
    bool no_base = mode == 0 && (*at & 7) == 5;
    address = no_base ? 0 : processor->registers[base].bits;
    address += index == 4 ? 0 : processor->registers[index].bits << scale;
    if((!no_base && processor->registers[base].kept != KNOWN) || (index != 4 && processor->registers[index].kept != KNOWN)) {
      return false;
    }
    mode = no_base ? 2 : mode;
    at++;
  } else if(mode == 0 && low == 5) {
    address = end;
    mode = 2;
  } else {
    address = processor->registers[number].bits;
    if(processor->registers[number].kept != KNOWN) {
      return false;
    }
  }
  if(mode == 1) {
    displacement = (int8_t)*at;
  } else if(mode == 2) {
    memcpy(&displacement, at, sizeof(displacement));
  }
  decoded->operand.address = address + (uint64_t)(int64_t)displacement;
  decoded->operand.canary = fs;
  return !fs || decoded->operand.address == CANARY_AT;
}

static bool
condition(const struct processor *processor, unsigned code)
{
  bool holds = false;

  switch(code >> 1) {
  case 0: holds = processor->overflow; break;
  case 1: holds = processor->carry; break;
  case 2: holds = processor->zero; break;
  case 3: holds = processor->carry || processor->zero; break;
  case 4: holds = processor->sign; break;
  case 5: return false; /* parity: refused by its caller */
  case 6: holds = processor->sign != processor->overflow; break;
  case 7: holds = processor->zero || processor->sign != processor->overflow; break;
  }
  return holds != (code & 1);
}

/* Executes arithmetic of two values of this size, with its flags. A value that isn't KNOWN may only be compared with 0, and
   only if it is COUNTED. */
static bool
work_out(struct processor *processor, unsigned operation, unsigned size, struct value a, struct value b, bool same, struct value *result)
{
  uint64_t top = UINT64_C(1) << (8 * size - 1), bits;
  bool zeroing = same && (operation == XOR || operation == SUB);
  bool against_zero = (operation == CMP && b.kept == KNOWN && b.bits == 0) || (operation == AND && same);

  if(operation == ADC || operation == SBB) {
    return false;
  }
  if(!zeroing && (a.kept == ANY || b.kept == ANY || ((a.kept == COUNTED || b.kept == COUNTED) && !against_zero))) {
    return false;
  }
  bits = operation == ADD ? a.bits + b.bits : operation == OR ? a.bits | b.bits : operation == AND ? a.bits & b.bits
    : operation == XOR ? a.bits ^ b.bits : a.bits - b.bits;
  bits = cut(bits, size);
  processor->zero = bits == 0;
  processor->sign = bits & top;
  processor->carry = operation == ADD ? bits < a.bits : (operation == SUB || operation == CMP) && a.bits < b.bits;
  processor->overflow = operation == ADD ? (~(a.bits ^ b.bits) & (a.bits ^ bits) & top) != 0
    : (operation == SUB || operation == CMP) && ((a.bits ^ b.bits) & (a.bits ^ bits) & top) != 0;
  *result = (struct value){bits, zeroing ? KNOWN : a.kept}; /* b is of the same kind, or it was only a comparison */
  return true;
}

static bool
calculate(struct processor *processor, unsigned operation, unsigned size, const struct operand *into, const struct operand *from,
          uint64_t immediate, bool keep)
{
  struct value a, b = {cut(immediate, size), KNOWN}, result;
  bool same = from != NULL && !into->memory && !from->memory && into->number == from->number;

  return emulator_get(processor, into, size, &a) && (from == NULL || emulator_get(processor, from, size, &b)) &&
    work_out(processor, operation, size, a, b, same, &result) && (!keep || emulator_set(processor, into, size, result));
}

static bool
push(struct processor *processor, struct value value)
{
  processor->registers[RSP].bits -= 8;
  return emulator_store(processor, processor->registers[RSP].bits, 8, value);
}

static bool
pop(struct processor *processor, struct value *value)
{
  processor->registers[RSP].bits += 8;
  return emulator_load(processor, processor->registers[RSP].bits - 8, 8, value);
}

static bool
do_two_byte(struct processor *processor, uint8_t opcode, struct decoded *decoded)
{
  const struct operand reg = {.number = decoded->reg};
  struct value value;
  unsigned from = opcode & 1 ? 2 : 1;

  if(opcode == 0x1e || opcode == 0x1f) { /* nothing, and the mark of a branch's target */
    return true;
  }
  if((opcode & 0xf0) == 0x80 || (opcode & 0xf0) == 0x90 || (opcode & 0xf0) == 0x40) {
    if((opcode & 0xe) == 0xa) {
      return false;
    }
    if((opcode & 0xf0) == 0x80) {
      processor->next += condition(processor, opcode & 15) ? decoded->immediate : 0;
      return true;
    }
    if((opcode & 0xf0) == 0x90) {
      return emulator_set(processor, &decoded->operand, 1, (struct value){condition(processor, opcode & 15), KNOWN});
    }
    return emulator_get(processor, condition(processor, opcode & 15) ? &decoded->operand : &reg, decoded->size, &value) &&
      emulator_set(processor, &reg, decoded->size, value);
  }
  if(opcode == 0xb6 || opcode == 0xb7 || opcode == 0xbe || opcode == 0xbf) {
    if(!emulator_get(processor, &decoded->operand, from, &value)) {
      return false;
    }
    value.bits = opcode >= 0xbe ? extended(value.bits, from) : value.bits;
    return emulator_set(processor, &reg, decoded->size, value);
  }
  return false;
}

static bool
do_one_byte(struct processor *processor, uint8_t opcode, struct decoded *decoded)
{
  const struct operand reg = {.number = decoded->reg}, low = {.number = (opcode & 7) | (decoded->reg & 8)};
  const struct operand *operand = &decoded->operand, *from = opcode & 2 ? operand : &reg, *into = opcode & 2 ? &reg : operand;
  const struct operand rax = {.number = RAX};
  unsigned size = decoded->size;
  struct value value;

  if(opcode < 0x40) {
    return (opcode & 7) < 4 ? calculate(processor, opcode >> 3, size, into, from, 0, opcode >> 3 != CMP)
                            : calculate(processor, opcode >> 3, size, &rax, NULL, decoded->immediate, opcode >> 3 != CMP);
  }
  if(opcode < 0x58) {
    return size != 2 && push(processor, processor->registers[low.number]);
  }
  if(opcode < 0x60) {
    return size != 2 && pop(processor, &value) && emulator_set(processor, &low, 8, value);
  }
  if(opcode >= 0x70 && opcode < 0x80) {
    processor->next += condition(processor, opcode & 15) ? decoded->immediate : 0;
    return (opcode & 0xe) != 0xa;
  }
  switch(opcode) {
  case 0x63:
    if(!emulator_get(processor, operand, 4, &value)) {
      return false;
    }
    value.bits = extended(value.bits, 4);
    return emulator_set(processor, &reg, size, value);
  case 0x80: case 0x81: case 0x83:
    return calculate(processor, decoded->reg & 7, size, operand, NULL, decoded->immediate, (decoded->reg & 7) != CMP);
  case 0x84: case 0x85:
    return calculate(processor, AND, size, operand, &reg, 0, false);
  case 0xa8: case 0xa9:
    return calculate(processor, AND, size, &rax, NULL, decoded->immediate, false);
  case 0xf6: case 0xf7:
    return calculate(processor, AND, size, operand, NULL, decoded->immediate, false);
  case 0x88: case 0x89: case 0x8a: case 0x8b:
    return emulator_get(processor, from, size, &value) && emulator_set(processor, into, size, value);
  case 0x8d:
    return operand->memory && !operand->canary && emulator_set(processor, &reg, size, (struct value){operand->address, KNOWN});
  case 0xc6: case 0xc7:
    return emulator_set(processor, operand, size, (struct value){cut(decoded->immediate, size), KNOWN});
  case 0x90:
    return low.number == RAX; /* else it exchanges */
  case 0xc9:
    processor->registers[RSP] = processor->registers[RBP];
    return pop(processor, &processor->registers[RBP]);
  case 0xc3:
    return pop(processor, &value) && ((processor->next = value.bits), value.kept == KNOWN);
  case 0xe9: case 0xeb:
    processor->next += decoded->immediate;
    return true;
  }
  if(opcode >= 0xb8 && opcode < 0xc0) {
    return emulator_set(processor, &low, size, (struct value){decoded->immediate, KNOWN});
  }
  return false;
}

static bool
has_operand(uint8_t opcode, bool two)
{
  if(two) {
    return (opcode & 0xf0) != 0x80 && opcode != 0x1e && opcode != 0x1f; /* nothing uses its operand */
  }
  return opcode < 0x40 ? (opcode & 7) < 4 : opcode == 0x63 || (opcode >= 0x80 && opcode < 0x90) || opcode == 0xc6 ||
    opcode == 0xc7 || opcode == 0xf6 || opcode == 0xf7;
}

static unsigned
immediate_size(uint8_t opcode, bool two, unsigned size)
{
  unsigned full = size > 4 ? 4 : size;

  if(two) {
    return (opcode & 0xf0) == 0x80 ? 4 : 0;
  }
  if(opcode >= 0xb8 && opcode < 0xc0) {
    return size;
  }
  if((opcode < 0x40 && (opcode & 7) == 5) || opcode == 0x81 || opcode == 0xa9 || opcode == 0xc7 || opcode == 0xf7) {
    return full;
  }
  if((opcode < 0x40 && (opcode & 7) == 4) || opcode == 0x80 || opcode == 0x83 || opcode == 0xa8 || opcode == 0xc6 ||
     opcode == 0xf6 || opcode == 0xeb || (opcode >= 0x70 && opcode < 0x80)) {
    return 1;
  }
  return opcode == 0xe9 ? 4 : 0;
}

static bool
step(struct processor *processor)
{
  struct decoded decoded = {.size = 4};
  struct instruction instruction;
  uint8_t bytes[LONGEST] = {0}, rex = 0, opcode;
  const uint8_t *at = elf_at(&processor->emulator->firmware->elf, processor->next, 1);
  bool two, fs = false, byte;
  unsigned immediate;

  for(unsigned i = 0; i < LONGEST; i++) {
    const uint8_t *more = elf_at(&processor->emulator->firmware->elf, processor->next + i, 1);
    bytes[i] = more == NULL ? 0 : *more;
  }
  if(at == NULL || processor->next >= processor->emulator->firmware->data_start || !instruction_read(&instruction, bytes, LONGEST)) {
    return false;
  }
  for(unsigned i = 0; i < instruction.opcode; i++) {
    decoded.size = bytes[i] == 0x66 ? 2 : decoded.size;
    fs |= bytes[i] == 0x64;
    rex = (bytes[i] & 0xf0) == 0x40 ? bytes[i] : rex;
    if(bytes[i] == 0xf0 || bytes[i] == 0x65) {
      return false;
    }
  }
  two = bytes[instruction.opcode] == 0x0f;
  opcode = bytes[instruction.opcode + two];
  byte = two ? (opcode & 0xf0) == 0x90
             : (opcode < 0x40 && (opcode & 1) == 0) || opcode == 0x80 || opcode == 0x84 || opcode == 0x88 || opcode == 0x8a ||
               opcode == 0xa8 || opcode == 0xc6 || opcode == 0xf6;
  decoded.size = byte ? 1 : rex & 8 ? 8 : decoded.size;
  decoded.reg = (rex & 1) << 3; /* of an opcode that has its register in itself */
  processor->next += instruction.length;
  if(has_operand(opcode, two)) {
    if(!read_operand(processor, &decoded, bytes + instruction.opcode + 1 + two, rex, fs, processor->next)) {
      return false;
    }
  } else if(fs) {
    return false;
  }
  if(rex == 0 && (byte || opcode == 0xb6 || opcode == 0xbe) && has_operand(opcode, two) &&
     ((!decoded.operand.memory && decoded.operand.number >= 4) || (byte && !two && decoded.reg >= 4 && opcode < 0xc0 && opcode != 0x80))) {
    return false; /* the second byte of a register, which compilers hardly use */
  }
  if(!two && (opcode == 0xf6 || opcode == 0xf7) && (decoded.reg & 7) > 1) {
    return false; /* the others of TEST's group, which have no immediate */
  }
  immediate = immediate_size(opcode, two, decoded.size);
  if(immediate > 0) {
    memcpy(&decoded.immediate, bytes + instruction.length - immediate, immediate);
    decoded.immediate = extended(decoded.immediate, immediate);
  }
  return two ? do_two_byte(processor, opcode, &decoded) : do_one_byte(processor, opcode, &decoded);
}

bool
emulator_call(struct emulator *emulator, uint64_t function, struct variable *variables, unsigned count)
{
  struct processor processor = {.emulator = emulator, .variables = variables, .count = count, .next = function};

  for(unsigned i = 0; i < 16; i++) { /* the caller's values are unknown */
    processor.registers[i] = (struct value){0, ANY};
  }
  for(unsigned i = 0; i < STACK_SIZE / 8; i++) {
    processor.stack[i].kept = ANY;
  }
  processor.registers[RSP] = (struct value){STACK + STACK_SIZE - 16, KNOWN};
  if(!push(&processor, (struct value){RETURN, KNOWN})) {
    return false;
  }
  for(unsigned i = 0; i < MOST_STEPS && processor.next != RETURN; i++) {
    if(!step(&processor)) {
      return false;
    }
  }
  return processor.next == RETURN;
}
