/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum length { INT, CHAR, SHORT, LONG, LONG_LONG, INTMAX, SIZE, PTRDIFF };

struct conversion {
  bool left, zero, plus, space, alternate;
  int width;
  int precision; /* -1: not given */
  enum length length;
  char kind;
};

struct sink {
  format_output_t output;
  void *where;
  int written;
};

static void
put(struct sink *to, char c)
{
  to->output(c, to->where);
  to->written++;
}

static void
put_times(struct sink *to, char c, int times)
{
  while(times-- > 0) {
    put(to, c);
  }
}

static void
put_text(struct sink *to, const char *text, int length)
{
  for(int i = 0; i < length; i++) {
    put(to, text[i]);
  }
}

/* Prints prefix, zeros and text, padded to the width of the field. */
static void
put_field(struct sink *to, const struct conversion *c, const char *prefix,
          int zeros, const char *text, int length)
{
  int prefix_length = (int)strlen(prefix);
  int padding = c->width - prefix_length - zeros - length;

  if(!c->left) {
    put_times(to, ' ', padding);
  }
  put_text(to, prefix, prefix_length);
  put_times(to, '0', zeros);
  put_text(to, text, length);
  if(c->left) {
    put_times(to, ' ', padding);
  }
}

static void
put_number(struct sink *to, const struct conversion *c, uint64_t value,
           unsigned base, const char *prefix)
{
  const char *digits = c->kind == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
  char text[22]; /* 64 bits in base 8 */
  int start = sizeof(text), length, zeros;

  /* Where a division takes thousands of cycles, one of 16 bits takes hundreds. */
  for(; value > UINT32_MAX; value /= base) {
    text[--start] = digits[value % base];
  }
  uint32_t low = (uint32_t)value;
  for(; low > UINT16_MAX; low /= base) {
    text[--start] = digits[low % base];
  }
  for(uint16_t rest = (uint16_t)low; rest != 0; rest /= base) {
    text[--start] = digits[rest % base];
  }
  length = (int)sizeof(text) - start;
  if(c->precision >= 0) {
    zeros = c->precision - length;
  } else if(c->zero && !c->left) {
    zeros = c->width - (int)strlen(prefix) - length;
    zeros = zeros < 1 - length ? 1 - length : zeros;
  } else {
    zeros = 1 - length; /* the digit of 0 */
  }
  put_field(to, c, prefix, zeros > 0 ? zeros : 0, text + start, length);
}

static int64_t
signed_argument(enum length length, va_list *arguments)
{
  switch(length) {
  case CHAR: return (signed char)va_arg(*arguments, int);
  case SHORT: return (short)va_arg(*arguments, int);
  case LONG: return va_arg(*arguments, long);
  case LONG_LONG: return va_arg(*arguments, long long);
  case INTMAX: return va_arg(*arguments, intmax_t);
  case SIZE: return (int64_t)va_arg(*arguments, size_t);
  case PTRDIFF: return va_arg(*arguments, ptrdiff_t);
  default: return va_arg(*arguments, int);
  }
}

static uint64_t
unsigned_argument(enum length length, va_list *arguments)
{
  switch(length) {
  case CHAR: return (unsigned char)va_arg(*arguments, unsigned);
  case SHORT: return (unsigned short)va_arg(*arguments, unsigned);
  case LONG: return va_arg(*arguments, unsigned long);
  case LONG_LONG: return va_arg(*arguments, unsigned long long);
  case INTMAX: return va_arg(*arguments, uintmax_t);
  case SIZE: return va_arg(*arguments, size_t);
  case PTRDIFF: return (uint64_t)va_arg(*arguments, ptrdiff_t);
  default: return va_arg(*arguments, unsigned);
  }
}

static void
put_signed(struct sink *to, const struct conversion *c, int64_t value)
{
  const char *sign = value < 0 ? "-" : c->plus ? "+" : c->space ? " " : "";

  put_number(to, c, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, 10, sign);
}

static void
put_string(struct sink *to, const struct conversion *c, const char *string)
{
  int length = 0;

  if(string == NULL) {
    string = "(null)";
  }
  while((c->precision < 0 || length < c->precision) && string[length] != '\0') {
    length++;
  }
  put_field(to, c, "", 0, string, length);
}

static void
put_conversion(struct sink *to, const struct conversion *c, va_list *arguments)
{
  char character;
  uint64_t value;

  switch(c->kind) {
  case 'd':
  case 'i':
    put_signed(to, c, signed_argument(c->length, arguments));
    break;
  case 'u':
    put_number(to, c, unsigned_argument(c->length, arguments), 10, "");
    break;
  case 'o':
    value = unsigned_argument(c->length, arguments);
    put_number(to, c, value, 8, c->alternate && value != 0 ? "0" : "");
    break;
  case 'x':
  case 'X':
    value = unsigned_argument(c->length, arguments);
    put_number(to, c, value, 16,
               !c->alternate || value == 0 ? "" : c->kind == 'x' ? "0x" : "0X");
    break;
  case 'c':
    character = (char)va_arg(*arguments, int);
    put_field(to, c, "", 0, &character, 1);
    break;
  case 's':
    put_string(to, c, va_arg(*arguments, const char *));
    break;
  case 'p':
#ifdef FORMAT_CONF_POINTERS
    put_number(to, c, (uintptr_t)va_arg(*arguments, void *), 16, "0x");
#else
    /* An address would differ from run to run. */
    put_string(to, c, va_arg(*arguments, void *) == NULL ? "(nil)" : "(ptr)");
#endif
    break;
  default: /* unknown: shown as it is written */
    put(to, '%');
    put(to, c->kind);
    break;
  }
}

static int
number(const char **at)
{
  int value = 0;

  while(**at >= '0' && **at <= '9') {
    if(value < 10000) { /* wider than any line */
      value = 10 * value + (**at - '0');
    }
    (*at)++;
  }
  return value;
}

static void
parse_flags(struct conversion *c, const char **at)
{
  while(1) {
    switch(**at) {
    case '-': c->left = true; break;
    case '0': c->zero = true; break;
    case '+': c->plus = true; break;
    case ' ': c->space = true; break;
    case '#': c->alternate = true; break;
    default: return;
    }
    (*at)++;
  }
}

static void
parse_sizes(struct conversion *c, const char **at, va_list *arguments)
{
  if(**at == '*') {
    (*at)++;
    c->width = va_arg(*arguments, int);
    if(c->width < 0) {
      c->left = true;
      c->width = -c->width;
    }
  } else {
    c->width = number(at);
  }
  if(**at != '.') {
    return;
  }
  (*at)++;
  if(**at == '*') {
    (*at)++;
    c->precision = va_arg(*arguments, int);
  } else {
    c->precision = number(at);
  }
}

static void
parse_length(struct conversion *c, const char **at)
{
  switch(**at) {
  case 'h': c->length = SHORT; break;
  case 'l': c->length = LONG; break;
  case 'j': c->length = INTMAX; break;
  case 'z': c->length = SIZE; break;
  case 't': c->length = PTRDIFF; break;
  default: return;
  }
  (*at)++;
  if(c->length == SHORT && **at == 'h') {
    c->length = CHAR;
    (*at)++;
  } else if(c->length == LONG && **at == 'l') {
    c->length = LONG_LONG;
    (*at)++;
  }
}

int
format(format_output_t output, void *where, const char *format, va_list arguments)
{
  struct sink to = { output, where, 0 };
  va_list rest;

  va_copy(rest, arguments); /* so that its address can be passed on */
  for(const char *at = format; *at != '\0'; at++) {
    struct conversion c = { .precision = -1 };

    if(*at != '%') {
      put(&to, *at);
      continue;
    }
    at++;
    parse_flags(&c, &at);
    parse_sizes(&c, &at, &rest);
    parse_length(&c, &at);
    if(*at == '\0') {
      break; /* the format ends inside a conversion */
    }
    c.kind = *at;
    if(c.kind == '%') {
      put(&to, '%');
    } else {
      put_conversion(&to, &c, &rest);
    }
  }
  va_end(rest);
  return to.written;
}
