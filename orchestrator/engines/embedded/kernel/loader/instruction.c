/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/instruction.h"

enum { /* what follows an opcode */
  NOTHING = 0,
  BYTE = 1,      /* an immediate of 1 byte */
  WORD = 2,      /* of 2 bytes */
  FULL = 4,      /* of the operand's size, at most 4 bytes */
  WIDE = 8,      /* of the operand's size, up to 8 bytes */
  TEST = 16,     /* group 3: an immediate only with its first two operations */
  MODRM = 32,    /* an operand */
  UNKNOWN = 64
};

static unsigned
one_byte_opcode(uint8_t opcode)
{
  static const uint8_t ARITHMETIC[8] = {MODRM, MODRM, MODRM, MODRM, BYTE, FULL, UNKNOWN, UNKNOWN};

  if(opcode < 0x40) {
    return ARITHMETIC[opcode & 7];
  }
  switch(opcode) {
  case 0x68: case 0xa9: case 0xe8: case 0xe9:
    return FULL;
  case 0x69: case 0x81: case 0xc7:
    return MODRM | FULL;
  case 0x6b: case 0x80: case 0x83: case 0xc0: case 0xc1: case 0xc6:
    return MODRM | BYTE;
  case 0x63: case 0x8d: case 0x8f: case 0xfe: case 0xff:
    return MODRM;
  case 0x6a: case 0xa8: case 0xeb:
    return BYTE;
  case 0xc2:
    return WORD;
  case 0xf6: case 0xf7:
    return MODRM | TEST;
  case 0xa4: case 0xa5: case 0xa6: case 0xa7: case 0xaa: case 0xab: case 0xac: case 0xad: case 0xae: case 0xaf:
  case 0xc3: case 0xc9: case 0xcc: case 0xf4:
    return NOTHING;
  }
  if((opcode >= 0x50 && opcode < 0x60) || (opcode >= 0x90 && opcode < 0x9a)) {
    return NOTHING;
  }
  if((opcode >= 0x84 && opcode < 0x8c) || (opcode >= 0xd0 && opcode < 0xd4) || (opcode >= 0xd8 && opcode < 0xe0)) {
    return MODRM;
  }
  if((opcode >= 0x70 && opcode < 0x80) || (opcode >= 0xb0 && opcode < 0xb8)) {
    return BYTE;
  }
  return opcode >= 0xb8 && opcode < 0xc0 ? WIDE : UNKNOWN;
}

/* For the opcodes behind 0x0f. */
static unsigned
two_byte_opcode(uint8_t opcode)
{
  switch(opcode) {
  case 0x0b: case 0x31: case 0x77: case 0xa2:
    return NOTHING;
  case 0x70: case 0x71: case 0x72: case 0x73: case 0xa4: case 0xac: case 0xba: case 0xc2: case 0xc4: case 0xc5: case 0xc6:
    return MODRM | BYTE;
  case 0x0d: case 0xa3: case 0xa5: case 0xab: case 0xad: case 0xae: case 0xaf: case 0xb0: case 0xb1: case 0xb3:
  case 0xb6: case 0xb7: case 0xb8: case 0xbb: case 0xbc: case 0xbd: case 0xbe: case 0xbf: case 0xc0: case 0xc1:
  case 0xc3: case 0xc7:
    return MODRM;
  }
  if((opcode >= 0x10 && opcode < 0x20) || (opcode >= 0x28 && opcode < 0x30) || (opcode >= 0x40 && opcode < 0x77) ||
     (opcode >= 0x7c && opcode < 0x80) || (opcode >= 0x90 && opcode < 0xa0) || (opcode >= 0xd0 && opcode < 0xff)) {
    return MODRM;
  }
  if(opcode >= 0x80 && opcode < 0x90) {
    return FULL;
  }
  return opcode >= 0xc8 && opcode < 0xd0 ? NOTHING : UNKNOWN;
}

static bool
is_prefix(uint8_t byte) /* no change of address size: compilers make none */
{
  return byte == 0x66 || byte == 0xf2 || byte == 0xf3 || byte == 0xf0 || byte == 0x64 || byte == 0x65 || byte == 0x2e ||
    byte == 0x3e;
}

static size_t
immediate_size(unsigned kind, uint8_t modrm, bool byte_operand, bool short_operand, bool long_operand)
{
  size_t full = short_operand && !long_operand ? 2 : 4; /* of both prefixes REX.W counts */

  if(kind & TEST) {
    return (modrm >> 3 & 7) > 1 ? 0 : byte_operand ? 1 : full;
  }
  if(kind & WIDE) {
    return long_operand ? 8 : full;
  }
  return kind & FULL ? full : kind & (BYTE | WORD);
}

/* Bytes of a distance to another instruction. */
static size_t
branch_size(uint8_t opcode, uint8_t second)
{
  if(opcode == 0x0f) {
    return (second & 0xf0) == 0x80 ? 4 : 0;
  }
  return opcode == 0xe8 || opcode == 0xe9 ? 4 : opcode == 0xeb || (opcode & 0xf0) == 0x70 ? 1 : 0;
}

bool
instruction_read(struct instruction *instruction, const uint8_t *bytes, size_t size)
{
  size_t at = 0;
  uint8_t rex = 0, opcode, modrm = 0;
  bool short_operand = false;
  unsigned kind;

  *instruction = (struct instruction){0};
  while(at < size && is_prefix(bytes[at])) {
    short_operand |= bytes[at++] == 0x66;
  }
  if(at < size && (bytes[at] & 0xf0) == 0x40) {
    rex = bytes[at++];
  }
  if(at + 2 > size && (at == size || bytes[at] == 0x0f)) {
    return false;
  }
  instruction->opcode = at;
  opcode = bytes[at++];
  instruction->branch = branch_size(opcode, at < size ? bytes[at] : 0);
  if(opcode != 0x0f) {
    kind = one_byte_opcode(opcode);
    instruction->uses_rbx = (opcode == 0x53 || opcode == 0x5b) && !(rex & 1);
    short_operand &= opcode != 0xe8 && opcode != 0xe9; /* ignored there */
  } else if(bytes[at] == 0x38 || bytes[at] == 0x3a) {
    kind = MODRM | (bytes[at] == 0x3a ? BYTE : NOTHING);
    at += 2;
  } else {
    instruction->uses_rbx = bytes[at] == 0xa2;
    kind = two_byte_opcode(bytes[at++]);
    short_operand &= !(kind == FULL);
  }
  if(kind & UNKNOWN) {
    return false;
  }
  if(kind & MODRM) {
    if(at >= size) {
      return false;
    }
    modrm = bytes[at++];
    if(modrm >> 6 != 3 && (modrm & 7) == 4) {
      bool no_base = modrm >> 6 == 0 && at < size && (bytes[at] & 7) == 5;
      at += no_base ? 5 : 1;
    } else if(modrm >> 6 == 0 && (modrm & 7) == 5) {
      instruction->displacement = at;
      at += 4;
    }
    at += modrm >> 6 == 1 ? 1 : modrm >> 6 == 2 ? 4 : 0;
  }
  at += immediate_size(kind, modrm, opcode == 0xf6, short_operand, (rex & 8) != 0);
  instruction->length = at;
  instruction->extends_base = (rex & 1) != 0;
  return at <= size;
}
