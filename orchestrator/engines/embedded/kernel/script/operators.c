/* SPDX-License-Identifier: Apache-2.0 */
#include "script/operators.h"

#include "base/exact.h"
#include "script/instructions.h"
#include "script/number_text.h"

uint32_t
bits(struct value value)
{
  double number = trunc(to_number(value));

  if(!isfinite(number)) {
    return 0;
  }
  number = fmod(number, 4294967296.0);
  return (uint32_t)(int64_t)number;
}

double
calculate(enum opcode code, struct value a, struct value b)
{
  switch(code) {
  case DO_subtract: return to_number(a) - to_number(b);
  case DO_multiply: return to_number(a) * to_number(b);
  case DO_divide: return to_number(a) / to_number(b);
  case DO_remainder: return fmod(to_number(a), to_number(b));
  case DO_bits_and: return (int32_t)(bits(a) & bits(b));
  case DO_bits_or: return (int32_t)(bits(a) | bits(b));
  case DO_bits_xor: return (int32_t)(bits(a) ^ bits(b));
  case DO_shift_left: return (int32_t)(bits(a) << (bits(b) & 31));
  case DO_shift_right: return (int32_t)bits(a) >> (bits(b) & 31);
  default: return bits(a) >> (bits(b) & 31);
  }
}

bool
compare(enum opcode code, struct value a, struct value b)
{
  enum order order;

  if(code == DO_equal) {
    return values_equal(a, b);
  }
  if(code == DO_identical) {
    return values_identical(a, b);
  }
  order = value_order(a, b);
  return order == SAME ? code == DO_less_or_same || code == DO_more_or_same
    : order == LESS ? code == DO_less || code == DO_less_or_same : order == MORE && (code == DO_more || code == DO_more_or_same);
}

const char *
kind_of(struct value value)
{
  switch(value.kind) {
  case UNDEFINED: case UNASSIGNED: return "undefined";
  case BOOLEAN: return "boolean";
  case NUMBER: return "number";
  case STRING: return "string";
  case NIL: case LONG: case LIST: case MAP: break;
  }
  return "object";
}

struct value
part_of(struct value of, struct value key)
{
  if(of.kind == MAP) {
    return map_get(of.map, key);
  }
  if(of.kind == LIST && key.kind == NUMBER && key.number >= 0 && key.number == trunc(key.number)) {
    return key.number < of.list->count ? value_keep(of.list->values[(uint32_t)key.number]) : nothing(UNDEFINED);
  }
  beyond("a part of a value that is neither a list nor an object");
}

void
set_part(struct value of, struct value key, struct value value, bool kept)
{
  if(of.kind == MAP && value.kind != MAP && value.kind != LIST) {
    map_set(of.map, key, value_keep(value), kept);
  } else if(of.kind == LIST && key.kind == NUMBER && key.number >= 0 && key.number < of.list->count &&
            key.number == trunc(key.number) && value.kind < LIST && value.kind != LONG) {
    value_drop(of.list->values[(uint32_t)key.number]);
    of.list->values[(uint32_t)key.number] = value_keep(value);
  } else {
    beyond("a part of a value to be set that isn't there, or with a list or an object");
  }
}
