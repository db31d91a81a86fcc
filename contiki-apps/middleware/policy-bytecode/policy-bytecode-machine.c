/* SPDX-License-Identifier: Apache-2.0 */
/* Executes what the verifier took, and checks nothing that it has checked. */
#include "policy-bytecode.h"
#include "policy-bytecode-instructions.h"
#include "pubsub-octets.h"

/* For each instruction; a test counts them. */
#ifndef POLICY_BYTECODE_CONF_STEP
#define POLICY_BYTECODE_CONF_STEP() ((void)0)
#endif

int32_t policy_bytecode_cells[POLICY_BYTECODE_CELLS];
/*---------------------------------------------------------------------------*/
static int32_t
argument(const struct policy_event *event, uint8_t operand)
{
  uint8_t index = operand & 31;

  switch(operand >> 5) {
  case POLICY_BYTECODE_OF_BOOL:
    return policy_bool(event, index);
  case POLICY_BYTECODE_OF_INT8:
    return policy_int8(event, index);
  case POLICY_BYTECODE_OF_UINT8:
    return policy_uint8(event, index);
  case POLICY_BYTECODE_OF_INT:
    return policy_int(event, index);
  case POLICY_BYTECODE_OF_UINT16:
    return policy_uint16(event, index);
  case POLICY_BYTECODE_OF_LONG:
    return policy_long(event, index);
  default:
    return (int32_t)policy_uint32(event, index);
  }
}
/*---------------------------------------------------------------------------*/
static int32_t
unary(uint8_t instruction, int32_t of)
{
  switch(instruction) {
  case POLICY_BYTECODE_NOT:
    return of == 0;
  case POLICY_BYTECODE_TRUTH:
    return of != 0;
  case POLICY_BYTECODE_NEGATE:
    return long_negate(of);
  case POLICY_BYTECODE_COMPLEMENT:
    return long_complement(of);
  case POLICY_BYTECODE_INT8:
    return (int8_t)of;
  case POLICY_BYTECODE_UINT8:
    return (uint8_t)of;
  case POLICY_BYTECODE_INT16:
    return (int16_t)of;
  default:
    return (uint16_t)of;
  }
}
/*---------------------------------------------------------------------------*/
static int32_t
binary(uint8_t instruction, int32_t a, int32_t b)
{
  switch(instruction) {
  case POLICY_BYTECODE_ADD:
    return long_add(a, b);
  case POLICY_BYTECODE_SUBTRACT:
    return long_subtract(a, b);
  case POLICY_BYTECODE_MULTIPLY:
    return long_multiply(a, b);
  case POLICY_BYTECODE_DIVIDE:
    return long_divide(a, b);
  case POLICY_BYTECODE_MODULO:
    return long_modulo(a, b);
  case POLICY_BYTECODE_UNSIGNED_DIVIDE:
    return (int32_t)ulong_divide((uint32_t)a, (uint32_t)b);
  case POLICY_BYTECODE_UNSIGNED_MODULO:
    return (int32_t)ulong_modulo((uint32_t)a, (uint32_t)b);
  case POLICY_BYTECODE_AND:
    return a & b;
  case POLICY_BYTECODE_OR:
    return a | b;
  case POLICY_BYTECODE_XOR:
    return a ^ b;
  case POLICY_BYTECODE_LEFT:
    return long_left(a, policy_shift(b));
  case POLICY_BYTECODE_RIGHT:
    return long_right(a, policy_shift(b));
  case POLICY_BYTECODE_UNSIGNED_RIGHT:
    return (int32_t)ulong_right((uint32_t)a, policy_shift(b));
  case POLICY_BYTECODE_EQUAL:
    return a == b;
  case POLICY_BYTECODE_LESS:
    return a < b;
  case POLICY_BYTECODE_AT_MOST:
    return a <= b;
  case POLICY_BYTECODE_UNSIGNED_LESS:
    return (uint32_t)a < (uint32_t)b;
  case POLICY_BYTECODE_UNSIGNED_AT_MOST:
    return (uint32_t)a <= (uint32_t)b;
  case POLICY_BYTECODE_DISTANCE16:
    return int_distance((int16_t)a, (int16_t)b);
  default:
    return long_distance(a, b);
  }
}
/*---------------------------------------------------------------------------*/
/* Numbers as the values of an event. */
static void
values(struct policy_value *written, const int32_t *numbers, uint8_t count)
{
  uint8_t i;

  for(i = 0; i < count; i++) {
    written[i] = policy_number_value(numbers[i]);
  }
}
/*---------------------------------------------------------------------------*/
static void
operate(const uint8_t *operands, const int32_t *numbers)
{
  struct policy_value arguments[POLICY_ARGUMENTS];
  uint8_t count = operands[0] >> 4;

  values(arguments, numbers, count);
  policy_operate(operands[0] & 15, operands[1], operands[2], count, arguments);
}
/*---------------------------------------------------------------------------*/
enum policy_outcome
policy_bytecode_run(const uint8_t *program, uint16_t at,
                    struct policy *self, struct policy_event *event)
{
  int32_t stack[POLICY_BYTECODE_STACK];
  int32_t *top = stack; /* behind the last number */
  const uint8_t *next = program + at, *operand;
  const struct policy_bytecode_function *function;
  uint16_t turns = 0;
  uint8_t instruction;

  for(;;) {
    POLICY_BYTECODE_CONF_STEP();
    instruction = *next++;
    operand = next;
    switch(instruction) {
    case POLICY_BYTECODE_NO_RULE:
      return POLICY_NO_RULE;
    case POLICY_BYTECODE_ACCEPT:
    case POLICY_BYTECODE_DISCARD:
      self->state = *operand;
      return instruction == POLICY_BYTECODE_ACCEPT ? POLICY_ACCEPT : POLICY_DISCARD;
    case POLICY_BYTECODE_WITH:
      event->with = *operand;
      next++;
      break;
    case POLICY_BYTECODE_ARGUMENTS:
      top -= *operand;
      values(event->arguments, top, *operand);
      event->count = *operand;
      event->changed = true;
      next++;
      break;
    case POLICY_BYTECODE_OPERATE:
      top -= operand[0] >> 4;
      operate(operand, top);
      next += 3;
      break;
    case POLICY_BYTECODE_CALL:
      function = &policy_bytecode_functions[*operand];
      top -= function->arguments;
      *top = function->call(top);
      top++;
      next++;
      break;
    case POLICY_BYTECODE_UNLESS_STATE:
      next += self->state == operand[0] ? 2 : 2 + operand[1];
      break;
    case POLICY_BYTECODE_JUMP:
      next += 1 + *operand;
      break;
    case POLICY_BYTECODE_UNLESS:
      next += *--top == 0 ? 1 + *operand : 1;
      break;
    case POLICY_BYTECODE_BOTH:
    case POLICY_BYTECODE_EITHER:
      if((top[-1] != 0) == (instruction == POLICY_BYTECODE_EITHER)) {
        next += *operand;
      } else {
        top--;
      }
      next++;
      break;
    case POLICY_BYTECODE_AGAIN:
      next = *--top != 0 && policy_turn(&turns) ? operand - 1 - *operand : operand + 1;
      break;
    case POLICY_BYTECODE_PUSH8:
      *top++ = (int8_t)*operand;
      next++;
      break;
    case POLICY_BYTECODE_PUSH16:
      *top++ = (int16_t)pubsub_get16(operand);
      next += 2;
      break;
    case POLICY_BYTECODE_PUSH32:
      *top++ = (int32_t)pubsub_get32(operand);
      next += 4;
      break;
    case POLICY_BYTECODE_LOAD:
      *top++ = policy_bytecode_cells[*operand];
      next++;
      break;
    case POLICY_BYTECODE_STORE:
      policy_bytecode_cells[*operand] = *--top;
      next++;
      break;
    case POLICY_BYTECODE_LOAD_AT:
      top[-1] = policy_bytecode_cells[operand[0] + policy_index(top[-1], operand[1])];
      next += 2;
      break;
    case POLICY_BYTECODE_STORE_AT:
      top -= 2;
      policy_bytecode_cells[operand[0] + policy_index(top[1], operand[1])] = top[0];
      next += 2;
      break;
    case POLICY_BYTECODE_ARGUMENT:
      *top++ = argument(event, *operand);
      next++;
      break;
    case POLICY_BYTECODE_NODE:
      *top++ = (int16_t)policy_node_id();
      break;
    case POLICY_BYTECODE_POP:
      top--;
      break;
    default:
      if(instruction < POLICY_BYTECODE_ADD) {
        top[-1] = unary(instruction, top[-1]);
      } else {
        top--;
        top[-1] = binary(instruction, top[-1], top[0]);
      }
    }
  }
}
