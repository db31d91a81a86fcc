/* SPDX-License-Identifier: Apache-2.0 */
/* Handlers for gcc's -fsanitize=undefined; names and data are those of GCC's run-time library. */
#include "base/text.h"
#include "sanitizers/sanitizer.h"

#include <stdlib.h>
#include <string.h>

struct place {
  const char *file;
  uint32_t line, column;
};

struct type { /* as the compiler describes one */
  uint16_t kind; /* 0: integer */
  uint16_t info; /* integer: bit 0 signed, above the binary logarithm of its bits */
  char name[];   /* in quotes */
};

struct overflow {
  struct place place;
  const struct type *type;
};

struct shift {
  struct place place;
  const struct type *left, *right;
};

struct bounds {
  struct place place;
  const struct type *array, *index;
};

struct mismatch {
  struct place place;
  const struct type *type;
  uint8_t log_alignment, access;
};

void (*sanitizer_found)(const char *what, const void *from, const void *address);

static char message[400];

static struct text
new_text(const char *start)
{
  struct text text = {message, 0, sizeof(message) - 1};

  text_add(&text, start);
  return text;
}

_Noreturn static void
found(struct text *text, const void *from)
{
  message[text->used] = 0;
  sanitizer_found(message, from, NULL);
  abort();
}

static void
add_value(struct text *text, const struct type *type, uintptr_t value)
{
  unsigned bits = 1u << (type->info >> 1);

  if(type->kind != 0 || bits > 64) {
    text_add(text, "a value");
  } else if(type->info & 1) {
    text_add_number(text, (int64_t)(value << (64 - bits)) >> (64 - bits));
  } else {
    text_add_number(text, (int64_t)value);
  }
}

#define FROM __builtin_return_address(0)

_Noreturn static void
arithmetic(const struct overflow *data, uintptr_t a, const char *sign, uintptr_t b, const void *from)
{
  struct text text = new_text("overflow of ");

  text_add(&text, data->type->name);
  text_add(&text, ": ");
  add_value(&text, data->type, a);
  text_add(&text, sign);
  add_value(&text, data->type, b);
  found(&text, from);
}

static void add_overflow(const struct overflow *data, uintptr_t a, uintptr_t b) { arithmetic(data, a, " + ", b, FROM); }
static void sub_overflow(const struct overflow *data, uintptr_t a, uintptr_t b) { arithmetic(data, a, " - ", b, FROM); }
static void mul_overflow(const struct overflow *data, uintptr_t a, uintptr_t b) { arithmetic(data, a, " * ", b, FROM); }
static void divrem_overflow(const struct overflow *data, uintptr_t a, uintptr_t b) { arithmetic(data, a, " / ", b, FROM); }

static void
negate_overflow(const struct overflow *data, uintptr_t value)
{
  arithmetic(data, 0, " - ", value, FROM);
}

static void
shift_out_of_bounds(const struct shift *data, uintptr_t left, uintptr_t right)
{
  struct text text = new_text("shift that ");

  text_add(&text, data->left->name);
  text_add(&text, " has no room for: ");
  add_value(&text, data->left, left);
  text_add(&text, " by ");
  add_value(&text, data->right, right);
  text_add(&text, " bits");
  found(&text, FROM);
}

static void
out_of_bounds(const struct bounds *data, uintptr_t index)
{
  struct text text = new_text("index ");

  add_value(&text, data->index, index);
  text_add(&text, " is outside ");
  text_add(&text, data->array->name);
  found(&text, FROM);
}

static void
type_mismatch(const struct mismatch *data, uintptr_t pointer)
{
  struct text text = new_text(pointer == 0 ? "null pointer to " :
                              pointer & (((uintptr_t)1 << data->log_alignment) - 1) ? "pointer that isn't aligned to " :
                              "pointer to too little room for ");

  text_add(&text, data->type->name);
  found(&text, FROM);
}

static void
load_invalid_value(const struct overflow *data, uintptr_t value)
{
  struct text text = new_text("");

  text_add_number(&text, (int64_t)value);
  text_add(&text, " is no value of ");
  text_add(&text, data->type->name);
  found(&text, FROM);
}

#define PLAIN(name, said) \
  static void name(void) \
  { \
    struct text text = new_text(said); \
    found(&text, FROM); \
  }
PLAIN(pointer_overflow, "pointer arithmetic that overflows")
PLAIN(nonnull_arg, "null pointer as an argument that must not be null")
PLAIN(nonnull_return, "null pointer returned where none may be")
PLAIN(vla_bound, "array of a length that isn't positive")
PLAIN(unreachable, "code that can't be reached was reached")
PLAIN(missing_return, "end of a function that has to return a value")
PLAIN(float_cast, "floating-point number outside the type it is converted to")
PLAIN(invalid_builtin, "argument that a builtin function must not get")
PLAIN(alignment_assumption, "pointer that isn't aligned as the code assumes")

#define ADDRESS(function) ((void *)(uintptr_t)(function))

void *
undefined_function(const char *name)
{
  static const char PREFIX[] = "__ubsan_handle_";
  const struct {
    const char *name;
    void *address;
  } table[] = {
    {"add_overflow", ADDRESS(add_overflow)}, {"sub_overflow", ADDRESS(sub_overflow)},
    {"mul_overflow", ADDRESS(mul_overflow)}, {"negate_overflow", ADDRESS(negate_overflow)},
    {"divrem_overflow", ADDRESS(divrem_overflow)}, {"shift_out_of_bounds", ADDRESS(shift_out_of_bounds)},
    {"out_of_bounds", ADDRESS(out_of_bounds)}, {"type_mismatch_v1", ADDRESS(type_mismatch)},
    {"load_invalid_value", ADDRESS(load_invalid_value)}, {"pointer_overflow", ADDRESS(pointer_overflow)},
    {"nonnull_arg", ADDRESS(nonnull_arg)}, {"nonnull_return_v1", ADDRESS(nonnull_return)},
    {"vla_bound_not_positive", ADDRESS(vla_bound)}, {"builtin_unreachable", ADDRESS(unreachable)},
    {"missing_return", ADDRESS(missing_return)}, {"float_cast_overflow", ADDRESS(float_cast)},
    {"invalid_builtin", ADDRESS(invalid_builtin)}, {"alignment_assumption", ADDRESS(alignment_assumption)},
  };

  if(strncmp(name, PREFIX, sizeof(PREFIX) - 1) != 0) {
    return NULL;
  }
  name += sizeof(PREFIX) - 1;
  for(size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
    size_t length = strlen(table[i].name);
    if(strncmp(table[i].name, name, length) == 0 && (name[length] == 0 || strcmp(name + length, "_abort") == 0)) {
      return table[i].address;
    }
  }
  return NULL;
}
