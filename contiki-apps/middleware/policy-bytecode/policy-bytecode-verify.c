/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The verifier: one pass over the code, in which the stack's depth before each
 * instruction is known from the one before it and from the jumps to it.
 */
#include <string.h>
#include "policy-bytecode.h"
#include "policy-bytecode-instructions.h"
#include "pubsub-octets.h"

#define UNKNOWN 15
_Static_assert(POLICY_BYTECODE_STACK < UNKNOWN, "a depth has four bits");

static const struct {
  uint8_t operands, pops, pushes;
} shapes[] = {
#define SHAPE(name, operands, pops, pushes) { operands, pops, pushes },
  POLICY_BYTECODE_INSTRUCTIONS(SHAPE)
#undef SHAPE
};

/* Of each byte of the program: the depth before the instruction that begins there. */
static uint8_t depths[(POLICY_BYTECODE_SIZE + 1) / 2];
/*---------------------------------------------------------------------------*/
static uint8_t
depth_at(uint16_t at)
{
  return depths[at / 2] >> at % 2 * 4 & 15;
}
/*---------------------------------------------------------------------------*/
/* False: it is known already, and another one. */
static bool
set_depth(uint16_t at, uint8_t depth)
{
  uint8_t known = depth_at(at);

  depths[at / 2] = (depths[at / 2] & 0xf0 >> at % 2 * 4) | depth << at % 2 * 4;
  return known == UNKNOWN || known == depth;
}
/*---------------------------------------------------------------------------*/
static bool
is_point(uint8_t point, uint8_t topic)
{
  if(point == POLICY_POINT_TIME) {
    return topic <= POLICY_IN_STATE;
  }
  if(point == POLICY_BYTECODE_START) {
    return topic == 0;
  }
  return POLICY_POINT_DIRECTION(point) <= POLICY_EXTB_B
    && POLICY_POINT_OPERATION(point) <= POLICY_UNSUBSCRIBE
    && topic > 0 && topic < policy_topic_count;
}
/*---------------------------------------------------------------------------*/
/* Where the code begins, 0 if the table is none. The begin of each handler has an empty
   stack. */
static uint16_t
read_table(const uint8_t *program, uint16_t length)
{
  uint16_t at = POLICY_BYTECODE_HEADER, code, size;
  uint16_t key, before = 0; /* point 0 and topic 0 is none's */
  uint8_t i;

  for(i = 0; i < program[4]; i++) {
    size = at < length && program[at] == POLICY_POINT_TIME ? 8 : 4;
    if(length - at < size) {
      return 0;
    }
    key = (uint16_t)((uint16_t)program[at] << 8 | program[at + 1]);
    code = pubsub_get16(program + at + 2);
    if(key <= before || !is_point(program[at], program[at + 1]) || code >= length
       || !set_depth(code, 0)
       || (size == 8 && pubsub_get32(program + at + 4) == 0)) {
      return 0;
    }
    before = key;
    at += size;
  }
  for(size = 0; size < at; size++) { /* no handler's code is in the table */
    if(depth_at(size) != UNKNOWN) {
      return 0;
    }
  }
  return at;
}
/*---------------------------------------------------------------------------*/
/* What it takes from the stack; UNKNOWN: an operand is wrong. */
static uint8_t
operands_take(const uint8_t *instruction, uint8_t cells)
{
  const uint8_t *operand = instruction + 1;

  switch(*instruction) {
  case POLICY_BYTECODE_ARGUMENTS:
    return *operand <= POLICY_ARGUMENTS ? *operand : UNKNOWN;
  case POLICY_BYTECODE_OPERATE:
    return (operand[0] & 15) <= POLICY_UNSUBSCRIBE && operand[0] >> 4 <= POLICY_ARGUMENTS
      && operand[1] > 0 && operand[1] < policy_topic_count ? operand[0] >> 4 : UNKNOWN;
  case POLICY_BYTECODE_CALL:
    return *operand < policy_bytecode_function_count
      ? policy_bytecode_functions[*operand].arguments : UNKNOWN;
  case POLICY_BYTECODE_LOAD:
  case POLICY_BYTECODE_STORE:
    return *operand < cells ? shapes[*instruction].pops : UNKNOWN;
  case POLICY_BYTECODE_LOAD_AT:
  case POLICY_BYTECODE_STORE_AT:
    return operand[1] > 0 && operand[0] + operand[1] <= cells
      ? shapes[*instruction].pops : UNKNOWN;
  case POLICY_BYTECODE_ARGUMENT:
    return *operand >> 5 < POLICY_BYTECODE_TYPES && (*operand & 31) < POLICY_ARGUMENTS
      ? 0 : UNKNOWN;
  default:
    return shapes[*instruction].pops;
  }
}
/*---------------------------------------------------------------------------*/
/* The jump of an instruction, if it is one, with the stack that it leaves. */
static bool
is_good_jump(const uint8_t *program, uint16_t length, uint16_t at, uint16_t next, uint8_t depth)
{
  uint8_t distance = program[next - 1];

  switch(program[at]) {
  case POLICY_BYTECODE_BOTH:
  case POLICY_BYTECODE_EITHER:
    depth++;
    /* fall through */
  case POLICY_BYTECODE_UNLESS_STATE:
  case POLICY_BYTECODE_JUMP:
  case POLICY_BYTECODE_UNLESS:
    return distance < length - next && set_depth(next + distance, depth);
  case POLICY_BYTECODE_AGAIN:
    return distance <= at && depth_at(at - distance) == depth;
  default:
    return true;
  }
}
/*---------------------------------------------------------------------------*/
/* What comes next is entered with this stack, or only by jumps. */
static bool
goes_on(uint8_t instruction, uint16_t next)
{
  if(instruction == POLICY_BYTECODE_JUMP) {
    return depth_at(next) == UNKNOWN; /* a loop's body: `again` gets there with the same stack */
  }
  return instruction > POLICY_BYTECODE_DISCARD;
}
/*---------------------------------------------------------------------------*/
/* Is that byte within an instruction the begin of one, for a jump or a handler? */
static bool
is_entered(uint16_t at, uint16_t next)
{
  while(++at < next) {
    if(depth_at(at) != UNKNOWN) {
      return true;
    }
  }
  return false;
}
/*---------------------------------------------------------------------------*/
static enum policy_bytecode_verdict
verify_code(const uint8_t *program, uint16_t length, uint16_t at)
{
  uint16_t next;
  uint8_t depth, pops, instruction;

  for(; at < length; at = next) {
    instruction = program[at];
    depth = depth_at(at);
    if(instruction >= POLICY_BYTECODE_CODES || depth == UNKNOWN) {
      return POLICY_BYTECODE_BAD_INSTRUCTION;
    }
    next = at + 1 + shapes[instruction].operands;
    if(next > length) {
      return POLICY_BYTECODE_BAD_END;
    }
    pops = operands_take(program + at, program[3]);
    if(pops == UNKNOWN) {
      return POLICY_BYTECODE_BAD_OPERAND;
    }
    if(depth < pops || depth - pops + shapes[instruction].pushes > POLICY_BYTECODE_STACK) {
      return POLICY_BYTECODE_BAD_STACK;
    }
    depth = depth - pops + shapes[instruction].pushes;
    if(!is_good_jump(program, length, at, next, depth) || is_entered(at, next)) {
      return POLICY_BYTECODE_BAD_JUMP;
    }
    if(goes_on(instruction, next)) {
      if(next == length) {
        return POLICY_BYTECODE_BAD_END;
      }
      if(!set_depth(next, depth)) {
        return POLICY_BYTECODE_BAD_JUMP;
      }
    }
  }
  return POLICY_BYTECODE_GOOD;
}
/*---------------------------------------------------------------------------*/
enum policy_bytecode_verdict
policy_bytecode_verify(const uint8_t *program, uint16_t length)
{
  uint16_t code;

  if(length < POLICY_BYTECODE_HEADER || length > POLICY_BYTECODE_SIZE
     || program[0] != POLICY_BYTECODE_FORMAT) {
    return POLICY_BYTECODE_BAD_FORM;
  }
  if(pubsub_get16(program + 1) != policy_bytecode_fingerprint) {
    return POLICY_BYTECODE_BAD_FIRMWARE;
  }
  memset(depths, UNKNOWN << 4 | UNKNOWN, sizeof(depths));
  code = program[3] <= POLICY_BYTECODE_CELLS ? read_table(program, length) : 0;
  return code > 0 ? verify_code(program, length, code) : POLICY_BYTECODE_BAD_HANDLERS;
}
