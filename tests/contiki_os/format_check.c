/* SPDX-License-Identifier: Apache-2.0 */
/* The mote's printf against the host's, on random conversions and values. */
#include "lib/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 4000 };

struct text {
  char bytes[SIZE];
  int length;
};

static uint32_t state;

static uint32_t
draw(uint32_t n)
{
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state % n;
}

static uint64_t
draw_value(void)
{
  uint64_t value = (uint64_t)draw(0xffffffff) << 32 | draw(0xffffffff);

  switch(draw(4)) {
  case 0: return draw(3) - 1;
  case 1: return 1ull << draw(64);
  default: return value >> draw(64);
  }
}

static void
take(char c, void *where)
{
  struct text *text = where;

  text->bytes[text->length++] = c;
}

static void
compare(const char *conversion, ...)
{
  struct text ours = { .length = 0 };
  char host[SIZE];
  va_list arguments;

  va_start(arguments, conversion);
  int length = vsnprintf(host, sizeof(host), conversion, arguments);
  va_end(arguments);
  va_start(arguments, conversion);
  int written = format(take, &ours, conversion, arguments);
  va_end(arguments);
  if(written != length || ours.length != length || memcmp(ours.bytes, host, (size_t)length) != 0) {
    printf("%s: ours \"%.*s\", the host's \"%s\"\n", conversion, ours.length, ours.bytes, host);
    exit(1);
  }
}

static void
random_conversion(void)
{
  static const char *const lengths[] = { "", "hh", "h", "l", "ll", "j", "z", "t" };
  static const char kinds[] = "diuoxX";
  char conversion[64], *at = conversion;
  int length = (int)draw(8);
  char kind = kinds[draw(6)];
  uint64_t value = draw_value();

  at += sprintf(at, "<%%");
  for(int flags = (int)draw(3); flags > 0; flags--) {
    *at++ = "-0+ #"[draw(kind == 'o' ? 4 : 5)]; /* %#.o has rules of its own */
  }
  if(draw(2)) {
    at += sprintf(at, "%u", draw(40));
  }
  if(draw(2)) {
    at += sprintf(at, ".%u", draw(30));
  }
  sprintf(at, "%s%c>", lengths[length], kind);
  if(length <= 2) {
    compare(conversion, (int)value);
  } else {
    compare(conversion, value); /* 64 bits each, on the hosts we build for */
  }
}

static void
random_text(void)
{
  char text[40];
  int length = (int)draw(sizeof(text));

  for(int i = 0; i < length; i++) {
    text[i] = (char)('a' + draw(26));
  }
  text[length] = '\0';
  compare("[%s]%%", text);
  compare(draw(2) ? "%-*s|" : "%*s|", (int)draw(60) - 30, text);
  compare("%.*s%c", (int)draw(50) - 5, text, 'x');
  compare("%5c%-5c|%*d", 'a', 'b', (int)draw(20), (int)draw(1000));
  compare("%.3s %20.5s %02x %02X %08" PRIu64 " %+d %zu", text, text, draw(256), draw(256), draw_value(),
          (int)draw(10) - 5, (size_t)draw_value());
}

int
main(int argc, char **argv)
{
  int rounds = argc > 1 ? atoi(argv[1]) : 100000;

  state = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 1;
  for(int i = 0; i < rounds; i++) {
    random_conversion();
    random_text();
  }
  compare("%s", "");
  compare("plain");
  printf("%d rounds\n", rounds);
  return 0;
}
