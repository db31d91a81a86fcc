/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/detour.h"

#include <string.h>

enum { PREFIX_GS = 0x65, REX = 0x40, REX_W = 8, REX_R = 4, REX_B = 1, LEA = 0x8d, LOAD = 0x8b, JUMP = 0xe9, BREAKPOINT = 0xcc };
enum { RELATIVE_TO_ITSELF = 5, SIB_FOLLOWS = 4, ANY_DISPLACEMENT = 0x80, NO_BASE_NO_INDEX = 0x25, NO_INDEX = 0x20 };
enum { REGISTER_FIELD = 0x38, JUMP_SIZE = 5 };

static uint8_t *
put(uint8_t *to, const void *bytes, size_t count)
{
  memcpy(to, bytes, count);
  return to + count;
}

static uint8_t *
put_byte(uint8_t *to, unsigned byte)
{
  *to = (uint8_t)byte;
  return to + 1;
}

/* Relative to the end of the instruction, which is there. */
static uint8_t *
put_distance(uint8_t *to, const void *target)
{
  int32_t distance = (int32_t)((const uint8_t *)target - (to + sizeof(distance)));

  return put(to, &distance, sizeof(distance));
}

static uint8_t *
put_jump(uint8_t *to, const void *target)
{
  return put_distance(put_byte(to, JUMP), target);
}

static bool
is_address_of(const struct instruction *instruction, const uint8_t *code)
{
  return code[instruction->opcode] == LEA;
}

bool
detour_possible(const struct instruction *instruction, const uint8_t *code)
{
  for(size_t i = 0; i < instruction->opcode; i++) {
    if(code[i] == 0x64 || code[i] == PREFIX_GS) { /* it has a segment already */
      return false;
    }
  }
  /* An address must have 64 bits: REX.W and no prefix before it. */
  return !is_address_of(instruction, code) || (instruction->opcode == 1 && (code[0] & (REX | REX_W)) == (REX | REX_W));
}

/* mov base, register; lea offset(register), register */
static uint8_t *
put_address(uint8_t *to, const uint8_t *code, uint32_t offset, const void *base)
{
  unsigned rex = code[0], field = code[2] & REGISTER_FIELD, number = field >> 3;

  to = put_byte(to, rex);
  to = put_byte(to, LOAD);
  to = put_byte(to, field | RELATIVE_TO_ITSELF);
  to = put_distance(to, base);
  to = put_byte(to, rex | ((rex & REX_R) ? REX_B : 0));
  to = put_byte(to, LEA);
  to = put_byte(to, ANY_DISPLACEMENT | field | number);
  to = number == SIB_FOLLOWS ? put_byte(to, NO_INDEX | number) : to;
  return put(to, &offset, sizeof(offset));
}

/* Writes the same instruction with its operand at gs:offset. */
static uint8_t *
put_with_segment(uint8_t *to, const struct instruction *instruction, const uint8_t *code, uint32_t offset)
{
  size_t modrm = instruction->displacement - 1, behind = instruction->displacement + sizeof(offset);

  to = put_byte(to, PREFIX_GS);
  to = put(to, code, modrm);
  to = put_byte(to, (code[modrm] & REGISTER_FIELD) | SIB_FOLLOWS);
  to = put_byte(to, NO_BASE_NO_INDEX);
  to = put(to, &offset, sizeof(offset));
  return put(to, code + behind, instruction->length - behind);
}

void
detour_make(const struct instruction *instruction, uint8_t *code, uint8_t *room, uint32_t offset, const void *base)
{
  uint8_t *to = is_address_of(instruction, code) ? put_address(room, code, offset, base)
                                                 : put_with_segment(room, instruction, code, offset);

  put_jump(to, code + instruction->length);
  memset(put_jump(code, room), BREAKPOINT, instruction->length - JUMP_SIZE);
}
