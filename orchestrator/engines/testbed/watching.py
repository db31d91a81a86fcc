# SPDX-License-Identifier: Apache-2.0
"""A run on a testbed while it goes on: logs come in, clocks are compared, connections that break are opened
again.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from orchestrate_testbed.client import ClockPair, Refused
from orchestrate_testbed.clock_fit import ClockFit, fitted
from orchestrate_testbed.collect import collect
from orchestrate_testbed.errors import LabError
from orchestrate_testbed.gateway_log import Note, records
from orchestrate_testbed.merge import MoteLines, Source, merged
from orchestrate_testbed.model import Mote
from orchestrate_testbed.ssh import together

from orchestrator.engines.testbed.verdict import said
from orchestrator.testbed.gateways import AtGateway

CLOCK_QUESTIONS = 8  # in a row, of which the least delayed one counts


@dataclass
class Watched:
    """One gateway of a run. `errors`: why it could not be asked, the last ones."""

    place: AtGateway
    motes: dict[int, Mote]  # by id
    folder: Path
    pairs: list[ClockPair] = field(default_factory=list)
    segments: dict[str, tuple[Path, ...]] = field(default_factory=dict)
    unwritten: dict[str, int] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    complete: bool = False  # everything that it had of the run is here

    def fits(self) -> tuple[ClockFit, ...]:
        return tuple(fitted(self.pairs)) if self.pairs else ()


class Watch:
    """The gateways of one run, by name."""

    def __init__(self, run: str, gateways: Mapping[str, Watched]):
        self.run, self.gateways = run, gateways
        self._seen: dict[Path, int] = {}

    def open(self) -> None:
        """Begin to log every mote. Raises LabError if one can't be."""
        for one in self._each(self._open):
            if isinstance(one, LabError):
                raise one

    def _open(self, watched: Watched) -> None:
        for mote in watched.motes.values():
            watched.place.daemon.open(self.run, mote.name, watched.place.device(mote), mote.baud)
        self._ask_time(watched)

    def look(self, logs: bool) -> None:
        """Compare clocks; fetch what is new in the logs, if wanted. What fails is tried again next time."""

        def one(watched: Watched) -> None:
            try:
                self._ask_time(watched)
                if logs:
                    self._fetch(watched)
            except LabError as error:
                watched.errors = [*watched.errors[-9:], str(error)]
                watched.place.disconnect()

        self._each(one)

    def close(self, patience_s: float) -> None:
        """Fetch everything, end the logging, and leave nothing of the run on the gateways.

        A gateway that doesn't answer is tried again for `patience_s` s.
        """
        until = time.monotonic() + patience_s

        def one(watched: Watched) -> None:
            while True:
                try:
                    self._ask_time(watched)
                    watched.place.daemon.close(self.run)
                    self._fetch(watched)
                    watched.complete = True
                    watched.place.daemon.remove(self.run)
                    return
                except Refused as refused:
                    watched.errors.append(str(refused))
                    return
                except LabError as error:
                    watched.errors = [*watched.errors[-9:], str(error)]
                    watched.place.disconnect()
                    if time.monotonic() > until:
                        return
                    time.sleep(1)

        self._each(one)

    def heard(self, lines: Iterable[str | None]) -> bool:
        """Whether a mote has said one of these since the last call."""
        wanted = [line for line in lines if line is not None]
        found = False
        for watched in self.gateways.values():
            for segments in watched.segments.values():
                for segment in segments:
                    size, before = segment.stat().st_size, self._seen.get(segment, 0)
                    if size > before:
                        self._seen[segment] = size
                        found = found or any(said(segment, line, before) for line in wanted)
        return found

    def merge(self, epoch_us: int, log: Path) -> dict[int, MoteLines]:
        """Write one log of all motes, in the controller's time from `epoch_us`; what it lacks, by mote id."""
        sources = [
            Source(
                mote.name,
                number,
                segments,
                watched.fits(),
                watched.unwritten.get(mote.name, 0),
                flashings(segments),
            )
            for watched in self.gateways.values()
            for number, mote in watched.motes.items()
            for segments in [watched.segments.get(mote.name, ())]
        ]
        told = merged(sources, epoch_us, log)
        return {
            number: told[mote.name]
            for watched in self.gateways.values()
            for number, mote in watched.motes.items()
        }

    def clock_error_us(self) -> int:
        """The most by which times of two gateways are wrong to each other."""
        errors = sorted(
            max((fit.error_us for fit in watched.fits()), default=0.0) for watched in self.gateways.values()
        )
        return round(sum(errors[-2:]))

    def _ask_time(self, watched: Watched) -> None:
        pairs = [watched.place.daemon.clock() for _ in range(CLOCK_QUESTIONS)]
        watched.pairs += [pair for pair in pairs if pair.boot == pairs[-1].boot]

    def _fetch(self, watched: Watched) -> None:
        names = frozenset(mote.name for mote in watched.motes.values())
        got = collect(watched.place.daemon, self.run, watched.folder, names)
        watched.segments, watched.unwritten = dict(got.segments), dict(got.unwritten)

    def _each(self, work) -> list:  # noqa: ANN001
        return together(self.gateways.values(), work)


def flashings(segments: Iterable[Path]) -> int:
    """How often a tool had the mote's port."""
    return sum(
        isinstance(record, Note) and record.what.get("event") == "lent"
        for segment in segments
        for record in records(segment.read_bytes())
    )
