# SPDX-License-Identifier: Apache-2.0
"""Merges the logs of a run's motes into one in Cooja's form and the controller's time.

It also says what the log lacks.

A line's time is that of its end. The bytes after it in the same read took their time on the serial line: 10
bits each (8N1) at its rate. The line came that much earlier than the read, but not before the previous read.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from orchestrate_testbed.clock_fit import ClockFit
from orchestrate_testbed.gateway_log import Chunk, Note, Torn, records, whole
from orchestrate_testbed.serial_text import texts
from orchestrate_testbed.untrusted import shown

BITS_PER_BYTE = 10
CLOSED = ("gone", "lent", "closed")


@dataclass
class Gap:
    """A time in which nobody listened to a mote, by the gateway's clock; `until` None: to the end."""

    from_us: int
    until_us: int | None
    why: str


@dataclass
class MoteLines:
    """What the log has of a mote, and what it lacks."""

    name: str
    lines: int = 0
    bytes: int = 0
    torn_lines: int = 0  # lines that lack their beginning or their end; not in the log
    torn_bytes: int = 0
    lost_lines: int = 0  # bytes that the gateway's disk didn't take
    lost_bytes: int = 0
    cut_bytes: int = 0  # bytes that a segment's last record lacks
    unwritten: int = 0  # bytes of the log that the gateway's disk never took
    damaged_bytes: int = 0  # bytes of segments that are no records
    timeless: int = 0  # lines at a time that no clock fit knows; not in the log
    restarts: int = 0  # restarts of the daemon
    gaps: list[Gap] = field(default_factory=list)

    def missing(self) -> list[str]:
        """Return a sentence for each thing that is missing; none if the log has all that the mote said."""
        found = []
        if self.torn_lines:
            found.append(f"{self.torn_lines} lines of {self.name} are torn ({self.torn_bytes} bytes)")
        if self.lost_bytes:
            lost = f"{self.lost_bytes} bytes of {self.name} ({self.lost_lines} line ends)"
            found.append(f"{lost} were lost, as the gateway's disk was full")
        if self.unwritten:
            found.append(f"the last {self.unwritten} bytes of {self.name}'s log found no room on its disk")
        if self.cut_bytes:
            found.append(f"at least {self.cut_bytes} bytes of {self.name} are missing where its log was cut")
        if self.damaged_bytes:
            found.append(f"{self.damaged_bytes} bytes of {self.name}'s log on the gateway are damaged")
        if self.timeless:
            found.append(f"{self.timeless} lines of {self.name} have no time: its clock was never measured")
        if self.restarts:
            found.append(
                f"the gateway's daemon was started again {self.restarts} times while {self.name} ran"
            )
        for gap in self.gaps:
            end = "to the end" if gap.until_us is None else f"for {(gap.until_us - gap.from_us) / 1e6:.3f} s"
            found.append(f"nobody listened to {self.name} {end}: {shown(gap.why)}")
        return [f"{each[0].upper()}{each[1:]}." for each in found]


@dataclass(frozen=True)
class Source:
    """One mote: its number in the log, its segments in order, its gateway's clock.

    `flashed`: how often a tool had its port before the run; output from before the last time is other
    firmware's and is left out. `starts_flashed`: the mote runs from then on, so that all later output is of
    the run, also if the clocks' error puts it before the run's start.
    """

    mote: str
    id: int
    segments: tuple[Path, ...]
    clocks: tuple[ClockFit, ...]
    unwritten: int = 0  # of `Collected`
    flashed: int = 0
    starts_flashed: bool = False


def merged(sources: Iterable[Source], epoch_us: int, log: Path) -> dict[str, MoteLines]:
    """Write the log with time 0 at `epoch_us` of the controller.

    Earlier lines belong to no run and are left out.
    """
    told = {source.mote: MoteLines(source.mote, unwritten=source.unwritten) for source in sources}
    streams = [_timed(source, told[source.mote], epoch_us) for source in sources]
    with log.open("w", encoding="utf-8", newline="\n") as file:
        for time, number, text in heapq.merge(*streams, key=lambda line: line[:2]):
            file.write(f"{time}\tID:{number}\t{text}\n")
    return told


def _timed(source: Source, told: MoteLines, epoch_us: int) -> Iterator[tuple[int, int, str]]:
    latest = 0
    for gateway_us, boot, line in lines(source.segments, told, source.flashed):
        fit = next((fit for fit in source.clocks if fit.boot == boot), None)
        if fit is None:
            told.timeless += 1
            continue
        time = round(fit.controller_us(gateway_us)) - epoch_us
        if time < 0 and not source.starts_flashed:
            continue
        latest = max(latest, time)  # two boots' fits may disagree by their errors; the order is certain
        for text in texts(line):
            told.lines += 1
            yield latest, source.id, text


def lines(segments: Iterable[Path], told: MoteLines, flashed: int = 0) -> Iterator[tuple[int, str, bytes]]:
    """Yield (the gateway's time, its boot, line without end) of one mote, in order, once it was `flashed`."""
    reader = _Lines(told, flashed)
    for number, segment in enumerate(segments):
        if number:
            told.restarts += 1
            reader.interrupted()
        for record in records(segment.read_bytes()):
            if isinstance(record, Torn):
                chunk, missing = whole(record)
                told.damaged_bytes += 0 if chunk else len(record.content)
                told.cut_bytes += missing
                yield from reader.chunk(chunk) if chunk else ()
            elif isinstance(record, Note):
                reader.note(record)
            else:
                yield from reader.chunk(record)
    reader.tear()


class _Lines:
    """Cuts a mote's bytes into lines, across all events that may come between."""

    def __init__(self, told: MoteLines, flashed: int):
        self._told = told
        self._before = flashed  # how often it will be flashed before anything counts
        self._rest = b""
        self._doubtful = False  # whether the next line may lack its beginning
        self._before_us = 0
        self._baud = 0
        self._boot = ""
        self._before_wall_us = 0
        self._gap: Gap | None = None
        self._down: tuple[int, int] | None = None  # when the last segment ended, both clocks

    def chunk(self, chunk: Chunk) -> Iterator[tuple[int, str, bytes]]:
        if self._before:
            return
        told = self._told
        told.bytes += len(chunk.content)
        found = chunk.content.split(b"\n")
        behind = len(chunk.content)
        for number, part in enumerate(found[:-1]):
            behind -= len(part) + 1
            line = self._rest + part if number == 0 else part
            if self._doubtful and not line.startswith(b"!"):
                told.torn_lines += 1
                told.torn_bytes += len(line)
            else:
                yield self._time(chunk.gateway_us, behind), self._boot, line
            self._doubtful = False
        self._rest = self._rest + found[-1] if len(found) == 1 else found[-1]
        self._before_us, self._before_wall_us = chunk.gateway_us, chunk.wall_us

    def note(self, note: Note) -> None:
        event = note.what.get("event")
        if self._before and event != "open":
            self._before -= event == "lent"
            return
        if self._down is not None:
            since, wall = self._down
            gap = Gap(since, since + max(0, note.wall_us - wall), "its gateway's daemon was down")
            self._told.gaps.append(gap)
            self._down = None
        if event == "open":
            self._baud = _number(note.what.get("baud"))
            self._boot = str(note.what.get("boot", ""))
            self._before_us, self._before_wall_us = note.gateway_us, note.wall_us
            if self._gap is not None:
                self._gap.until_us = note.gateway_us
                self._gap = None
        elif event in CLOSED:
            self.tear()
            if event != "closed" and self._gap is None:
                why = "a tool had its port" if event == "lent" else str(note.what.get("why", ""))
                self._gap = Gap(note.gateway_us, None, why)
                self._told.gaps.append(self._gap)
        elif event == "lost":
            self._told.lost_bytes += _number(note.what.get("bytes"))
            self._told.lost_lines += _number(note.what.get("lines"))
            self.tear()
            self._doubtful = True

    def interrupted(self) -> None:
        """Note that the daemon died while the mote went on."""
        self.tear()
        self._doubtful = True
        if self._gap is None:
            self._down = (self._before_us, self._before_wall_us)
        self._before_us = 0

    def tear(self) -> None:
        """End the line that has begun: its end doesn't come."""
        if self._rest:
            self._told.torn_lines += 1
            self._told.torn_bytes += len(self._rest)
            self._rest = b""

    def _time(self, read_us: int, behind: int) -> int:
        took = behind * BITS_PER_BYTE * 1000000 // self._baud if self._baud else 0
        return max(self._before_us, read_us - took)


def _number(value: object) -> int:
    return value if isinstance(value, int) and 0 <= value < 1 << 62 else 0
