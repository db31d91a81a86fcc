/* SPDX-License-Identifier: Apache-2.0 */
#include "libc/formatted.h"

#include "base/text.h"
#include "libc/heap.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 512, LONGEST_NUMBER = 24, WIDEST = 100, SHORT = 16 };

struct conversion {
  bool left, zeros;
  size_t width, precision; /* SIZE_MAX: none is given */
  int length;              /* bytes of a number */
  char kind;
};

/* These functions append at `next`, up to `end`; they return the new end of the text, or NULL if there is no room. */
static char *
put(char *next, const char *end, const char *bytes, size_t count)
{
  if(count > (size_t)(end - next)) {
    return NULL;
  }
  if(count > SHORT) {
    memcpy(next, bytes, count);
    return next + count;
  }
  while(count-- > 0) { /* faster than a call, because most texts have a few bytes */
    *next++ = *bytes++;
  }
  return next;
}

static char *
fill(char *next, const char *end, char byte, size_t count)
{
  if(count > (size_t)(end - next)) {
    return NULL;
  }
  memset(next, byte, count);
  return next + count;
}

static const char *
read_size(const char *at, size_t *size)
{
  for(*size = 0; *at >= '0' && *at <= '9' && *size < WIDEST; at++) {
    *size = 10 * *size + (size_t)(*at - '0');
  }
  return at;
}

static const char *
read_length(const char *at, int *length)
{
  *length = sizeof(int);
  if(*at == 'h') {
    *length = at[1] == 'h' ? sizeof(char) : sizeof(short);
    return at + (at[1] == 'h' ? 2 : 1);
  }
  if(*at == 'l' || *at == 'z' || *at == 'j') { /* 8 bytes on the machines that the engine knows */
    *length = sizeof(int64_t);
    return at + (at[0] == 'l' && at[1] == 'l' ? 2 : 1);
  }
  return at;
}

/* Reads a conversion behind %; returns NULL if it is one for libc. */
static const char *
read_conversion(const char *at, struct conversion *conversion)
{
  *conversion = (struct conversion){.precision = SIZE_MAX};
  for(; *at == '-' || *at == '0'; at++) {
    *(*at == '-' ? &conversion->left : &conversion->zeros) = true;
  }
  at = read_size(at, &conversion->width);
  if(*at == '.') {
    at = read_size(at + 1, &conversion->precision);
  }
  at = read_length(at, &conversion->length);
  conversion->kind = *at;
  switch(*at) {
  case 'd': case 'i': case 'u': case 'x': case 'X':
    return conversion->width < WIDEST && conversion->precision == SIZE_MAX ? at + 1 : NULL;
  case 'c': case 's':
    return conversion->width < WIDEST && !conversion->zeros && conversion->length == sizeof(int) &&
      (*at == 's' || conversion->precision == SIZE_MAX) ? at + 1 : NULL;
  case '%':
    return at[-1] == '%' ? at + 1 : NULL;
  }
  return NULL;
}

static char *
put_padded(char *next, const char *end, const struct conversion *conversion, const char *bytes, size_t count)
{
  size_t padding = conversion->width > count ? conversion->width - count : 0;

  if(padding == 0) {
    return put(next, end, bytes, count);
  }
  if(padding + count > (size_t)(end - next)) {
    return NULL;
  }
  next = conversion->left ? next : fill(next, end, ' ', padding);
  next = put(next, end, bytes, count);
  return conversion->left ? fill(next, end, ' ', padding) : next;
}

/* A number's absolute value, cut to its length; its sign is in `negative`. */
static uint64_t
magnitude(const struct conversion *conversion, uint64_t value, bool *negative)
{
  unsigned unused = 64 - 8 * (unsigned)conversion->length;
  int64_t as_signed = (int64_t)(value << unused) >> unused;

  *negative = (conversion->kind == 'd' || conversion->kind == 'i') && as_signed < 0;
  return *negative ? 0 - (uint64_t)as_signed : value << unused >> unused;
}

static char *
put_number(char *next, const char *end, const struct conversion *conversion, uint64_t argument)
{
  const char *digits = conversion->kind == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
  char text[LONGEST_NUMBER + WIDEST], *last = text + sizeof(text), *at = last;
  bool negative;
  uint64_t value = magnitude(conversion, argument, &negative);

  if(conversion->kind == 'x' || conversion->kind == 'X') {
    do {
      *--at = digits[value & 15];
      value >>= 4;
    } while(value != 0);
  } else {
    at = format_digits(at, value);
  }
  if(conversion->zeros && !conversion->left) {
    while((size_t)(last - at) + negative < conversion->width) {
      *--at = '0';
    }
  }
  if(negative) {
    *--at = '-';
  }
  return put_padded(next, end, conversion, at, (size_t)(last - at));
}

static char *
put_string(char *next, const char *end, const struct conversion *conversion, const char *string)
{
  if(string == NULL) {
    return NULL;
  }
  return put_padded(next, end, conversion, string,
                    conversion->precision == SIZE_MAX ? strlen(string) : strnlen(string, conversion->precision));
}

/* Writes a byte's two digits for "%02x", with which link-layer addresses are printed. */
static char *
put_byte(char *next, const char *end, unsigned value)
{
  static const char DIGITS[] = "0123456789abcdef";

  if(value > UINT8_MAX) {
    return put_number(next, end, &(struct conversion){false, true, 2, SIZE_MAX, sizeof(int), 'x'}, value);
  }
  if(end - next < 2) {
    return NULL;
  }
  next[0] = DIGITS[value >> 4];
  next[1] = DIGITS[value & 15];
  return next + 2;
}

/* Returns NULL if the format is unknown or there is not enough room; then the contents of the room are undefined. */
static char *
print(char *next, const char *end, const char *format, va_list arguments)
{
  while(next != NULL && *format != 0) {
    struct conversion conversion;
    char byte;
    if(*format != '%') { /* one at a time, because there are few between two conversions */
      if(next == end) {
        return NULL;
      }
      *next++ = *format++;
      continue;
    }
    if(format[1] == '0' && format[2] == '2' && format[3] == 'x') {
      next = put_byte(next, end, va_arg(arguments, unsigned));
      format += 4;
      continue;
    }
    format = read_conversion(format + 1, &conversion);
    if(format == NULL) {
      return NULL;
    }
    switch(conversion.kind) {
    case '%':
      next = put(next, end, "%", 1);
      break;
    case 'c':
      byte = (char)va_arg(arguments, int);
      next = put_padded(next, end, &conversion, &byte, 1);
      break;
    case 's':
      next = put_string(next, end, &conversion, va_arg(arguments, const char *));
      break;
    default:
      next = put_number(next, end, &conversion, conversion.length == sizeof(int64_t) ? va_arg(arguments, uint64_t)
                                                                                     : va_arg(arguments, unsigned));
    }
  }
  return next;
}

/* The text's length, or -1. */
static int
print_into(char room[ROOM], const char *format, va_list arguments)
{
  va_list again;
  char *end;

  va_copy(again, arguments);
  end = print(room, room + ROOM - 1, format, again);
  va_end(again);
  if(end == NULL) {
    return -1;
  }
  *end = 0;
  return (int)(end - room);
}

/* Usually a text is freed before the next one is made, so room for one text is kept. */
static char kept[ROOM]; /* static because firmware calls these functions with libc's arguments only */
static bool kept_is_used;

int
formatted_allocated(char **text, const char *format, va_list arguments)
{
  int length;

  if(!kept_is_used && (length = print_into(kept, format, arguments)) >= 0) {
    kept_is_used = true;
    *text = kept;
    return length;
  }
  length = vasprintf(text, format, arguments);
  if(length >= 0) {
    heap_allocated();
  }
  return length;
}

int
formatted_anew(char **text, const char *format, ...)
{
  va_list arguments;
  int length;

  va_start(arguments, format);
  length = formatted_allocated(text, format, arguments);
  va_end(arguments);
  return length;
}

void
formatted_free(void *memory)
{
  if(memory == kept) {
    kept_is_used = false;
    return;
  }
  heap_gave_back(memory);
  free(memory);
}

void *
formatted_realloc(void *memory, size_t size)
{
  void *moved;

  if(memory != kept) {
    if(memory == NULL) {
      heap_allocated();
    }
    return realloc(memory, size);
  }
  moved = malloc(size);
  if(moved != NULL) {
    memcpy(moved, kept, size < ROOM ? size : ROOM);
    kept_is_used = false;
  }
  return moved;
}

int
formatted_list(char *text, size_t size, const char *format, va_list arguments)
{
  char room[ROOM];
  int length = print_into(room, format, arguments);

  if(length < 0 || size == 0) {
    return vsnprintf(text, size, format, arguments);
  }
  if((size_t)length < size) {
    memcpy(text, room, (size_t)length + 1);
  } else {
    memcpy(text, room, size - 1);
    text[size - 1] = 0;
  }
  return length;
}

int
formatted(char *text, size_t size, const char *format, ...)
{
  va_list arguments;
  int length;

  va_start(arguments, format);
  length = formatted_list(text, size, format, arguments);
  va_end(arguments);
  return length;
}
