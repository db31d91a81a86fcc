# SPDX-License-Identifier: Apache-2.0
"""Values over time for motes' attributes, from a CSV file or a Python function."""

from __future__ import annotations

import heapq
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from orchestrator.errors import NoSuchThing, WrongUsage
from orchestrator.features.cosimulation.attributes import EVENTS, WRITTEN, Attributes
from orchestrator.live import call, time_us
from orchestrator.topology.csv_rows import content, rows
from orchestrator.vocabulary.faults import Faults

if TYPE_CHECKING:
    from orchestrator.live import Live, Output

US = 1_000_000  # in a second

_MOST_BYTES = 256 << 20
_HEAD = "begin it with time,ATTRIBUTE,... or time,mote,ATTRIBUTE,..."
Change = tuple[int, int, dict[str, Any]]  # time in us, mote, values


@dataclass(frozen=True)
class Source:
    """Changes of attributes in the order of their times, for a simulation with these motes."""

    changes: Callable[[Sequence[int], Attributes, int, int], Iterator[Change]]  # from and before these us
    name: str = field(default="", compare=False)


def from_csv(path: str | os.PathLike) -> Source:
    """Return the values in a file with the columns time (s, or with a unit), mote and one for each attribute.

    A value holds from its row's time on; an empty field changes nothing. Rows without a mote, and files
    without that column, are for all motes. The file is read when it is used; then every fault of it is
    raised (FaultyInput), each with its line.
    """
    file = Path(path)
    return Source(lambda motes, attributes, *_: iter(_read(file, motes, attributes)), str(file))


def from_function(
    function: Callable[[int, float], Any],
    attribute: str,
    every: int | str,
    motes: Iterable[int] | None = None,
    limit_s: float | None = 60.0,
) -> Source:
    """Return what `function(mote, time in s)` gives, for each mote at each multiple of `every`.

    `every`: us, or a text with a unit such as "10 s". `motes`: None for all. None as a value changes nothing.
    What the function raises ends drive(), with a note; CallbackHung if it doesn't return in `limit_s` seconds
    of real time. Raises WrongUsage.
    """
    period_us = time_us(every)
    if period_us < 1:
        raise WrongUsage(f"{every!r}: a period is at least 1 us")
    name = getattr(function, "__name__", "the function")

    def changes(
        all_motes: Sequence[int], _attributes: Attributes, begin_us: int, end_us: int
    ) -> Iterator[Change]:
        chosen = sorted(all_motes if motes is None else motes)
        for at_us in range(begin_us // period_us * period_us, end_us, period_us):
            for mote in chosen:
                try:
                    value = call(name, function, mote, at_us / US, limit_s=limit_s)
                except Exception as error:
                    error.add_note(f"It was called for {attribute} of mote {mote} at {at_us / US:g} s.")
                    raise
                if value is not None:
                    yield at_us, mote, {attribute: value}

    return Source(changes, name)


def drive(
    simulation: Live,
    until: int | str,
    sources: Iterable[Source],
    quantities: Mapping[str, str],
) -> list[Output]:
    """Let a simulation go on until a time while sources set attributes; return what listened motes printed.

    `quantities` are as those of Attributes. What is due at a time is set before the simulation's own events
    of that time. Of what was due before now, values hold, and events (`serial`, `click`) are over. Raises
    what Attributes and the sources raise, and live.SimulationEnded.
    """
    begin_us, end_us = simulation.now_us, time_us(until)
    attributes = Attributes(simulation, quantities)
    motes = sorted(simulation.motes)
    outputs: list[Output] = []
    feeds = [source.changes(motes, attributes, begin_us, end_us) for source in sources]
    for at_us, mote, values in heapq.merge(*feeds, key=lambda change: change[0]):
        if at_us >= end_us:
            break
        if at_us > simulation.now_us:
            outputs += simulation.step(at_us)
        if at_us < begin_us:
            values = {name: value for name, value in values.items() if name not in EVENTS}
        attributes.write(mote, values)
    return outputs + simulation.step(end_us)


def _read(file: Path, motes: Sequence[int], attributes: Attributes) -> list[Change]:
    """Return the changes in a file, by their times. Raises FaultyInput and NoSuchThing."""
    faults = Faults(str(file))
    if not file.is_file():
        raise NoSuchThing(f"{file}: no such file")
    data = content(file, _MOST_BYTES, faults)
    if len(data) > _MOST_BYTES:
        faults.add(0, f"more than {_MOST_BYTES >> 20} MiB", "split it, or use from_function")
        faults.raise_any()
    known = ("time", "mote", *attributes.quantities, *WRITTEN)
    changes: list[Change] = []
    last_us = 0
    for line, row in rows(data.decode("utf-8-sig", "replace"), known, 1, "values", _HEAD, faults):
        at_us = _time(row.pop("time"), line, faults)
        if at_us is not None and at_us < last_us:
            faults.add(line, "the time goes back", "sort the rows by time")
        last_us = max(last_us, at_us or 0)
        chosen = _motes(row.pop("mote", ""), motes, line, faults)
        values = {name: _value(name, text, attributes, line, faults) for name, text in row.items() if text}
        if values and at_us is not None:
            changes += [(at_us, mote, values) for mote in chosen]
    faults.raise_any()
    return changes


def _time(text: str, line: int, faults: Faults) -> int | None:
    try:
        plain = float(text)
    except ValueError:
        plain = None
    try:
        return time_us(text if plain is None else round(plain * US))
    except (WrongUsage, ValueError, OverflowError):
        faults.add(line, f"{text[:40]!r} is no time", "write seconds from the start, such as 12.5, or 2 min")
        return None


def _motes(text: str, motes: Sequence[int], line: int, faults: Faults) -> Sequence[int]:
    if not text:
        return motes
    if text.isdecimal() and int(text) in motes:
        return [int(text)]
    faults.add(line, f"no mote {text[:40]!r}", "write the id of a mote, or nothing for all")
    return []


def _value(name: str, text: str, attributes: Attributes, line: int, faults: Faults) -> Any:
    if name == "serial":
        return text
    quantity = attributes.quantities.get(name)
    try:
        value = text if quantity and quantity.format.endswith("s") else float(text)
        if quantity:
            quantity.raw_of(value)
    except (ValueError, WrongUsage):
        faults.add(
            line, f"{text[:40]!r} is no number for {name}", "write a number, or nothing to change nothing"
        )
        return None
    return value
