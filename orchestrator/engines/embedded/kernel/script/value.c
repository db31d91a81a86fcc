/* SPDX-License-Identifier: Apache-2.0 */
#include "script/value.h"

#include "base/exact.h"
#include "base/memory.h"
#include "base/text.h"
#include "script/number_text.h"

#include <stdlib.h>
#include <string.h>

static const size_t MOST_BYTES = 64 << 20; /* at a time; an interpreter may take 256 MB for the same values */

static size_t counted; /* of the process's only script, which is unknown where values are made */

void
value_count(size_t bytes)
{
  counted += bytes;
  if(counted > MOST_BYTES) {
    beyond("so much memory of the script's");
  }
}

void
value_uncount(size_t bytes)
{
  counted -= bytes;
}

static struct string *
string_make(size_t length)
{
  struct string *string;

  value_count(length + sizeof(*string));
  string = reallocate(NULL, 1, offsetof(struct string, bytes) + length);
  string->references = 1;
  string->length = (uint32_t)length;
  return string;
}

static bool
is_ascii(const char *bytes, size_t length)
{
  uint8_t all = 0;

  for(size_t i = 0; i < length; i++) {
    all |= (uint8_t)bytes[i];
  }
  return all < 0x80;
}

struct value
string_value(const char *bytes, size_t length)
{
  struct string *string = string_make(length);

  if(length > 0) { /* an empty line may be no memory at all */
    memcpy(string->bytes, bytes, length);
  }
  string->ascii = is_ascii(bytes, length);
  return (struct value){.kind = STRING, .string = string};
}

struct value
list_value(void)
{
  struct list *list = allocate(1, sizeof(*list));

  value_count(sizeof(*list));
  list->references = 1;
  return (struct value){.kind = LIST, .list = list};
}

void
list_append(struct list *list, struct value value)
{
  if(list->count == list->size) {
    value_count((list->size ? list->size : 8) * sizeof(value));
    list->size = list->size ? 2 * list->size : 8;
    list->values = reallocate(list->values, list->size, sizeof(value));
  }
  list->values[list->count++] = value;
}

struct value
value_keep(struct value value)
{
  if(value.kind >= STRING) {
    ++*(uint32_t *)(void *)value.string; /* the first member of each */
  }
  return value;
}

void
value_drop(struct value value)
{
  if(value.kind < STRING || --*(uint32_t *)(void *)value.string > 0) {
    return;
  }
  if(value.kind == STRING) {
    counted -= value.string->length + sizeof(*value.string);
    free(value.string);
  } else if(value.kind == LIST) {
    for(uint32_t i = 0; i < value.list->count; i++) {
      value_drop(value.list->values[i]);
    }
    counted -= value.list->size * sizeof(struct value) + sizeof(*value.list);
    free(value.list->values);
    free(value.list);
  } else {
    map_free(value.map);
  }
}

const char *
value_bytes(const struct value *value, char *room, size_t *length)
{
  const char *constant = NULL;

  switch(value->kind) {
  case STRING:
    *length = value->string->length;
    return value->string->bytes;
  case NUMBER:
    *length = number_text(room, value->number);
    return room;
  case LONG:
    *length = format_number(room, value->whole);
    return room;
  case BOOLEAN: constant = value->truth ? "true" : "false"; break;
  case UNDEFINED: constant = "undefined"; break;
  case NIL: constant = "null"; break;
  case UNASSIGNED: case LIST: case MAP: beyond("the text of a list or an object");
  }
  *length = strlen(constant);
  return constant;
}

struct string *
to_string(struct value value)
{
  char room[NUMBER_ROOM];
  const char *bytes;
  size_t length;

  if(value.kind == STRING) {
    return value.string;
  }
  bytes = value_bytes(&value, room, &length);
  return string_value(bytes, length).string;
}

double
to_number(struct value value)
{
  switch(value.kind) {
  case UNDEFINED: return NAN;
  case NIL: return 0;
  case BOOLEAN: return value.truth;
  case NUMBER: return value.number;
  case LONG: return (double)value.whole;
  case STRING: return text_number(value.string->bytes, value.string->length);
  case UNASSIGNED: case LIST: case MAP: break;
  }
  beyond("a list or an object as a number");
}

bool
to_truth(struct value value)
{
  switch(value.kind) {
  case UNDEFINED: case NIL: return false;
  case BOOLEAN: return value.truth;
  case NUMBER: return value.number != 0 && !isnan(value.number);
  case LONG:
    if(value.whole == 0) {
      beyond("a Java long of 0 as a condition");
    }
    return true;
  case STRING: return value.string->length > 0;
  case LIST: case MAP: return true;
  case UNASSIGNED: break;
  }
  beyond("a name without a value as a condition");
}

static bool
strings_equal(const struct string *a, const struct string *b)
{
  return a->length == b->length && memcmp(a->bytes, b->bytes, a->length) == 0;
}

bool
values_identical(struct value a, struct value b)
{
  if(a.kind != b.kind) {
    return false;
  }
  switch(a.kind) {
  case UNDEFINED: case NIL: return true;
  case BOOLEAN: return a.truth == b.truth;
  case NUMBER: return a.number == b.number;
  case STRING: return strings_equal(a.string, b.string);
  case LIST: return a.list == b.list;
  case MAP: return a.map == b.map;
  case UNASSIGNED: case LONG: break;
  }
  beyond("whether two Java longs are the same");
}

bool
values_equal(struct value a, struct value b)
{
  bool a_is_none = a.kind == UNDEFINED || a.kind == NIL, b_is_none = b.kind == UNDEFINED || b.kind == NIL;

  if(a_is_none || b_is_none) {
    return a_is_none && b_is_none;
  }
  return a.kind == b.kind ? values_identical(a, b) : to_number(a) == to_number(b);
}

struct value
value_sum(struct value a, struct value b)
{
  char a_room[NUMBER_ROOM], b_room[NUMBER_ROOM];
  const char *a_bytes, *b_bytes;
  size_t a_length, b_length;
  struct value sum;

  if(a.kind == NUMBER && b.kind == NUMBER) {
    return number_value(a.number + b.number);
  }
  if(a.kind != STRING && b.kind != STRING) {
    return number_value(to_number(a) + to_number(b));
  }
  a_bytes = value_bytes(&a, a_room, &a_length);
  b_bytes = value_bytes(&b, b_room, &b_length);
  sum = (struct value){.kind = STRING, .string = string_make(a_length + b_length)};
  memcpy(sum.string->bytes, a_bytes, a_length);
  memcpy(sum.string->bytes + a_length, b_bytes, b_length);
  sum.string->ascii = (a.kind != STRING || a.string->ascii) && (b.kind != STRING || b.string->ascii);
  value_drop(a);
  value_drop(b);
  return sum;
}

static bool
has_pairs(const struct string *string)
{
  for(uint32_t i = 0; i < string->length && !string->ascii; i++) {
    if((uint8_t)string->bytes[i] >= 0xf0) {
      return true;
    }
  }
  return false;
}

enum order
value_order(struct value a, struct value b)
{
  double x, y;

  if(a.kind == STRING && b.kind == STRING) { /* UTF-8 has the order of UTF-16 except for characters that need a surrogate pair */
    uint32_t least = a.string->length < b.string->length ? a.string->length : b.string->length;
    int order = memcmp(a.string->bytes, b.string->bytes, least);
    if(has_pairs(a.string) || has_pairs(b.string)) {
      beyond("the order of texts with pairs of surrogates");
    }
    if(order == 0) {
      order = a.string->length < b.string->length ? -1 : a.string->length > b.string->length;
    }
    return order < 0 ? LESS : order > 0 ? MORE : SAME;
  }
  x = to_number(a), y = to_number(b);
  return x < y ? LESS : x > y ? MORE : x == y ? SAME : UNORDERED;
}

const struct string *
value_text(struct value value)
{
  if(value.kind != STRING) {
    beyond("a method of strings with a value that is none");
  }
  return value.string;
}
