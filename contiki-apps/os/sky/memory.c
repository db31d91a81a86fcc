/* SPDX-License-Identifier: Apache-2.0 */
/* C's functions that copy, clear and compare memory. Compiled without built-in functions, so that the compiler doesn't make one
   into a call of itself. */
#include <stdint.h>
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

void *
memchr(const void *in, int byte, size_t size)
{
  const uint8_t *at = in;

  for(; size > 0; size--, at++) {
    if(*at == (uint8_t)byte) {
      return (void *)at;
    }
  }
  return NULL;
}
