# SPDX-License-Identifier: Apache-2.0
"""The log's file: when its buffer is written, what becomes of writes that fail, how it is held back."""

from __future__ import annotations

import json
import os
import stat
import subprocess

import pytest
from engine_harness import build_harness

# Its arguments: a path, and what to do, in order. It says after each what the log and its file hold. The
# system calls are the test's: write() takes a byte less, is interrupted, or fails; the clock tells 1.75 s
# more with each look.
HARNESS = r"""
#include "base/log.h"
#include "base/memory.h"
#include "base/report.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static int slow, failing, looks;
ssize_t write(int file, const void *bytes, size_t count) {
  if(failing && file > 2) { errno = ENOSPC; return -1; }
  if(slow && slow++ % 2) { errno = EINTR; return -1; }
  return syscall(SYS_write, file, bytes, slow && count > 1 ? count - 1 : count);
}
ssize_t read(int file, void *bytes, size_t count) {
  static int reads;
  if(++reads > 1000) abort(); /* instead of for ever */
  if(slow && slow++ % 2) { errno = EINTR; return -1; }
  if(failing) { errno = EIO; return -1; }
  return syscall(SYS_read, file, bytes, count);
}
int clock_gettime(clockid_t clock, struct timespec *now) {
  *now = (struct timespec){10 + 2 * looks, 750000000 - 250000000 * looks};
  looks++;
  return clock == CLOCK_MONOTONIC ? 0 : -1;
}
int main(int count, char **words) {
  static char text[17 << 20];
  struct log log;
  int ends[2];
  size_t most = 0;
  for(int i = 2; i < count; i++) most = strtoul(words[i] + 1, NULL, 10) > most ? strtoul(words[i] + 1, NULL, 10) : most;
  for(size_t i = 0; i < most; i++) text[i] = (char)('a' + i % 23);
  if(pipe(ends)) return 1;
  for(int i = 2; i < count; i++) {
    size_t size = strtoul(words[i] + 1, NULL, 10);
    struct stat status;
    switch(words[i][0]) {
    case 'o': log_open(&log, words[1], size); break;
    case 'h': log_hold(&log, words[1], size, ends[0]); break;
    case 'p': if(syscall(SYS_write, ends[1], "", 1) != 1) return 1; break;
    case 'x': close(ends[1]); break;
    case 'a': log_append(&log, text, size); break;
    case 'r': log_reserve(&log, size); break;
    case 'f': errno = EINTR; printf("%d ", log_flush(&log)); break;
    case 'z': close(0); break;
    case 's': slow = 1; break;
    case 'd': failing = 1; break;
    case 'c': log.file = -1; break;
    case 'g':
      memset(text, '#', 40);
      printf("(%zu %.20s) ", log_read(&log, size, text, 10), text);
      memset(text, '#', 40);
      break;
    case 't': printf("%g ", log.held_s); break;
    case 'l': printf("%" PRIu64 " ", log.limit); break;
    case 'e': printf("%d ", fcntl(log.file, F_GETFD) & FD_CLOEXEC); break;
    }
    if(strchr("oharf", words[i][0])) {
      if(stat(words[1], &status)) printf("-");
      else printf("%lld", (long long)status.st_size);
      printf("/%" PRIu64 " ", log_position(&log));
    }
    fflush(stdout);
  }
  free(log.buffer);
}
"""  # noqa: E501
PARTS = ("base/log.c", "base/memory.c", "base/report.c", "base/text.c")
BUFFER, HELD = 256 * 1024, 16 << 20  # bytes


def text(*sizes: int) -> bytes:
    """What is appended by these steps."""
    letters = b"abcdefghijklmnopqrstuvw"
    return b"".join((letters * (size // len(letters) + 1))[:size] for size in sizes)


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    return build_harness(tmp_path_factory.mktemp("log"), HARNESS, PARTS)


@pytest.fixture
def steps(program, tmp_path):
    """steps("o0", ...) -> what it said, its exit code, and the file's content."""

    def steps(*words: str, path=tmp_path / "log") -> tuple[str, int, bytes | None]:
        environment = {"ASAN_OPTIONS": "detect_leaks=0"}
        other = tmp_path / "input"
        other.write_text("not the log")
        with other.open("rb") as stdin:
            done = subprocess.run(
                [program, path, *words], stdin=stdin, capture_output=True, env=environment, check=False
            )
        return done.stdout.decode().strip(), done.returncode, path.read_bytes() if path.exists() else None

    return steps


def test_it_is_written_when_the_buffer_is_full(steps):
    """After each step: the bytes in the file, and the position in the log."""
    full = BUFFER
    assert (
        steps("o0", "a10", f"a{full - 11}", "a1", "a5", "f")[0]
        == f"0/0 0/10 0/{full - 1} {full}/{full} {full}/{full + 5} 1 {full + 5}/{full + 5}"
    )  # noqa: E501
    said, code, content = steps("o0", "a7", f"a{2 * full + 1}", "a3", "f")
    assert (
        said
        == f"0/0 0/7 {2 * full}/{2 * full + 8} {2 * full}/{2 * full + 11} 1 {2 * full + 11}/{2 * full + 11}"
    )
    assert (code, content) == (0, text(7, 2 * full + 1, 3))
    assert steps("o0", "a0", "f")[0] == "0/0 0/0 1 0/0"


def test_what_is_reserved_is_written_together(steps):
    left = 10
    for size, kept in ((left - 1, True), (left, True), (left + 1, False)):
        before = BUFFER - left
        said = steps("o0", f"a{before}", f"r{size}", "a1")[0]
        written = 0 if kept else before
        assert said == f"0/0 0/{before} {written}/{before} {written}/{before + 1}", size


def test_a_write_that_is_interrupted_or_short_goes_on(steps):
    said, code, content = steps("o0", "s", "a30", "f", "a2", "f")
    assert (said, code) == ("0/0 0/30 1 30/30 30/32 1 32/32", 0)
    assert content == text(30, 2)


def test_a_disk_that_is_full_is_reported(steps):
    assert steps("o0", "a5", "d", "f", "f")[:2] == ("0/0 0/5 0 0/0 0 0/0", 0)
    for step in (f"a{BUFFER}", f"r{BUFFER}"):
        said, code, content = steps("o0", "a5", "d", step)
        assert (code, content) == (6, b"")
        assert (
            json.loads(said.partition("0/5 ")[2])["message"] == "can't write the log: No space left on device"
        )


def test_a_log_that_can_t_be_created_is_reported(steps, tmp_path):
    missing = tmp_path / "missing" / "log"
    said, code, _ = steps("o0", path=missing)
    assert code == 6
    message = json.loads(said)["message"]
    assert message == f"can't create the log {missing}: No such file or directory"


def test_an_older_log_is_replaced_and_belongs_to_whom_the_umask_says(steps, tmp_path):
    path = tmp_path / "log"
    path.write_bytes(b"old" * 50)
    before = os.umask(0o022)
    try:
        said, _, content = steps("o0", "e", "a3", "f")
        assert (said, content) == ("0/0 1 0/3 1 3/3", text(3))
        path.unlink()
        os.umask(0)
        steps("o0")
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666


def test_what_is_written_can_be_read_back(steps):
    said, *_ = steps("o0", "a25", "g0", "f", "g0", "g20", "g24", "g25", "g99", "c", "g0")
    read = ["", "abcdefghij", "uvwab", "b", "", "", ""]  # of room for ten bytes of twenty
    first, *others = [f"({len(one)} {one:#<20})" for one in read]
    assert said == f"0/0 0/25 {first} 1 25/25 {' '.join(others)}"


def test_its_limit(steps, tmp_path):
    assert steps("o0", "l")[0] == f"0/0 {2**64 - 1}"
    assert steps("o1", "l")[0] == "0/0 1"
    assert steps("h5000", "l", path=tmp_path / "held")[0] == "-/0 5000"


def test_no_file_is_taken_for_the_log_s(steps, tmp_path):
    """A log that is held back can't be read yet; the first file of a process has the number 0."""
    assert steps("h0", "a3", "g0", path=tmp_path / "held")[0] == f"-/0 -/3 (0 {'#' * 20})"
    assert steps("z", "o0", "a3", "f")[0] == "0/0 0/3 1 3/3"


def test_a_log_that_is_held_back_is_made_when_it_is_released(steps):
    """It is buffered until then, and after that as any other; the time that it waits is told."""
    said, code, content = steps("h0", "a5", f"a{HELD - 6}", "p", "a1", f"a{BUFFER - 1}", "a1", "t")
    assert said == (
        f"-/0 -/5 -/{HELD - 1} {HELD}/{HELD} {HELD}/{HELD + BUFFER - 1} {HELD + BUFFER}/{HELD + BUFFER} 1.75"
    )
    assert (code, content) == (0, text(5, HELD - 6, 1, BUFFER - 1, 1))
    assert steps("h0", "a5", "p", "f", "f", "t")[0].endswith("1 5/5 1 5/5 1.75")
    assert steps("h0", "a5", "p", "s", "f", "t")[0].endswith("1 5/5 1.75"), "interrupted"


def test_a_log_that_nobody_wants_is_not_made(steps, tmp_path):
    assert steps("h0", "a5", "x", "f") == ("-/0 -/5", 8, None)
    assert steps("h0", "a5", "p", "d", "f") == ("-/0 -/5", 8, None), "the pipe can't be read"
    said, code, _ = steps("h0", "a5", "p", "f", f"a{BUFFER}", path=tmp_path / "missing" / "log")
    assert said.startswith("-/0 -/5 0 -/0 {") and "can't write the log: No such file or directory" in said
    assert code == 6
