/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of C's library, as far as Contiki, the middleware and the applications use them. Compiled without built-in
   functions, so that the compiler doesn't make a function into a call of itself. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* By words where both sides allow it, which takes a third of the time; most of what is copied are structures. */
void *
memcpy(void *to, const void *from, size_t size)
{
  uint8_t *out = to;
  const uint8_t *in = from;

  if((((uintptr_t)to | (uintptr_t)from) & 1) == 0) {
    uint16_t *out_word = to;
    const uint16_t *in_word = from;

    for(size_t words = size / 2; words > 0; words--) {
      *out_word++ = *in_word++;
    }
    out = (uint8_t *)out_word;
    in = (const uint8_t *)in_word;
    size &= 1;
  }
  while(size-- > 0) {
    *out++ = *in++;
  }
  return to;
}

void *
memmove(void *to, const void *from, size_t size)
{
  uint8_t *out = to;
  const uint8_t *in = from;

  if(out <= in) {
    return memcpy(to, from, size);
  }
  while(size-- > 0) {
    out[size] = in[size];
  }
  return to;
}

void *
memset(void *to, int value, size_t size)
{
  uint8_t *out = to;

  if(((uintptr_t)to & 1) == 0) {
    uint16_t *word = to, pair = (uint16_t)((uint8_t)value * 0x101u);

    for(size_t words = size / 2; words > 0; words--) {
      *word++ = pair;
    }
    out = (uint8_t *)word;
    size &= 1;
  }
  while(size-- > 0) {
    *out++ = (uint8_t)value;
  }
  return to;
}

int
memcmp(const void *a, const void *b, size_t size)
{
  const uint8_t *left = a, *right = b;

  for(; size > 0; size--, left++, right++) {
    if(*left != *right) {
      return *left - *right;
    }
  }
  return 0;
}

size_t
strlen(const char *text)
{
  size_t length = 0;

  while(text[length] != '\0') {
    length++;
  }
  return length;
}

int
strncmp(const char *a, const char *b, size_t size)
{
  for(; size > 0; size--, a++, b++) {
    if(*a != *b || *a == '\0') {
      return (unsigned char)*a - (unsigned char)*b;
    }
  }
  return 0;
}

int
strcmp(const char *a, const char *b)
{
  return strncmp(a, b, SIZE_MAX);
}

char *
strchr(const char *text, int c)
{
  for(; *text != (char)c; text++) {
    if(*text == '\0') {
      return NULL;
    }
  }
  return (char *)text;
}

static int
digit(char c)
{
  if(c >= '0' && c <= '9') {
    return c - '0';
  }
  c |= 0x20;
  return c >= 'a' && c <= 'z' ? c - 'a' + 10 : 36;
}

/* Bases from 2 to 36, as it is called here; no prefixes, no overflow. */
unsigned long
strtoul(const char *text, char **rest, int base)
{
  unsigned long value = 0;

  while(*text == ' ') {
    text++;
  }
  for(; digit(*text) < base; text++) {
    value = value * (unsigned)base + (unsigned)digit(*text);
  }
  if(rest != NULL) {
    *rest = (char *)text;
  }
  return value;
}

int
atoi(const char *text)
{
  return *text == '-' ? -(int)strtoul(text + 1, NULL, 10) : (int)strtoul(text, NULL, 10);
}

int
abs(int value)
{
  return value < 0 ? -value : value;
}
