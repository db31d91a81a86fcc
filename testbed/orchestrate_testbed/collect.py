# SPDX-License-Identifier: Apache-2.0
"""Fetches the logs of a run from a gateway into a folder, as often as needed; it goes on where it ended.

Only we name what lies in the folder, and files are opened without following links, so that no gateway can
write anywhere else.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from orchestrate_testbed.client import Daemon, Segment, Unreliable
from orchestrate_testbed.gateway import protocol

MOST = 8 << 30  # bytes of one gateway's logs of one run


@dataclass(frozen=True)
class Collected:
    """What was fetched from one gateway."""

    segments: dict[str, tuple[Path, ...]]  # by mote, in order
    fetched: int  # bytes, this time
    unwritten: dict[str, int]  # bytes that the gateway's disk never took, by mote
    shrunk: tuple[str, ...] = ()  # files of which the gateway has less than it once gave


def collect(
    daemon: Daemon,
    run: str,
    folder: Path,
    motes: frozenset[str] | None = None,
    stage: Callable[[str, int], None] = lambda mote, fetched: None,
    most: int = MOST,
) -> Collected:
    """Fetch all that is new in the logs of the motes (None: of all that the gateway has)."""
    folder.mkdir(parents=True, exist_ok=True)
    place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    found: dict[str, tuple[Path, ...]] = {}
    fetched, shrunk = 0, []
    try:
        for one in daemon.segments(run):
            if motes is not None and one.mote not in motes:
                continue
            came = _segment(daemon, run, one, place, most - fetched)
            if came is None:
                shrunk.append(one.file)
            else:
                fetched += came
            stage(one.mote, fetched)
            found[one.mote] = (*found.get(one.mote, ()), folder / one.file)
    finally:
        os.close(place)
    return Collected(found, fetched, daemon.unwritten(run), tuple(shrunk))


def _segment(daemon: Daemon, run: str, one: Segment, place: int, most: int) -> int | None:
    """Return the bytes that came; None if the gateway has less than is here. `place`: the folder."""
    mote, number, size = one
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(one.file, flags, 0o644, dir_fd=place), "r+b", buffering=0) as file:
        have = os.fstat(file.fileno()).st_size
        if size < have:
            return None
        digest = hashlib.sha256()
        while part := file.read(1 << 20):
            digest.update(part)
        at = have
        while at < size:
            part = daemon.fetch(run, mote, number, at, min(protocol.MOST_FETCHED, size - at))
            if not part:
                raise Unreliable(daemon.name, "short", f"its log of {mote} ends before the size that it told")
            most -= len(part)
            if most < 0:
                raise Unreliable(daemon.name, "endless", f"its logs of run {run} are larger than any may be")
            file.write(part)
            digest.update(part)
            at += len(part)
        # The whole file, so that a copy that was begun on another day is checked, too. If nothing is new,
        # nothing is asked.
        if at > have and daemon.digest(run, mote, number, at) != digest.hexdigest():
            file.truncate(have)  # what came before stays
            text = f"its log of {mote} isn't the one of which {have} bytes had come before ({one.file})"
            raise Unreliable(daemon.name, "checksum", text)
    return at - have
