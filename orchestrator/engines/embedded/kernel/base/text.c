/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"

#include <stdbool.h>
#include <string.h>

char *
format_digits(char *end, uint64_t number)
{
  static const char PAIRS[] =
    "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354555657"
    "585960616263646566676869707172737475767778798081828384858687888990919293949596979899";

  while(number >= 100) {
    end -= 2;
    memcpy(end, &PAIRS[number % 100 * 2], 2);
    number /= 100;
  }
  if(number >= 10) {
    end -= 2;
    memcpy(end, &PAIRS[number * 2], 2);
  } else {
    *--end = (char)('0' + number);
  }
  return end;
}

size_t
format_number(char digits[20], int64_t number)
{
  char room[20], *end = room + sizeof(room), *first;

  first = format_digits(end, number < 0 ? 0 - (uint64_t)number : (uint64_t)number);
  if(number < 0) {
    *--first = '-';
  }
  memcpy(digits, first, (size_t)(end - first));
  return (size_t)(end - first);
}

void
text_add_bytes(struct text *text, const char *bytes, size_t count)
{
  size_t room = text->size - text->used;

  count = count < room ? count : room;
  memcpy(text->bytes + text->used, bytes, count);
  text->used += count;
}

void
text_add(struct text *text, const char *string)
{
  text_add_bytes(text, string, strlen(string));
}

void
text_add_number(struct text *text, int64_t number)
{
  char digits[20];

  text_add_bytes(text, digits, format_number(digits, number));
}

void
text_add_member(struct text *text, const char *name, int64_t number)
{
  text_add(text, ",\"");
  text_add(text, name);
  text_add(text, "\":");
  text_add_number(text, number);
}

void
text_add_hex(struct text *text, uint64_t number)
{
  char digits[16];
  int first = 16;

  do {
    digits[--first] = "0123456789abcdef"[number & 15];
    number >>= 4;
  } while(number > 0);
  text_add_bytes(text, digits + first, (size_t)(16 - first));
}

/* The number of bytes of the UTF-8 character at `bytes`; 0 if there is none. */
static size_t
utf8_length(const unsigned char *bytes, size_t count)
{
  size_t length = bytes[0] < 0x80 ? 1 : bytes[0] >= 0xf0 ? 4 : bytes[0] >= 0xe0 ? 3 : bytes[0] >= 0xc2 ? 2 : 0;

  if(length == 0 || length > count || bytes[0] > 0xf4) {
    return 0;
  }
  for(size_t i = 1; i < length; i++) {
    if((bytes[i] & 0xc0) != 0x80) {
      return 0;
    }
  }
  return length;
}

void
text_add_json(struct text *text, const char *bytes, size_t count)
{
  text_add_bytes(text, "\"", 1);
  while(count > 0) {
    unsigned char byte = (unsigned char)*bytes;
    size_t length = utf8_length((const unsigned char *)bytes, count);
    if(length == 0) {
      text_add_bytes(text, "?", 1);
      length = 1;
    } else if(byte == '"' || byte == '\\') {
      text_add_bytes(text, "\\", 1);
      text_add_bytes(text, bytes, 1);
    } else if(byte < 0x20) {
      text_add(text, "\\u00");
      text_add_bytes(text, &"0123456789abcdef"[byte >> 4], 1);
      text_add_bytes(text, &"0123456789abcdef"[byte & 15], 1);
    } else {
      text_add_bytes(text, bytes, length);
    }
    bytes += length;
    count -= length;
  }
  text_add_bytes(text, "\"", 1);
}
