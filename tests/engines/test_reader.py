# SPDX-License-Identifier: Apache-2.0
"""The words of a description: what is read of each line, and what is wrong with one, at each bound."""

from __future__ import annotations

import subprocess

import pytest
from engine_harness import build_harness

# For each case: what to do, a space between two; how many bytes follow; the bytes. It says what it got, and
# last what was wrong. A failure of a number before this one is still in errno.
HARNESS = r"""
#include "base/reader.h"
#include "base/report.h"
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
static jmp_buf ended;
_Noreturn void report_error(enum error_kind kind, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  printf("[%d] ", kind);
  vprintf(format, arguments);
  va_end(arguments);
  longjmp(ended, 1);
}
static void act(struct reader *reader, char *order) {
  char *one = strtok(order + 1, ":"), *other = strtok(NULL, ":");
  size_t length;
  uint8_t *bytes;
  char *text;
  errno = ERANGE;
  switch(order[0]) {
  case 'n': next_line(reader); break;
  case '?': printf("%d ", is(reader, one)); break;
  case '!': expect(reader, one); break;
  case 'w': printf("%s ", word(reader)); break;
  case 'i': printf("%lld ", (long long)whole_number(reader, atoll(one), atoll(other))); break;
  case 'r': printf("%.17g ", real_number(reader, atof(one), atof(other))); break;
  case 'c': printf("%s ", choice(reader, one, other) ? "yes" : "no"); break;
  case 't': printf("<%s> ", text = text_to_end(reader)); free(text); break;
  case 'h':
    bytes = hexadecimal(reader, &length);
    printf("%zu:", length);
    for(size_t i = 0; i < length; i++) printf("%02x", bytes[i]);
    free(bytes);
    printf(" ");
    break;
  case '.': done(reader); break;
  }
}
int main(void) {
  char orders[1000];
  size_t size;
  while(scanf(" %999[^\n]%zu%*1[\n]", orders, &size) == 2) {
    char *content = malloc(size + 1), *next = orders;
    if(fread(content, 1, size, stdin) != size) return 1;
    FILE *file = size ? fmemopen(content, size, "r") : fopen("/dev/null", "r");
    struct reader reader = {.file = file, .name = "it"};
    if(!setjmp(ended)) {
      for(char *order = strsep(&next, " "); order != NULL; order = strsep(&next, " ")) act(&reader, order);
    }
    printf("%c", 0);
    fclose(reader.file);
    free(reader.line);
    free(content);
  }
}
"""


@pytest.fixture(scope="module")
def read(tmp_path_factory):
    program = build_harness(tmp_path_factory.mktemp("reader"), HARNESS, ("base/reader.c", "base/memory.c"))

    def read(*cases: tuple[str, str | bytes]) -> list[str]:
        """What each case of (orders, content) comes to."""
        asked = b""
        for orders, content in cases:
            content = content if isinstance(content, bytes) else content.encode()
            asked += f"{orders}\n{len(content)}\n".encode() + content
        environment = {
            "ASAN_OPTIONS": "detect_leaks=0"
        }  # what was allocated before a fault goes with the process
        done = subprocess.run([program], input=asked, capture_output=True, check=True, env=environment)
        return [one.strip() for one in done.stdout.decode("latin-1").split("\0")[:-1]]

    return read


def wrong(line: int, what: str) -> str:
    return f"[2] line {line} of it: {what}"


def compare(read, table: list[tuple[str, str | bytes, str]]) -> None:
    for (orders, content, expected), found in zip(table, read(*(row[:2] for row in table)), strict=True):
        assert found == expected, (orders, content[:60])


MISSING, MORE = "a word is missing", "something follows that doesn't belong there"
LONGEST = 16 * 1024  # bytes, with the end of the line


def test_lines(read):
    compare(
        read,
        [
            ("n", "", wrong(1, "it ends too early")),
            ("n t", "\n", "<>"),
            ("n n", "\n", wrong(2, "it ends too early")),
            ("n n n t", "a\nb\nc\n", "<c>"),
            ("n n n n", "a\nb\nc\nd", wrong(4, "cut short")),
            ("n", "a", wrong(1, "cut short")),
            ("n", b"\0\n", wrong(1, "has a byte 0")),
            ("n", b"a\0b\n", wrong(1, "has a byte 0")),
            ("n", b"ab\0\n", wrong(1, "has a byte 0")),
            ("n t", "x" * (LONGEST - 1) + "\n", f"<{'x' * (LONGEST - 1)}>"),
            ("n", "x" * LONGEST + "\n", wrong(1, "too long")),
            ("n", "x" * (LONGEST + 1), wrong(1, "too long")),
            ("n", "x" * LONGEST, wrong(1, "cut short")),
            ("n n t", "x" * 500 + "\nshort\n", "<short>"),
        ],
    )


def test_words(read):
    compare(
        read,
        [
            ("n w w w .", "one two three\n", "one two three"),
            ("n w", "\n", wrong(1, MISSING)),
            ("n w", " one\n", wrong(1, MISSING)),
            ("n w w", "one\n", "one " + wrong(1, MISSING)),
            ("n w w", "one \n", "one " + wrong(1, MISSING)),
            ("n w w", "one  two\n", "one " + wrong(1, MISSING)),
            ("n w .", "one\n", "one"),
            ("n w .", "one two\n", "one " + wrong(1, MORE)),
            ("n w .", "one \n", "one " + wrong(1, MORE)),
            ("n .", "\n", wrong(1, MORE)),
            ("n w t", "one two three\n", "one <two three>"),
            ("n w t", "one\n", "one <>"),
            ("n w t", "one  \n", "one < >"),
            ("n w n w", "one two\nthree\n", "one three"),
        ],
    )


def test_keywords(read):
    expected_here = "another keyword is expected here (see description.h)"
    compare(
        read,
        [
            ("n ?seed w .", "seed 5\n", "1 5"),
            ("n ?seed .", "seed\n", "1"),
            ("n ?seed w", "seed\n", "1 " + wrong(1, MISSING)),
            ("n ?seed .", "seed \n", "1 " + wrong(1, MORE)),
            ("n ?seed w w", "seeds 5\n", "0 seeds 5"),
            ("n ?seed w w", "see 5\n", "0 see 5"),
            ("n ?seed", "\n", "0"),
            ("n ?seed", "Seed 5\n", "0"),
            ("n ?seed t", "seed 5  6\n", "1 <5  6>"),
            ("n !seed w .", "seed 5\n", "5"),
            ("n n !seed", "seed 5\nseeds 5\n", wrong(2, expected_here)),
        ],
    )


LEAST, MOST = -(2**63), 2**63 - 1


def test_whole_numbers(read):
    no, out = wrong(1, "not a whole number"), wrong(1, "a number out of its range")
    rows = [
        (str(number), LEAST, MOST, str(number)) for number in (LEAST, -10, -1, 0, 1, 5, 9, 10, 19, 90, MOST)
    ]
    rows += [(text, LEAST, MOST, no) for text in (str(LEAST - 1), str(MOST + 1), "9" * 30, "-" + "9" * 30)]
    rows += [
        (text, LEAST, MOST, no)
        for text in ("+5", "-", "--5", "5-", "5x", "x5", "0x5", "5.0", "1e3", "\t5", "\r5", "5\r", "/5", ":5")
    ]
    rows += [("007", LEAST, MOST, "7"), ("-0", LEAST, MOST, "0"), ("", LEAST, MOST, wrong(1, MISSING))]
    rows += [("-3", -3, 7, "-3"), ("7", -3, 7, "7"), ("-4", -3, 7, out), ("8", -3, 7, out), ("2", 2, 2, "2")]
    compare(read, [(f"n i{least}:{most} .", text + "\n", said) for text, least, most, said in rows])


def test_decimal_numbers(read):
    no, out = wrong(1, "not a decimal number"), wrong(1, "a number out of its range")
    texts = (
        "0",
        "9",
        "-0.5",
        "+1",
        ".5",
        "-.5e-3",
        "1e5",
        "1E+5",
        "12.",
        "1e-320",
        "0.1",
        "1e308",
        "78.90123456",
    )
    rows = [(text, -1e308, 1e308, f"{float(text):.17g}") for text in texts]
    rows += [
        (text, -1e308, 1e308, no)
        for text in (
            "nan",
            "inf",
            "-inf",
            "infinity",
            "0x1p3",
            "0X10",
            "1.5.2",
            "e5",
            "-",
            ".",
            "1,5",
            "\t1",
            "1\t",
            "5x",
        )
    ]
    rows += [(text, -1e308, 1e308, out) for text in ("1e999", "-1e999", "1.1e308")]
    rows += [
        ("0", 0, 1, "0"),
        ("1", 0, 1, "1"),
        ("-0.001", 0, 1, out),
        ("1.001", 0, 1, out),
        ("0.5", 0.5, 0.5, "0.5"),
    ]
    rows += [("", 0, 1, wrong(1, MISSING))]
    compare(read, [(f"n r{least}:{most} .", text + "\n", said) for text, least, most, said in rows])


def test_choices(read):
    compare(
        read,
        [
            ("n cyes:no .", "yes\n", "yes"),
            ("n cyes:no .", "no\n", "no"),
            ("n cyes:no", "maybe\n", wrong(1, "an unknown choice")),
            ("n cyes:no", "ye\n", wrong(1, "an unknown choice")),
            ("n cyes:no", "\n", wrong(1, MISSING)),
        ],
    )


def test_bytes(read):
    every = bytes(range(256))
    pairs, digits = "bytes in hexadecimal have two digits each", "bytes must be in hexadecimal, 0-9 and a-f"
    table = [
        ("n h .", "-\n", "0:"),
        ("n h w .", "00 x\n", "1:00 x"),
        ("n h .", every.hex() + "\n", f"256:{every.hex()}"),
        ("n h .", "0\n", wrong(1, pairs)),
        ("n h .", "000\n", wrong(1, pairs)),
        ("n h .", "--\n", wrong(1, digits)),
        ("n h .", "\n", wrong(1, MISSING)),
    ]
    others = sorted(set(range(1, 256)) - set(b"\n 0123456789abcdef"))
    table += [("n h .", bytes([other]) + b"0\n", wrong(1, digits)) for other in others]
    table += [("n h .", b"0" + bytes([other]) + b"\n", wrong(1, digits)) for other in others]
    compare(read, table)
