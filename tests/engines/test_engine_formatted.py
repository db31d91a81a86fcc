# SPDX-License-Identifier: Apache-2.0
"""The engine's formatted text is libc's, byte for byte, whatever the format, the values and the room. What
the engine leaves to libc is told from the memory that only libc allocates.
"""

from __future__ import annotations

import subprocess

from engine_harness import build_harness

# Random formats of a conversion behind text, some of them for libc only, and values of every size.
HARNESS = r"""
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libc/formatted.h"
#include "libc/heap.h"
static const char *pick(const char *const *of, int count) { return of[rand() % count]; }
static bool a_string;
static bool wide;
static bool ours; /* the engine formats it */
static char *conversion(char *to) {
  static const char *const FLAGS[] = {"", "", "", "-", "0", "-0", "+", "#", " "}, *const WIDTHS[] = {"", "", "2", "5", "30", "99", "100", "120"};
  static const char *const LENGTHS[] = {"", "", "hh", "h", "l", "ll", "z", "j"}, *const KINDS[] = {"d", "i", "u", "x", "X", "o"};
  static const char *const PRECISIONS[] = {"", "", ".3", ".0", ".", ".20", ".99", ".150", ".1500"}, *const TEXTS[] = {"", " ", "a%%b", "\n"};
  const char *length = pick(LENGTHS, 8), *width = pick(WIDTHS, 8), *precision, *flags, *kind;
  a_string = rand() % 3 == 0;
  wide = !a_string && (*length == 'l' || *length == 'z' || *length == 'j');
  flags = a_string ? (rand() % 9 == 0 ? "0" : rand() % 2 ? "-" : "") : pick(FLAGS, 9);
  precision = a_string || rand() % 5 == 0 ? pick(PRECISIONS, a_string ? 9 : 8) : ""; /* a text is never so long */
  kind = a_string ? (rand() % 4 ? "s" : "c") : pick(KINDS, 6);
  ours = strlen(width) < 3 && *kind != 'o' && strpbrk(flags, "+# ") == NULL &&
    (*kind == 's' ? strlen(precision) < 5 : *precision == 0) && !(a_string && *flags == '0');
  return to + sprintf(to, "%s%%%s%s%s%s%s", pick(TEXTS, 4), flags, width, precision, a_string ? "" : length, kind);
}
static int list(char *to, size_t size, const char *format, ...) {
  va_list a; va_start(a, format); int n = formatted_list(to, size, format, a); va_end(a); return n;
}
static int allocated(char **to, const char *format, ...) {
  va_list a; va_start(a, format); int n = formatted_allocated(to, format, a); va_end(a); return n;
}
int main(void) {
  static const char *const STRINGS[] = {"", "x", "fd00::302:304:506:708", "sixty characters of text, more than any width but the widest"};
  srand(7);
  for(int i = 0; i < 200000; i++) {
    char format[200], expected[900], found[900], *made = NULL, *other = NULL;
    unsigned long long number = ((unsigned long long)rand() << 33 ^ (unsigned long long)rand() << 11 ^ rand()) >> rand() % 64;
    size_t size = rand() % 3 ? sizeof(found) : (size_t)(rand() % 30);
    const char *string = pick(STRINGS, 4);
    int n, m, k;
    char *end = conversion(format);
    memset(expected, 1, sizeof(expected)); memset(found, 1, sizeof(found));
    number = rand() % 2 ? 0 - number : number;
    if(end[-1] == 'c') { a_string = false; wide = false; number = 'A' + number % 26; }
#define BOTH(value) \
    n = snprintf(expected, size, format, value); m = rand() % 2 ? formatted(found, size, format, value) : list(found, size, format, value); \
    heap_watch(); k = allocated(&made, format, value); ours ^= heap_blocks() == 1
    if(a_string) { BOTH(string); } else if(wide) { BOTH(number); } else { BOTH((int)number); }
    if(!ours || n != m || n != k || memcmp(expected, found, sizeof(found)) || (size == sizeof(found) && strcmp(made, expected))) {
      printf("%s: %d %.*s, here %d %.*s and %d %s\n", format, n, (int)size, expected, m, (int)size, found, k, made);
      return 1;
    }
    if(rand() % 3 == 0 && allocated(&other, "%s%d", made, 5) == k + 1) { /* two at a time */
      if(strncmp(other, made, (size_t)k)) { puts("two"); return 1; }
      other = formatted_realloc(other, (size_t)k + 2);
      formatted_free(other);
    } else if(rand() % 5 == 0) {
      made = formatted_realloc(made, (size_t)k + 1000);
      if(size == sizeof(found) && strcmp(made, expected)) { puts("moved"); return 1; }
    }
    formatted_free(made);
  }
  static const char *const ENDS[] = {"%.0s", "%02x%.0s", "%.0s%s", "%.0s%20s", "%.0s%-20s", "%.0s%%", "%d%.0s", "%.0s%17s", "%8d%.0s", "%.0s%c"};
  for(size_t length = 480; length < 515; length++) { /* up to the end of the engine's room */
    for(int i = 0; i < 10; i++) {
      char format[900] = "", expected[900], found[900], *made;
      bool number_first = ENDS[i][1] != '.';
      memset(format, 'f', length);
      strcat(format, ENDS[i]);
#define THESE(call) (number_first ? call(200, "") : i == 9 ? call("", 'c') : call("", "seventeen letters"))
#define LIBC(...) snprintf(expected, sizeof(expected), format, __VA_ARGS__)
#define OURS(...) formatted(found, sizeof(found), format, __VA_ARGS__)
#define ANEW(...) allocated(&made, format, __VA_ARGS__)
      int n = THESE(LIBC), m = THESE(OURS);
      heap_watch();
      int k = THESE(ANEW);
      if((heap_blocks() == 0) != (n < 512) || n != m || n != k || strcmp(expected, found) || strcmp(expected, made)) {
        printf("%zu %s: %d %s\n", length, ENDS[i], n, found);
        return 1;
      }
      formatted_free(made);
    }
  }
  char *made, found[20];
  heap_watch();
  if(allocated(&made, "%5%%d", 7) < 2 || heap_blocks() != 1) { puts("a percent sign with a width"); return 1; }
  formatted_free(made);
  char several[900], expected[900];
  int n = formatted(several, sizeof(several), "%s of %u: %02x%02x %-6d|%5s|%c %ld%% %llu", "part", 7u, 5, 200, -3, "abc", 'z', -9L, 1ull << 63);
  int m = snprintf(expected, sizeof(expected), "%s of %u: %02x%02x %-6d|%5s|%c %ld%% %llu", "part", 7u, 5, 200, -3, "abc", 'z', -9L, 1ull << 63);
  if(n != m || strcmp(several, expected)) { puts(several); return 1; }
  if(list(NULL, 0, "%d", 1234) != 4 || allocated(&made, "%700d", 1) != 700 || strlen(made) != 700) { puts("room"); return 1; }
  formatted_free(made);
  if(formatted(found, sizeof(found), "%s", (char *)NULL) != 6) { puts("NULL"); return 1; }
  return 0;
}
"""  # noqa: E501


def test_every_format_gives_what_libc_gives(tmp_path):
    program = build_harness(
        tmp_path,
        '#pragma GCC diagnostic ignored "-Wformat"\n#pragma GCC diagnostic ignored "-Wformat-extra-args"\n'
        '#pragma GCC diagnostic ignored "-Wformat-truncation"\n' + HARNESS,
        ("libc/formatted.c", "base/text.c", "libc/heap.c"),
    )
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
