# SPDX-License-Identifier: Apache-2.0
"""Reads log files as blocks of whole lines, in bounded memory, whatever the files hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from orchestrate_spark.log_format import MAX_LINE

BLOCK = 8 << 20  # bytes of text parsed at once: enough for vector operations, little of an executor's memory
_GOOD = bytes([9, 10, *range(32, 127)])


@dataclass
class Chunk:
    """Whole lines of one log, but for the last line's end.

    `log`: its place in the caller's list. `first_line`: the first one, from 1. `content`: UTF-8, with U+FFFD
    in place of bytes that are none.
    """

    log: int
    first_line: int
    content: bytes
    clean: bool  # nothing but printable ASCII, tabs and line feeds


@dataclass
class Found:
    """Damage found before a line could be parsed: (log, reason, line, sample)."""

    rows: list[tuple[int, str, int, str]] = field(default_factory=list)
    bytes: dict[int, int] = field(default_factory=dict)

    def add(self, log: int, reason: str, line: int, sample: bytes | str) -> None:
        text = sample.decode("utf-8", "replace") if isinstance(sample, bytes) else sample
        self.rows.append((log, reason, line, text))


def blocks(paths: Iterable[Path], found: Found, block: int = BLOCK) -> Iterator[list[Chunk]]:
    """Yield chunks of all files in order, about `block` bytes at a time; damage goes to `found`."""
    waiting: list[Chunk] = []
    size = 0
    for log, path in enumerate(paths):
        for chunk in _chunks(log, path, found, block):
            waiting.append(chunk)
            size += len(chunk.content)
            if size >= block:
                yield waiting
                waiting, size = [], 0
    if waiting:
        yield waiting


def _chunks(log: int, path: Path, found: Found, block: int) -> Iterator[Chunk]:
    found.bytes[log] = 0
    line, rest, skipping = 1, b"", False
    try:
        with open(path, "rb") as stream:
            while data := stream.read(block):
                found.bytes[log] += len(data)
                if skipping:  # inside a line that was given up
                    _, end, data = data.partition(b"\n")
                    if not end:
                        continue
                    skipping, line = False, line + 1
                body, end, tail = data.rpartition(b"\n")
                if end:
                    body = rest + body
                    count = body.count(b"\n") + 1
                    clean = not body.translate(None, _GOOD)
                    content = body if clean else body.decode("utf-8", "replace").encode()
                    yield Chunk(log, line, content, clean)
                    line, rest = line + count, tail
                else:
                    rest += tail
                if len(rest) > max(block, MAX_LINE):
                    found.add(log, "long", line, rest[:200])
                    rest, skipping = b"", True
    except OSError as error:
        found.add(log, "log", line, f"{path.name}: {error.strerror or error}")
        return
    if rest:
        found.add(log, "cut", line, rest[:200])
