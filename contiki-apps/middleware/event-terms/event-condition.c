/* SPDX-License-Identifier: Apache-2.0 */
#include "event-condition.h"

enum { AND = 1, OR = 2, NOT = 3 };

#define IS_COMPARISON(op) ((op) >> 6 == 1)
#define KIND(op) ((op) >> 3 & 7) /* u8, u16, u32, i8, i16, i32 */
#define KINDS 6
#define COMPARISON(op) ((op) & 7) /* < <= > >= == != */
#define COMPARISONS 6
#define DEEPEST 8 /* truth values on the stack */
/*---------------------------------------------------------------------------*/
static uint8_t
size_of(uint8_t kind)
{
  return 1 << kind % 3;
}
/*---------------------------------------------------------------------------*/
/* Orders signed numbers as unsigned ones of 32 bits. */
static uint32_t
number(const uint8_t *at, uint8_t kind)
{
  uint8_t size = size_of(kind), i;
  uint32_t value = 0;

  for(i = 0; i < size; i++) {
    value |= (uint32_t)at[i] << 8 * i;
  }
  if(kind >= 3) {
    if(at[size - 1] & 0x80) {
      value |= size < 4 ? ~(uint32_t)0 << 8 * size : 0;
    }
    value ^= (uint32_t)1 << 31;
  }
  return value;
}
/*---------------------------------------------------------------------------*/
static bool
compare(uint8_t comparison, uint32_t a, uint32_t b)
{
  switch(comparison) {
  case 0:
    return a < b;
  case 1:
    return a <= b;
  case 2:
    return a > b;
  case 3:
    return a >= b;
  case 4:
    return a == b;
  default:
    return a != b;
  }
}
/*---------------------------------------------------------------------------*/
bool
event_terms_condition_is(const uint8_t *code, uint8_t length)
{
  uint8_t at = 0, depth = 0;

  if(length > EVENT_TERMS_CONDITION_MOST) {
    return false;
  }
  while(at < length) {
    uint8_t op = code[at];

    if(op == AND || op == OR || op == NOT) {
      if(depth < (op == NOT ? 1 : 2)) {
        return false;
      }
      depth -= op != NOT;
      at++;
    } else if(IS_COMPARISON(op) && KIND(op) < KINDS && COMPARISON(op) < COMPARISONS) {
      at += 2 + size_of(KIND(op));
      if(at > length || ++depth > DEEPEST) {
        return false;
      }
    } else {
      return false;
    }
  }
  return length == 0 || depth == 1;
}
/*---------------------------------------------------------------------------*/
bool
event_terms_condition_holds(const uint8_t *code, uint8_t length,
                      const uint8_t *data, uint8_t data_length)
{
  uint16_t stack = 1; /* a bit each, the last one lowest */
  uint8_t at, last;

  for(at = 0; at < length; ) {
    uint8_t op = code[at];

    if(op == NOT) {
      stack ^= 1;
      at++;
    } else if(!IS_COMPARISON(op)) {
      last = stack & 1;
      stack >>= 1;
      if(op == AND) {
        stack &= last | (uint16_t)~1;
      } else {
        stack |= last;
      }
      at++;
    } else {
      uint8_t kind = KIND(op), size = size_of(kind), offset = code[at + 1];

      stack <<= 1;
      if(offset + size <= data_length) {
        stack |= compare(COMPARISON(op), number(data + offset, kind),
                         number(code + at + 2, kind));
      }
      at += 2 + size;
    }
  }
  return stack & 1;
}
