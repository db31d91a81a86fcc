/* SPDX-License-Identifier: Apache-2.0 */
/* The part of a C library that programs on a Tmote Sky use, ours and Contiki-NG's (orchestrator/build/msp430.py): strings and
   numbers. memory.c has what copies memory. Small rather than fast. */
#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int errno;

size_t
strnlen(const char *text, size_t most)
{
  size_t length = 0;

  while(length < most && text[length] != 0) {
    length++;
  }
  return length;
}

size_t
strlen(const char *text)
{
  return strnlen(text, SIZE_MAX);
}

int
strncmp(const char *one, const char *other, size_t most)
{
  for(; most > 0; most--, one++, other++) {
    if(*one != *other || *one == 0) {
      return (uint8_t)*one - (uint8_t)*other;
    }
  }
  return 0;
}

int
strcmp(const char *one, const char *other)
{
  return strncmp(one, other, SIZE_MAX);
}

int
strncasecmp(const char *one, const char *other, size_t most)
{
  for(; most > 0; most--, one++, other++) {
    int a = tolower((uint8_t)*one), b = tolower((uint8_t)*other);
    if(a != b || a == 0) {
      return a - b;
    }
  }
  return 0;
}

int
strcasecmp(const char *one, const char *other)
{
  return strncasecmp(one, other, SIZE_MAX);
}

char *
strcpy(char *to, const char *from)
{
  return memcpy(to, from, strlen(from) + 1);
}

char *
strncpy(char *to, const char *from, size_t most)
{
  size_t length = strnlen(from, most);

  memcpy(to, from, length);
  memset(to + length, 0, most - length);
  return to;
}

char *
strncat(char *to, const char *from, size_t most)
{
  size_t before = strlen(to), length = strnlen(from, most);

  memcpy(to + before, from, length);
  to[before + length] = 0;
  return to;
}

char *
strcat(char *to, const char *from)
{
  return strncat(to, from, SIZE_MAX);
}

char *
strchr(const char *in, int character)
{
  return memchr(in, character, strlen(in) + 1);
}

char *
strrchr(const char *in, int character)
{
  for(const char *at = in + strlen(in); at >= in; at--) {
    if(*at == (char)character) {
      return (char *)at;
    }
  }
  return NULL;
}

char *
strstr(const char *in, const char *text)
{
  size_t length = strlen(text);

  for(; strncmp(in, text, length) != 0; in++) {
    if(*in == 0) {
      return NULL;
    }
  }
  return (char *)in;
}

static size_t
span(const char *text, const char *of, int among)
{
  size_t length = 0;

  while(text[length] != 0 && (strchr(of, text[length]) != NULL) == among) {
    length++;
  }
  return length;
}

size_t
strspn(const char *text, const char *of)
{
  return span(text, of, 1);
}

size_t
strcspn(const char *text, const char *of)
{
  return span(text, of, 0);
}

char *
strpbrk(const char *text, const char *of)
{
  text += strcspn(text, of);
  return *text == 0 ? NULL : (char *)text;
}

char *
strtok(char *text, const char *separators)
{
  static char *rest;
  char *word = text != NULL ? text : rest;

  if(word == NULL || *(word += strspn(word, separators)) == 0) {
    return rest = NULL;
  }
  rest = word + strcspn(word, separators);
  if(*rest == 0) {
    rest = NULL;
  } else {
    *rest++ = 0;
  }
  return word;
}

int isdigit(int c) { return c >= '0' && c <= '9'; }
int isupper(int c) { return c >= 'A' && c <= 'Z'; }
int islower(int c) { return c >= 'a' && c <= 'z'; }
int isalpha(int c) { return isupper(c) || islower(c); }
int isalnum(int c) { return isalpha(c) || isdigit(c); }
int isxdigit(int c) { return isdigit(c) || (c >= 'A' && c <= 'F') || (c >= 'a' && c <= 'f'); }
int isspace(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
int isprint(int c) { return c >= ' ' && c <= '~'; }
int ispunct(int c) { return isprint(c) && c != ' ' && !isalnum(c); }
int iscntrl(int c) { return (c >= 0 && c < ' ') || c == 0x7f; }
int tolower(int c) { return isupper(c) ? c + ('a' - 'A') : c; }
int toupper(int c) { return islower(c) ? c - ('a' - 'A') : c; }

unsigned long
strtoul(const char *text, char **end, int base)
{
  const char *at = text, *digits;
  unsigned long number = 0;
  int negative = 0;

  while(isspace((uint8_t)*at)) {
    at++;
  }
  if(*at == '-' || *at == '+') {
    negative = *at++ == '-';
  }
  if((base == 0 || base == 16) && at[0] == '0' && (at[1] | 0x20) == 'x' && isxdigit((uint8_t)at[2])) {
    at += 2;
    base = 16;
  } else if(base == 0) {
    base = at[0] == '0' ? 8 : 10;
  }
  for(digits = at; isalnum((uint8_t)*at); at++) {
    int digit = isdigit((uint8_t)*at) ? *at - '0' : toupper((uint8_t)*at) - 'A' + 10;
    if(digit >= base) {
      break;
    }
    number = number * (unsigned)base + (unsigned)digit;
  }
  if(end != NULL) {
    *end = (char *)(at == digits ? text : at);
  }
  return negative ? -number : number;
}

long
strtol(const char *text, char **end, int base)
{
  return (long)strtoul(text, end, base);
}

long
atol(const char *text)
{
  return strtol(text, NULL, 10);
}

int
atoi(const char *text)
{
  return (int)atol(text);
}

int
abs(int number)
{
  return number < 0 ? -number : number;
}

long
labs(long number)
{
  return number < 0 ? -number : number;
}

static unsigned long random_state = 1;

void
srand(unsigned seed)
{
  random_state = seed;
}

int
rand(void) /* the C standard's example */
{
  random_state = random_state * 1103515245 + 12345;
  return (int)(random_state >> 16 & RAND_MAX);
}

void
qsort(void *items, size_t count, size_t size, int (*compare)(const void *, const void *))
{
  uint8_t *bytes = items;

  for(size_t i = 1; i < count; i++) {
    for(size_t k = i; k > 0 && compare(bytes + (k - 1) * size, bytes + k * size) > 0; k--) {
      for(size_t b = 0; b < size; b++) {
        uint8_t kept = bytes[k * size + b];
        bytes[k * size + b] = bytes[(k - 1) * size + b];
        bytes[(k - 1) * size + b] = kept;
      }
    }
  }
}
