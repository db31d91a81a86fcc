# SPDX-License-Identifier: Apache-2.0
"""A process's report: one line of JSON, written whole to where no firmware prints, with the exit code of its
kind.
"""

from __future__ import annotations

import json
import os
import subprocess

import pytest
from engine_harness import build_harness

# Its arguments: what to report, of which kind, how many characters of a text, which character. The system
# calls are the test's: write() is interrupted, takes one byte, then three, then all but one; or it fails.
HARNESS = r"""
#include "base/memory.h"
#include "base/report.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
static int writes, failing;
ssize_t write(int file, const void *bytes, size_t count) {
  size_t part = writes == 1 ? 1 : writes == 2 ? 3 : count > 1 ? count - 1 : 1;
  if(failing) { errno = writes++ < 2 ? EINTR : EIO; return writes > 1000 ? abort(), 0 : -1; }
  if(writes++ % 3 == 0) { errno = EINTR; return -1; }
  return syscall(SYS_write, file, bytes, part < count ? part : count);
}
static void leaves(void) { syscall(SYS_write, 1, "left", 4); }
int main(int count, char **words) {
  size_t size = count > 3 ? strtoul(words[3], NULL, 10) : 0;
  char *text = calloc(size + 1, 1);
  memset(text, count > 4 ? words[4][0] : 'x', size);
  atexit(leaves);
  switch(words[1][0]) {
  case 'o': /* after what firmware prints */
    report_open();
    syscall(SYS_write, 1, "firmware", 8);
    report_error(atoi(words[2]), "%s|%d", text, 7);
  case 'f': failing = 1; report_error(atoi(words[2]), "%s", text);
  case 'e': report_error(atoi(words[2]), "%s", text);
  case 'r': report_overrun(text);
  case 'l': leave(atoi(words[2]));
  case 'm': reallocate(NULL, SIZE_MAX / 8 + 1, 8); return 0;
  case 'h': allocate(SIZE_MAX / 2, 1); return 0;
  }
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    parts = ("base/report.c", "base/text.c", "base/memory.c")
    return build_harness(tmp_path_factory.mktemp("report"), HARNESS, parts)


def told(program, *words, closed=None) -> subprocess.CompletedProcess:
    """What it wrote and its exit code."""
    environment = {"ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1"}
    return subprocess.run(
        [program, *map(str, words)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=environment,
        check=False,
        preexec_fn=None if closed is None else lambda: os.close(closed),
    )


KINDS = {2: "description", 3: "load", 6: "storage", 7: "memory", 8: "kernel", 10: "script", 12: "beyond"}


@pytest.mark.parametrize(("code", "name"), KINDS.items())
def test_each_kind_of_error_has_its_name_and_exit_code(program, code, name):
    for size in (0, 1, 3):
        done = told(program, "e", code, size)
        assert done.stdout == f'{{"report":"error","kind":"{name}","message":"{"x" * size}"}}\n'.encode()
        assert done.returncode == code


def test_what_firmware_prints_goes_elsewhere(program):
    expected = b'{"report":"error","kind":"load","message":"xx|7"}\n'
    for closed in (None, 0):  # without a standard input the copy of the output has its number
        done = told(program, "o", 3, 2, closed=closed)
        assert (done.stdout, done.stderr) == (expected, b"firmware"), closed
    assert told(program, "o", 3, 2, closed=2).stdout == b"firmware" + expected, "there is nowhere else"


def test_a_long_message_is_cut_and_the_line_is_whole(program):
    """The longest path that Linux knows, with a backslash for each character, has room."""
    for size, character, kept in [(4094, "x", 4094), (4095, "x", 4095), (4096, "x", 4095), (5000, '"', 4095)]:
        done = told(program, "e", 3, size, character)
        assert json.loads(done.stdout)["message"] == character * kept
    ended = told(program, "e", 3, 4095, "\n")
    assert (
        ended.stdout == (b'{"report":"error","kind":"load","message":"' + rb"\u000a" * 4095)[:8992] + b"}\n"
    )
    assert told(program, "r", 0, 4095).stdout == b'{"report":"overrun","firmware":"' + b"x" * 4095 + b'"}\n'
    assert told(program, "r", 0, 5000).stdout == b'{"report":"overrun","firmware":"' + b"x" * 4960 + b"}\n"


def test_exit_codes_without_exit_handlers(program):
    done = told(program, "r", 0, 5)
    assert (done.returncode, done.stdout) == (4, b'{"report":"overrun","firmware":"xxxxx"}\n')
    for code in (0, 1, 12):
        done = told(program, "l", code)
        assert (done.returncode, done.stdout) == (code, b"")


def test_a_report_that_nobody_takes_ends_the_process_all_the_same(program):
    done = told(program, "f", 6, 5)
    assert (done.returncode, done.stdout) == (6, b"")


@pytest.mark.parametrize("how", ["m", "h"])
def test_no_memory_is_reported(program, how):
    done = told(program, how)
    assert done.returncode == 7
    assert json.loads(done.stdout)["message"] == "out of memory; run fewer simulations at a time"
