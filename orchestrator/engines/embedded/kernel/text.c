/* SPDX-License-Identifier: Apache-2.0 */
#include "text.h"

#include <stdbool.h>
#include <string.h>

size_t
format_number(char digits[20], int64_t number)
{
  char reversed[20];
  uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
  size_t count = 0, used = 0;

  do {
    reversed[count++] = (char)('0' + rest % 10);
    rest /= 10;
  } while(rest > 0);
  if(number < 0) {
    digits[used++] = '-';
  }
  while(count > 0) {
    digits[used++] = reversed[--count];
  }
  return used;
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

/* How many bytes the UTF-8 character at `bytes` has; 0 if it is none. */
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
