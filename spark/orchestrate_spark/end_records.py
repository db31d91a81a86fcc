# SPDX-License-Identifier: Apache-2.0
"""Finds motes that did not live through a run, by its log alone, whichever engine or testbed wrote it.

A mote with counters of the routing layer, or a record `node`, prints them when the run is over: where one
mote has printed them, each mote has to. A mote that printed `die` and no `rev` after it owes nothing, as the
scenario killed it; neither does one that printed nothing where others print jobs of tasks (`job`), as it may
be no node of their system. A mote that printed the banner of Contiki-NG's boot again, or began a run or its
numbering of events anew, has booted in the middle of the run, unless it printed `die` or `rev`.

Logs are searched in memory that maps their files, without a look at each line: a run of a simulator may take
less time than that.
"""

from __future__ import annotations

import mmap
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

_OWED = (b"\t!node,", b"\t!cnt,packets_received,")  # who prints one of these shows that motes of the run do
_ENOUGH = (b"\t!node,", b"\t!cnt,", b"\t!run,end,")
_ONCE = (b"\t!run,init,", b"\t!run,start,")  # the control node prints each once
_BANNER = b"Starting Contiki-NG-"
_SETTLED_US = 5_000_000  # a board may boot twice as it is flashed and its port is opened
_HEAD, _LONGEST = 40, 4096  # bytes: time and mote of a line are shorter, and a line without its end


@dataclass(frozen=True)
class Unfinished:
    """A mote that did not live through the run, and a clause that says what shows it (`has ...`)."""

    mote: int
    why: str


def unfinished(log: Path, motes: Collection[int], sequences: bool = True) -> list[Unfinished]:
    """Return the motes that did not live through the run of a log. Raises OSError.

    `motes`: those of the run. `sequences`: look at the numbers of published events, too, which takes longest.
    """
    with log.open("rb") as stream:
        if stream.seek(0, 2) == 0:
            return []
        with mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as text:
            return _unfinished(text, set(motes), sequences)


def _unfinished(text: mmap.mmap, motes: set[int], sequences: bool) -> list[Unfinished]:
    killed, revived = _last(text, b"\t!die,"), _last(text, b"\t!rev,")
    found: dict[int, str] = {}
    if any(text.find(owed) >= 0 for owed in _OWED):
        printed = {mote for record in _ENOUGH for _, mote, _ in _lines(text, record)}
        tasks = text.find(b"\t!job,") >= 0
        for mote in motes - printed:
            if tasks and text.find(b"\tID:%d\t" % mote) < 0:
                continue
            if killed.get(mote, -1) <= revived.get(mote, -1):
                found[mote] = "has none of the records of the run's end, which others have"
    planned = killed.keys() | revived.keys()
    for mote, time_us in _booted(text, sequences):
        if mote in motes and mote not in planned:
            found.setdefault(mote, f"has booted in the middle of the run, at {time_us / 1e6:.3f} s")
    return [Unfinished(mote, why) for mote, why in sorted(found.items())]


def _booted(text: mmap.mmap, sequences: bool) -> Iterator[tuple[int, int]]:
    """Yield motes that booted in the middle of the run, each with a time at which it had, us."""
    for record in (_BANNER, *_ONCE):
        first: dict[int, int] = {}
        for time_us, mote, _ in _lines(text, record):
            if time_us - first.setdefault(mote, time_us) > _SETTLED_US:
                yield mote, time_us
    if not sequences:
        return
    latest: dict[
        tuple[int, bytes], tuple[int, int]
    ] = {}  # mote, subject and publisher: first and last number
    for time_us, mote, rest in _lines(text, b"\t!pub,"):
        subject, publisher, number = [*rest.split(b",")[:3], b"", b"", b""][:3]
        if not number.isdigit():
            continue
        begun, last = latest.get((mote, subject + b"," + publisher), (int(number), int(number)))
        if begun == int(number) < last:
            yield mote, time_us
        latest[mote, subject + b"," + publisher] = begun, int(number)


def _last(text: mmap.mmap, record: bytes) -> dict[int, int]:
    """Return the time of each mote's last record of this kind, us."""
    return {mote: time_us for time_us, mote, _ in _lines(text, record)}


def _lines(text: mmap.mmap, what: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Yield time, mote and the rest of each line that has these bytes; after a tab they begin its text."""
    at = text.find(what)
    while at >= 0:
        begin = text.rfind(b"\n", max(0, at - _LONGEST), at) + 1
        head = text[begin:at].split(b"\t", 2)
        end = text.find(b"\n", at)
        end = len(text) if end < 0 else end
        if len(head) == 2 or (len(head) == 3 and not what.startswith(b"\t")):
            time, who = head[:2]
            if time.isdigit() and who.startswith(b"ID:") and who[3:].isdigit() and len(time + who) < _HEAD:
                yield int(time), int(who[3:]), text[at + len(what) : end]
        at = text.find(what, end)
