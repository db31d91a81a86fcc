# SPDX-License-Identifier: Apache-2.0
"""A program that calls the functions of kernel/sanitizers as instrumented firmware does."""

from __future__ import annotations

import subprocess

from tests.waiting import HANG_S

# Reads a command a line, and says what was found, or "fine" and the result. Places are offsets
# in `area` or, in A and Z, addresses.
HARNESS = r"""
#include "base/text.h"
#include "sanitizers/sanitizer.h"
#include <inttypes.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct global { uintptr_t start, size, size_with_red_zone; const char *name, *module; uintptr_t dynamic; const void *place, *odr; };
struct type { uint16_t kind, info; char name[1000]; };
struct data { const char *file; uint32_t line, column; const void *types[2]; };
struct mismatch { const char *file; uint32_t line, column; const void *type; uint8_t log_alignment, access; };
typedef uintptr_t function(uintptr_t, uintptr_t, uintptr_t);

static char area[4096] __attribute__((aligned(64)));
static jmp_buf back;

static void found(const char *what, const void *from, const void *address)
{
  printf("%s|%d", what, from != NULL);
  if(address != NULL) {
    printf("|%" PRIdPTR, (intptr_t)((uintptr_t)address - (uintptr_t)area));
  }
  longjmp(back, 1);
}

int main(void)
{
  static struct global globals[64];
  static struct type types[2];
  static struct data data = {"f.c", 1, 2, {&types[0], &types[1]}};
  static struct mismatch mismatch = {"f.c", 1, 2, &types[0], 0, 0};
  static size_t count, first;
  char line[3000];

  sanitizer_found = found;
  setvbuf(stdout, NULL, _IOFBF, 1 << 16);
  while(fgets(line, sizeof(line), stdin) != NULL) {
    static char name[1000], kind;
    static function *called;
    uint64_t a = 0, b = 0, c = 0;
    if(setjmp(back) != 0) {
      printf("\n");
      continue;
    }
    if(sscanf(line, "%c %999s %" SCNi64 " %" SCNi64 " %" SCNi64, &kind, name, (int64_t *)&a, (int64_t *)&b, (int64_t *)&c) < 1) {
      return 1;
    }
    called = (function *)(uintptr_t)sanitizer_function(name, true);
    switch(kind) {
    case 'O': sanitizer_open("f"); break;
    case 'N': printf("%d%d%d%d|", sanitizer_function(name, true) != NULL, sanitizer_function(name, false) != NULL,
                     address_function(name) != NULL, undefined_function(name) != NULL); break;
    case 'd': /* behind those that are registered next */
    case 'g':
      globals[count] = (struct global){(uintptr_t)area + a, b, c, strdup(name), "m", 0, NULL, NULL};
      count += kind == 'g';
      break;
    case 'G': called((uintptr_t)&globals[first], count - first, 0); first = count; break;
    case 'a': called((uintptr_t)area + a, b, 0); break;
    case 'A': called(a, b, 0); break;
    case 'Z': *(uint8_t *)(0x7fff8000 + (a >> 3)) = (uint8_t)b; break;
    case 'z': *(uint8_t *)(0x7fff8000 + (((uintptr_t)area + a) >> 3)) = (uint8_t)b; break;
    case 'w': memset(area + a, (int)b, c); break;
    case 'm': /* two places and a size */
      printf("%" PRIdPTR "|", (intptr_t)(called((uintptr_t)area + a, (uintptr_t)area + b, c) - (uintptr_t)area));
      break;
    case 'M': printf("%" PRIdPTR "|", (intptr_t)(called((uintptr_t)area + a, b, c) - (uintptr_t)area)); break;
    case 'i': printf("%d|", (int)called((uintptr_t)area + a, (uintptr_t)area + b, c)); break;
    case 'r': /* the bytes there */
      for(uint64_t i = 0; i < b; i++) {
        printf("%02x", (uint8_t)area[a + i]);
      }
      break;
    case 't': /* a type: its name; which one, kind, info */
      types[a] = (struct type){(uint16_t)b, (uint16_t)c, ""};
      strcpy(types[a].name, name);
      break;
    case 'U': called((uintptr_t)&data, a, b); break;
    case 'l': mismatch.log_alignment = (uint8_t)a; break;
    case 'P': called((uintptr_t)&mismatch, a, 0); break;
    default: return 1;
    }
    printf("fine\n");
  }
  return 0;
}
"""  # noqa: E501
PARTS = ("sanitizers/address.c", "sanitizers/undefined.c", "base/text.c", "base/memory.c", "base/report.c")


def said(program, commands: list[str]) -> list[str]:
    done = subprocess.run(
        [program],
        input="\n".join(commands) + "\n",
        capture_output=True,
        text=True,
        check=False,
        timeout=HANG_S,
    )
    answers = done.stdout.splitlines()
    assert done.returncode == 0 and len(answers) == len(commands), (done, commands[len(answers) :][:1])
    return answers
