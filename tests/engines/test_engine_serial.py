# SPDX-License-Identifier: Apache-2.0
"""A mote's bytes become lines by Cooja's rules, in whatever pieces they come, and nothing is written beyond
the line's memory (the harness has sanitizers).
"""

from __future__ import annotations

import random
import subprocess

import pytest
from engine_harness import build_harness
from test_engine_log import java_line_texts

MAIN = r"""
#include "base/report.h"
#include "motes/serial.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
_Noreturn void report_error(enum error_kind kind, const char *format, ...) { (void)kind; (void)format; abort(); }
static struct log log_of_run;
static int lines, last = -1;
static void line(void *context, struct mote *mote, const char *text, size_t length) {
  (void)context; (void)mote;
  for(size_t i = 0; i < length; i++) printf("%02x", (unsigned char)text[i]);
  printf("\n");
  log_of_run.closed = ++lines == last;
}
int main(int count, char **arguments) {
  static struct serial serial;
  struct line_listener listener = {.line = line};
  uint64_t begin, end;
  uint32_t size;
  if(count > 2) { /* places in the log */
    while(scanf("%" SCNu64 " %" SCNu64, &begin, &end) == 2) {
      serial_keep_place(&serial, begin, end);
      for(int i = 0; i < KEPT_LINES; i++) printf("%" PRIu64 "+%u ", serial.last[i].position, serial.last[i].length);
      printf("of %" PRIu64 "\n", serial.written);
    }
    return 0;
  }
  last = atoi(arguments[1]);
  while(fread(&size, sizeof(size), 1, stdin) == 1) {
    uint8_t *bytes = malloc(size);
    size = (uint32_t)fread(bytes, 1, size, stdin);
    printf("= %u\n", serial_receive(&serial, bytes, size, &listener, &log_of_run));
    free(bytes);
    if(log_of_run.closed) break;
  }
  free(serial.line);
  return 0;
}
"""  # noqa: E501
LONGEST = 16384  # bytes without a line feed


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    return build_harness(tmp_path_factory.mktemp("serial"), MAIN, ("motes/serial.c", "base/memory.c"))


def received(program, pieces: list[bytes], last: int = -1) -> tuple[list[str], list[int]]:
    """The lines, and how many came with each piece. After the line of this number the log is closed."""
    data = b"".join(len(piece).to_bytes(4, "little") + piece for piece in pieces)
    done = subprocess.run([program, str(last)], input=data, capture_output=True, check=True)
    said = done.stdout.decode().splitlines()
    texts = [bytes.fromhex(text).decode() for text in said if not text.startswith("=")]
    return texts, [int(text[2:]) for text in said if text.startswith("=")]


def random_bytes(draw: random.Random) -> bytes:
    """Runs of usual characters, of others, and line feeds; some runs just about as long as a line may be."""
    edge = bytes(
        [0x08, 0x09, 0x0B, 0x0D, 0x0E, 0x1B, 0x1C, 0x1F, 0x20, 0x7E, 0x7F, 0x80, 0xBE, 0xBF, 0xC2, 0xDC, 0xDD]
    )
    made = bytearray()
    for _ in range(draw.randrange(5, 40)):
        kind = draw.randrange(7)
        long = draw.choice([3, 17, 60, 60, 400, LONGEST + draw.randrange(-9, 10)])
        if kind < 2:
            made += bytes(draw.choice(b"abc XYZ~!") for _ in range(long))
        elif kind == 2:
            made += bytes(draw.choice(edge) for _ in range(long))
        elif kind == 3:  # one that isn't usual at each place of a word
            run = bytearray(b"0123456789abcdefghij")
            run[draw.randrange(len(run))] = draw.choice(edge)
            made += run
        elif kind == 4:
            made += bytes([draw.choice(edge)]) * long
        else:
            made += b"\n" * draw.randrange(1, 3)
    return bytes(made)


def pieces_of(draw: random.Random, data: bytes) -> list[bytes]:
    pieces, at = [], 0
    while at < len(data):
        size = draw.choice([1, 7, 8, 9, 100, 5000, 40_000])
        pieces.append(data[at : at + size])
        at += size
    return pieces


@pytest.mark.parametrize("seed", range(8))
def test_lines_do_not_depend_on_the_pieces(program, seed):
    draw = random.Random(seed)
    data = random_bytes(draw) + b"end\n"
    expected = java_line_texts(data)
    for pieces in ([data], pieces_of(draw, data)):
        texts, counts = received(program, pieces)
        assert texts == expected
        assert sum(counts) == len(expected)
    upto = draw.randrange(1, len(expected) + 1)
    texts, counts = received(program, pieces_of(draw, data), upto)
    assert texts == expected[:upto] and sum(counts) == upto, "no line comes after the end of the log"


@pytest.mark.parametrize("character", [b"a", b"\x80", b"\xdc", b"\x01"])
@pytest.mark.parametrize("length", [LONGEST - 1, LONGEST, LONGEST + 1, 2 * LONGEST + 2, 2 * LONGEST + 3])
def test_a_line_that_is_too_long_is_cut(program, character, length):
    for start in (b"", b"x", b"one two three four five six"):
        data = (start + character * length)[:length] + b"\nnext\n"
        assert received(program, [data])[0] == java_line_texts(data)


def test_the_places_of_the_last_lines_are_kept(program):
    places, at, draw = [], 0, random.Random(1)
    for _ in range(12):
        begin = at + draw.randrange(50)
        at = begin + 1 + draw.randrange(200)
        places.append((begin, at))
    text = "".join(f"{begin} {end}\n" for begin, end in places)
    done = subprocess.run([program, "places", "kept"], input=text.encode(), capture_output=True, check=True)
    for number, said in enumerate(done.stdout.decode().splitlines(), 1):
        newest = [*reversed(places[:number]), *[(0, 1)] * 4][:4]
        kept = " ".join(f"{begin}+{end - begin - 1}" for begin, end in newest)
        assert said == f"{kept} of {sum(end - begin for begin, end in places[:number])}"
