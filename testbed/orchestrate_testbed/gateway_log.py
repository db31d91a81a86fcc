# SPDX-License-Identifier: Apache-2.0
"""Reads the segments that `gateway/mote_log.py` writes.

They come from a gateway, so they may contain anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from orchestrate_testbed.gateway import protocol

CHUNK = re.compile(rb"@(\d{1,18}) (\d{1,18}) (\d{1,8})\n")
NOTE = re.compile(rb"!(\d{1,18}) (\d{1,18}) (\{[^\n]{0,65536}\})\n")


@dataclass(frozen=True)
class Chunk:
    """Bytes of the mote, read together."""

    gateway_us: int
    wall_us: int
    content: bytes


@dataclass(frozen=True)
class Note:
    """What happened to the port or to the log."""

    gateway_us: int
    wall_us: int
    what: dict[str, Any]


@dataclass(frozen=True)
class Torn:
    """The rest of a segment, which is no whole record: a crash cut it, or it was damaged."""

    content: bytes


def records(segment: bytes) -> Iterator[Chunk | Note | Torn]:
    """All records, in order; a `Torn` can only be the last one."""
    at = 0
    while at < len(segment):
        if found := CHUNK.match(segment, at):
            start, length = found.end(), int(found[3])
            if segment[start + length : start + length + 1] == b"\n":
                yield Chunk(int(found[1]), int(found[2]), segment[start : start + length])
                at = start + length + 1
                continue
        elif (found := NOTE.match(segment, at)) and (what := _object(found[3])) is not None:
            yield Note(int(found[1]), int(found[2]), what)
            at = found.end()
            continue
        yield Torn(segment[at:])
        return


def whole(torn: Torn) -> tuple[Chunk | None, int]:
    """Return the mote's bytes that a chunk which was cut still has, and how many it lacks, if it was one."""
    found = CHUNK.match(torn.content)
    if found is None:
        return None, 0
    content = torn.content[found.end() : found.end() + int(found[3])]
    return Chunk(int(found[1]), int(found[2]), content), int(found[3]) - len(content)


def _object(text: bytes) -> dict[str, Any] | None:
    try:
        return protocol.record(text)
    except ValueError:
        return None
