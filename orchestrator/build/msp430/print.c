/* SPDX-License-Identifier: Apache-2.0 */
/* Formatted output, without floating point. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct output {
  char *to; /* NULL: the serial line */
  size_t room, length;
};

struct conversion {
  uint8_t left, zeros, plus, space, prefixed, upper, longs;
  int width, precision; /* -1: none */
};

static void
put(struct output *output, char character)
{
  if(output->to == NULL) {
    putchar((uint8_t)character);
  } else if(output->length < output->room) {
    output->to[output->length] = character;
  }
  output->length++;
}

static void
pad(struct output *output, char with, int count)
{
  while(count-- > 0) {
    put(output, with);
  }
}

/* `sign`: before the number, "" for none. */
static void
put_number(struct output *output, const struct conversion *how, const char *sign, uint64_t value, unsigned base)
{
  char digits[22];
  int count = 0, zeros, spaces;

  if(value <= UINT32_MAX) { /* divisions of 64 bits are slow */
    for(uint32_t rest = (uint32_t)value; rest > 0; rest /= base) {
      unsigned digit = (unsigned)(rest % base);
      digits[count++] = (char)(digit < 10 ? '0' + digit : (how->upper ? 'A' : 'a') + digit - 10);
    }
  } else {
    for(; value > 0; value /= base) {
      unsigned digit = (unsigned)(value % base);
      digits[count++] = (char)(digit < 10 ? '0' + digit : (how->upper ? 'A' : 'a') + digit - 10);
    }
  }
  zeros = (how->precision < 0 ? 1 : how->precision) - count;
  zeros = zeros < 0 ? 0 : zeros;
  spaces = how->width - (int)strlen(sign) - count - zeros;
  if(how->zeros && !how->left && how->precision < 0 && spaces > 0) {
    zeros += spaces;
    spaces = 0;
  }
  pad(output, ' ', how->left ? 0 : spaces);
  while(*sign != 0) {
    put(output, *sign++);
  }
  pad(output, '0', zeros);
  while(count > 0) {
    put(output, digits[--count]);
  }
  pad(output, ' ', how->left ? spaces : 0);
}

static void
put_text(struct output *output, const struct conversion *how, const char *text)
{
  int length;

  text = text == NULL ? "(null)" : text;
  length = (int)strnlen(text, how->precision < 0 ? SIZE_MAX : (size_t)how->precision);
  pad(output, ' ', how->left ? 0 : how->width - length);
  for(int i = 0; i < length; i++) {
    put(output, text[i]);
  }
  pad(output, ' ', how->left ? how->width - length : 0);
}

static const char *
take_flags(struct conversion *how, const char *format)
{
  for(;; format++) {
    switch(*format) {
    case '-': how->left = 1; break;
    case '0': how->zeros = 1; break;
    case '+': how->plus = 1; break;
    case ' ': how->space = 1; break;
    case '#': how->prefixed = 1; break;
    default: return format;
    }
  }
}

static void
format_into(struct output *output, const char *format, va_list *values)
{
  for(; *format != 0; format++) {
    struct conversion how = {.precision = -1};
    char letter[2] = {0, 0};
    const char *sign = "";
    int64_t number;

    if(*format != '%') {
      put(output, *format);
      continue;
    }
    format = take_flags(&how, format + 1);
    if(*format == '*') {
      how.width = va_arg(*values, int);
      how.left |= how.width < 0;
      how.width = how.width < 0 ? -how.width : how.width;
      format++;
    }
    for(; *format >= '0' && *format <= '9'; format++) {
      how.width = 10 * how.width + *format - '0';
    }
    if(*format == '.') {
      how.precision = 0;
      if(*++format == '*') {
        how.precision = va_arg(*values, int);
        format++;
      }
      for(; *format >= '0' && *format <= '9'; format++) {
        how.precision = 10 * how.precision + *format - '0';
      }
    }
    for(; *format == 'l' || *format == 'h' || *format == 'z' || *format == 't' || *format == 'j'; format++) {
      how.longs += *format == 'l' ? 1 : *format == 'j' ? 2 : 0;
    }
    switch(*format) {
    case 'd':
    case 'i':
      number = how.longs > 1 ? va_arg(*values, int64_t) : how.longs == 1 ? va_arg(*values, long) : va_arg(*values, int);
      sign = number < 0 ? "-" : how.plus ? "+" : how.space ? " " : "";
      put_number(output, &how, sign, number < 0 ? -(uint64_t)number : (uint64_t)number, 10);
      break;
    case 'u':
    case 'x':
    case 'X':
    case 'o':
      number = how.longs > 1   ? (int64_t)va_arg(*values, uint64_t)
               : how.longs == 1 ? (int64_t)va_arg(*values, unsigned long)
                                : (int64_t)va_arg(*values, unsigned);
      how.upper = *format == 'X';
      if(how.prefixed && number != 0 && *format != 'u') {
        sign = *format == 'o' ? "0" : how.upper ? "0X" : "0x";
      }
      put_number(output, &how, sign, (uint64_t)number, *format == 'u' ? 10 : *format == 'o' ? 8 : 16);
      break;
    case 'p':
      put_number(output, &how, "0x", (uintptr_t)va_arg(*values, void *), 16);
      break;
    case 'c':
      letter[0] = (char)va_arg(*values, int);
      put_text(output, &how, letter);
      break;
    case 's':
      put_text(output, &how, va_arg(*values, const char *));
      break;
    case 0:
      return;
    default:
      put(output, *format);
    }
  }
}

int
vsnprintf(char *to, size_t size, const char *format, va_list values)
{
  struct output output = {to, size > 0 ? size - 1 : 0, 0};
  char nothing;
  va_list copy;

  output.to = to == NULL ? &nothing : to;
  va_copy(copy, values);
  format_into(&output, format, &copy);
  va_end(copy);
  if(size > 0) {
    to[output.length < size - 1 ? output.length : size - 1] = 0;
  }
  return (int)output.length;
}

int
vprintf(const char *format, va_list values)
{
  struct output output = {NULL, 0, 0};
  va_list copy;

  va_copy(copy, values);
  format_into(&output, format, &copy);
  va_end(copy);
  return (int)output.length;
}

int
vsprintf(char *to, const char *format, va_list values)
{
  return vsnprintf(to, SIZE_MAX, format, values);
}

#define VARIADIC(call)                                                                                                         \
  va_list values;                                                                                                              \
  int length;                                                                                                                  \
                                                                                                                               \
  va_start(values, format);                                                                                                    \
  length = call;                                                                                                               \
  va_end(values);                                                                                                              \
  return length

int
snprintf(char *to, size_t size, const char *format, ...)
{
  VARIADIC(vsnprintf(to, size, format, values));
}

int
sprintf(char *to, const char *format, ...)
{
  VARIADIC(vsnprintf(to, SIZE_MAX, format, values));
}

int
printf(const char *format, ...)
{
  VARIADIC(vprintf(format, values));
}

int
fprintf(FILE *file, const char *format, ...)
{
  (void)file;
  VARIADIC(vprintf(format, values));
}

int
puts(const char *line)
{
  return printf("%s\n", line);
}
