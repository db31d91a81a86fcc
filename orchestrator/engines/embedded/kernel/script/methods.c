/* SPDX-License-Identifier: Apache-2.0 */
#include "script/methods.h"

#include "base/exact.h"
#include "script/list_methods.h"
#include "script/number_text.h"

#include <string.h>

typedef struct value method(struct value of, struct value *arguments, unsigned count);

/* A string of ASCII characters, whose positions are those of its bytes. */
static const struct string *
plain(struct value value)
{
  if(!value_text(value)->ascii) {
    beyond("a place in a text with letters that are not ASCII");
  }
  return value.string;
}

/* Converts an argument to an integer as JavaScript does, limited to `least` to `most`; `other` if it isn't given. */
static int64_t
place(const struct value *arguments, unsigned count, unsigned which, int64_t other, int64_t least, int64_t most)
{
  double number;

  if(which >= count || arguments[which].kind == UNDEFINED) {
    return other;
  }
  number = to_number(arguments[which]);
  number = isnan(number) ? 0 : trunc(number);
  return number < (double)least ? least : number > (double)most ? most : (int64_t)number;
}

static struct value
part(const struct string *string, int64_t begin, int64_t end)
{
  return string_value(string->bytes + begin, end > begin ? (size_t)(end - begin) : 0);
}

static const char *
find(const struct string *in, size_t from, const struct string *what)
{
  return what->length == 0 ? in->bytes + from : memmem(in->bytes + from, in->length - from, what->bytes, what->length);
}

/* Counts the UTF-16 units of UTF-8 bytes. */
static double
units(const char *bytes, size_t length)
{
  double count = 0;

  for(size_t i = 0; i < length; i++) {
    count += (bytes[i] & 0xc0) != 0x80;
    count += (uint8_t)bytes[i] >= 0xf0;
  }
  return count;
}

static struct value
contains(struct value of, struct value *arguments, unsigned count)
{
  (void)count;
  return truth_value(find(value_text(of), 0, value_text(arguments[0])) != NULL);
}

static struct value
starts_with(struct value of, struct value *arguments, unsigned count)
{
  const struct string *string = value_text(of), *start = value_text(arguments[0]);

  (void)count;
  return truth_value(start->length <= string->length && memcmp(string->bytes, start->bytes, start->length) == 0);
}

static struct value
ends_with(struct value of, struct value *arguments, unsigned count)
{
  const struct string *string = value_text(of), *end = value_text(arguments[0]);

  (void)count;
  return truth_value(end->length <= string->length &&
                     memcmp(string->bytes + string->length - end->length, end->bytes, end->length) == 0);
}

static struct value
equals(struct value of, struct value *arguments, unsigned count)
{
  (void)count, (void)value_text(of);
  return truth_value(values_identical(of, arguments[0]));
}

static char
lower(char byte)
{
  return byte >= 'A' && byte <= 'Z' ? (char)(byte + 32) : byte;
}

static char
upper(char byte)
{
  return byte >= 'a' && byte <= 'z' ? (char)(byte - 32) : byte;
}

static struct value
in_case(struct value of, char (*changed)(char byte))
{
  const struct string *string = plain(of);
  struct value value = part(string, 0, string->length);

  for(uint32_t i = 0; i < string->length; i++) {
    value.string->bytes[i] = changed(string->bytes[i]);
  }
  return value;
}

static struct value
to_lower(struct value of, struct value *arguments, unsigned count)
{
  (void)arguments, (void)count;
  return in_case(of, lower);
}

static struct value
to_upper(struct value of, struct value *arguments, unsigned count)
{
  (void)arguments, (void)count;
  return in_case(of, upper);
}

static struct value
equals_ignoring_case(struct value of, struct value *arguments, unsigned count)
{
  const struct string *a = plain(of), *b = plain(arguments[0]);
  bool same = a->length == b->length;

  (void)count;
  for(uint32_t i = 0; same && i < a->length; i++) {
    same = lower(a->bytes[i]) == lower(b->bytes[i]);
  }
  return truth_value(same);
}

static struct value
length_of(struct value of, struct value *arguments, unsigned count)
{
  (void)arguments, (void)count, (void)value_text(of);
  return value_length(of);
}

static struct value
is_empty(struct value of, struct value *arguments, unsigned count)
{
  (void)arguments, (void)count;
  return truth_value(value_text(of)->length == 0);
}

static struct value
index_of(struct value of, struct value *arguments, unsigned count)
{
  const struct string *string;
  const char *found;
  int64_t from;

  if(of.kind == LIST && count == 1) {
    for(uint32_t i = 0; i < of.list->count; i++) {
      if(values_identical(of.list->values[i], arguments[0])) {
        return number_value(i);
      }
    }
    return number_value(-1);
  }
  string = count > 1 ? plain(of) : value_text(of);
  from = place(arguments, count, 1, 0, 0, string->length);
  found = find(string, (size_t)from, value_text(arguments[0]));
  return number_value(found == NULL ? -1 : units(string->bytes, (size_t)(found - string->bytes)));
}

static struct value
last_index_of(struct value of, struct value *arguments, unsigned count)
{
  const struct string *string = value_text(of), *what = value_text(arguments[0]);

  (void)count;
  for(int64_t at = (int64_t)string->length - what->length; at >= 0; at--) {
    if(memcmp(string->bytes + at, what->bytes, what->length) == 0) {
      return number_value(units(string->bytes, (size_t)at));
    }
  }
  return number_value(-1);
}

static struct value
trim(struct value of, struct value *arguments, unsigned count)
{
  const char *bytes = value_text(of)->bytes;
  size_t length = of.string->length;

  (void)arguments, (void)count;
  text_trim(&bytes, &length);
  return string_value(bytes, length);
}

static struct value
substring(struct value of, struct value *arguments, unsigned count)
{
  const struct string *string = plain(of);
  int64_t begin = place(arguments, count, 0, 0, 0, string->length);
  int64_t end = place(arguments, count, 1, string->length, 0, string->length);

  return begin < end ? part(string, begin, end) : part(string, end, begin);
}

static struct value
substr(struct value of, struct value *arguments, unsigned count)
{
  const struct string *string = plain(of);
  int64_t begin = place(arguments, count, 0, 0, -(int64_t)string->length, string->length);
  int64_t length;

  begin += begin < 0 ? string->length : 0;
  length = place(arguments, count, 1, string->length, 0, string->length - begin);
  return part(string, begin, length < string->length - begin ? begin + length : string->length);
}

static struct value
slice(struct value of, struct value *arguments, unsigned count)
{
  const int64_t length = of.kind == LIST ? of.list->count : plain(of)->length;
  int64_t begin = place(arguments, count, 0, 0, -length, length), end = place(arguments, count, 1, length, -length, length);
  struct value list;

  begin += begin < 0 ? length : 0;
  end += end < 0 ? length : 0;
  if(of.kind != LIST) {
    return part(of.string, begin, end);
  }
  list = list_value();
  for(; begin < end; begin++) {
    list_append(list.list, value_keep(of.list->values[begin]));
  }
  return list;
}

static struct value
char_at(struct value of, struct value *arguments, unsigned count)
{
  int64_t at = place(arguments, count, 0, 0, -1, plain(of)->length);

  return part(of.string, at < 0 ? 0 : at, at < 0 || at >= of.string->length ? 0 : at + 1);
}

static struct value
char_code_at(struct value of, struct value *arguments, unsigned count)
{
  int64_t at = place(arguments, count, 0, 0, -1, plain(of)->length);

  return number_value(at < 0 || at >= of.string->length ? NAN : (double)of.string->bytes[at]);
}

static struct value
concat(struct value of, struct value *arguments, unsigned count)
{
  struct value all = value_keep((struct value){.kind = STRING, .string = (struct string *)(uintptr_t)value_text(of)});

  for(unsigned i = 0; i < count; i++) {
    all = value_sum(all, value_keep(arguments[i]));
  }
  return all;
}

static struct value
split(struct value of, struct value *arguments, unsigned count)
{
  const struct string *string = value_text(of), *separator = value_text(arguments[0]);
  struct value list = list_value();
  size_t begin = 0;
  const char *found;

  (void)count;
  if(separator->length == 0) {
    beyond("split at nothing");
  }
  while((found = find(string, begin, separator)) != NULL) {
    list_append(list.list, part(string, (int64_t)begin, found - string->bytes));
    begin = (size_t)(found - string->bytes) + separator->length;
  }
  list_append(list.list, part(string, (int64_t)begin, string->length));
  return list;
}

/* Replaces the first occurrence only. */
static struct value
replace(struct value of, struct value *arguments, unsigned count)
{
  const struct string *string = value_text(of), *what = value_text(arguments[0]), *by = value_text(arguments[1]);
  const char *found = find(string, 0, what);

  (void)count;
  if(memchr(by->bytes, '$', by->length) != NULL) {
    beyond("a dollar sign in what replaces");
  }
  if(found == NULL) {
    return value_keep(of);
  }
  return value_sum(value_sum(part(string, 0, found - string->bytes), value_keep(arguments[1])),
                   part(string, found - string->bytes + what->length, string->length));
}

static const struct {
  const char *name;
  method *call;
} METHODS[] = {
  {"contains", contains}, {"startsWith", starts_with}, {"endsWith", ends_with}, {"equals", equals},
  {"equalsIgnoreCase", equals_ignoring_case}, {"isEmpty", is_empty}, {"indexOf", index_of}, {"lastIndexOf", last_index_of},
  {"trim", trim}, {"substring", substring}, {"substr", substr}, {"slice", slice}, {"charAt", char_at},
  {"charCodeAt", char_code_at}, {"toLowerCase", to_lower}, {"toUpperCase", to_upper}, {"concat", concat}, {"split", split},
  {"replace", replace}, {"push", list_push}, {"pop", list_pop}, {"shift", list_shift}, {"join", list_join}, {"length", length_of},
};

int
method_named(const char *name)
{
  for(size_t i = 0; i < sizeof(METHODS) / sizeof(METHODS[0]); i++) {
    if(strcmp(name, METHODS[i].name) == 0) {
      return (int)i;
    }
  }
  return -1;
}

struct value
method_call(int method, struct value of, struct value *arguments, unsigned count)
{
  struct value result = METHODS[method].call(of, arguments, count);

  for(unsigned i = 0; i < count; i++) {
    value_drop(arguments[i]);
  }
  value_drop(of);
  return result;
}

struct value
value_length(struct value of)
{
  struct value name, found;

  switch(of.kind) {
  case STRING: return number_value(units(of.string->bytes, of.string->length));
  case LIST: return number_value(of.list->count);
  case MAP:
    name = string_value("length", 6);
    found = map_get(of.map, name);
    value_drop(name);
    return found;
  default: beyond("the length of a value that has none");
  }
}
