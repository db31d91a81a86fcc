# SPDX-License-Identifier: Apache-2.0
"""Watches a run on a testbed: fetches logs, compares clocks, and opens broken connections again."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from orchestrate_testbed.client import Refused
from orchestrate_testbed.errors import LabError
from orchestrate_testbed.gateway_log import Note, records
from orchestrate_testbed.merge import MoteLines, Source, merged
from orchestrate_testbed.model import Mote
from orchestrate_testbed.ssh import together

from orchestrator.errors import writing
from orchestrator.features.testbed.engine import collected_logs
from orchestrator.features.testbed.engine.casting import start_together
from orchestrator.features.testbed.engine.listening import Listener
from orchestrator.features.testbed.engine.unfinished import Record, text_of
from orchestrator.features.testbed.engine.verdict import said
from orchestrator.features.testbed.gateways import AtGateway

KEEP_S = 60.0  # between two times at which the comparisons of clocks are kept on the gateways


@dataclass
class Watched:
    """One gateway of a run.

    `folder`: what is here of its logs, from earlier controllers, too. `errors`: the last reasons why it could
    not be asked. `services`: those that run there beside the logging, each with the id of the mote as which
    it is logged.
    """

    place: AtGateway
    motes: dict[int, Mote]  # by id
    folder: Path
    listener: Listener
    segments: Mapping[str, tuple[Path, ...]] = field(default_factory=dict)
    unwritten: Mapping[str, int] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    lacks: list[str] = field(default_factory=list)  # sentences from its listener
    complete: bool = False  # everything that it had of the run is here
    emptied: bool = False  # it has nothing of the run any more, and not all that it had is here
    services: dict[str, int] = field(default_factory=dict)

    def fetch(self, run: str) -> None:
        """Fetch what is new in its logs. Raises LabError, StorageFailed."""
        names = frozenset({mote.name for mote in self.motes.values()} | set(self.services))
        try:
            with writing(f"the logs of a testbed in {self.folder}", "free space there, and run it again"):
                self.unwritten = self.listener.fetch(run, self.folder, names).unwritten
        finally:
            self.find()

    def find(self) -> None:
        """Find what is here of its logs."""
        names = [*(mote.name for mote in self.motes.values()), *self.services]
        self.segments = collected_logs.segments(self.folder, names)

    def failed(self, error: LabError) -> None:
        """Note why it could not be asked; the next use opens a new connection."""
        self.errors = [*self.errors[-9:], str(error)]
        self.place.disconnect()


class Watch:
    """The gateways of one run, by name."""

    def __init__(self, run: str, gateways: Mapping[str, Watched]):
        self.run, self.gateways = run, dict(gateways)
        self._seen: dict[Path, int] = {}
        self._began: dict[Path, int] = {}
        self.said_by_services: tuple[
            MoteLines, ...
        ] = ()  # what the merged log has of the services, and lacks
        self._record: Record | None = None
        self._kept_at = 0.0

    def open(self, while_flashing: bool) -> None:
        """Begin to log motes. Raises LabError if one can't be logged.

        `while_flashing`: only at gateways that can listen while a mote is flashed; else only at the others.
        """

        def on_gateway(watched: Watched) -> None:
            if watched.listener.while_flashing is while_flashing:
                watched.listener.open(self.run, watched.motes.values())
                watched.listener.compare()

        self._all(on_gateway)

    def keep(self, record: Record) -> None:
        """Keep the run's record on its gateways, from now on with the comparisons of clocks.

        Raises LabError.
        """
        self._record = record
        self._all(self._keep)

    def _keep(self, watched: Watched) -> None:
        if self._record is not None:
            text = text_of(self._record, watched.listener.pairs())
            collected_logs.note(watched.folder, collected_logs.RECORD, text)
            watched.listener.keep(self.run, text)
        self._kept_at = time.monotonic()

    def goes_on(self, record: Record) -> None:
        """Take the record of a run that another controller began."""
        self._record = record

    @property
    def by_shell(self) -> bool:
        """Whether the lines of a gateway have the times at which they are fetched."""
        return any(not watched.listener.while_flashing for watched in self.gateways.values())

    def look(self, logs: bool) -> None:
        """Compare clocks, and fetch what is new in the logs if `logs`.

        What fails is tried again the next time.
        """
        keep = time.monotonic() > self._kept_at + KEEP_S

        def on_gateway(watched: Watched) -> None:
            try:
                watched.listener.compare()
                if logs or not watched.listener.while_flashing:
                    watched.fetch(self.run)
                if keep:
                    self._keep(watched)
            except LabError as error:
                watched.failed(error)

        self._each(on_gateway)

    def close(self, patience_s: float) -> None:
        """Fetch everything and end the logging; the logs stay on the gateways until `remove`.

        A gateway that doesn't answer is tried again for `patience_s` s.
        """
        until = time.monotonic() + patience_s

        def on_gateway(watched: Watched) -> None:
            while True:
                try:
                    watched.listener.compare()
                    watched.listener.close(self.run)
                    watched.fetch(self.run)
                    watched.lacks = watched.listener.missing(self.run)
                    if self._record is not None:
                        text = text_of(self._record, watched.listener.pairs())
                        collected_logs.note(watched.folder, collected_logs.RECORD, text)
                        if not watched.emptied:
                            collected_logs.note(watched.folder, collected_logs.COMPLETE, "")
                    watched.complete = True
                    return
                except Refused as refused:
                    watched.errors.append(str(refused))
                    return
                except LabError as error:
                    watched.failed(error)
                    if time.monotonic() > until:
                        return
                    time.sleep(1)

        self._each(on_gateway)

    def remove(self) -> None:
        """Remove the run from the gateways that answer, and its copy here once all of them have."""

        def on_gateway(watched: Watched) -> bool:
            try:
                watched.listener.close(self.run)
                watched.listener.remove(self.run)
            except LabError as error:
                watched.failed(error)
                return False
            return True

        if all(removed is True for removed in self._each(on_gateway)):
            collected_logs.remove(self.run)

    @property
    def complete(self) -> bool:
        """Whether everything that the gateways had is here."""
        return all(watched.complete for watched in self.gateways.values())

    def begin(self) -> None:
        """Note that motes are about to start: `heard` ignores what they said before."""
        self.look(True)
        for segment in self._segments():
            self._began[segment] = self._seen[segment] = segment.stat().st_size

    def heard(self, lines: Iterable[str | None]) -> bool:
        """Return whether a mote has said one of these lines since the last call."""
        wanted = [line for line in lines if line is not None]
        heard_any = False
        for segment in self._segments():
            size, before = segment.stat().st_size, self._seen.get(segment, 0)
            if size > before:
                self._seen[segment] = size
                began = self._began.get(segment, 0)
                heard_any = heard_any or any(said(segment, line, before, began) for line in wanted)
        return heard_any

    def merge(self, epoch_us: int, log: Path) -> dict[int, MoteLines]:
        """Write one log of all motes, with time 0 at the controller's `epoch_us`; return what it lacks."""
        at_once = start_together(
            mote for watched in self.gateways.values() for mote in watched.motes.values()
        )
        sources = [
            Source(
                mote.name,
                number,
                segments,
                watched.listener.fits(),
                watched.unwritten.get(mote.name, 0),
                flashings(segments),
                starts_flashed=not at_once,
            )
            for watched in self.gateways.values()
            for number, mote in watched.motes.items()
            for segments in [watched.segments.get(mote.name, ())]
        ]
        services = [
            Source(
                f"{name} on {gateway}",
                number,
                watched.segments.get(name, ()),
                watched.listener.fits(),
                watched.unwritten.get(name, 0),
            )
            for gateway, watched in self.gateways.items()
            for name, number in watched.services.items()
        ]
        merged_lines = merged([*sources, *services], epoch_us, log)
        self.said_by_services = tuple(merged_lines[service.mote] for service in services)
        return {
            number: merged_lines[mote.name]
            for watched in self.gateways.values()
            for number, mote in watched.motes.items()
        }

    def clock_error_us(self) -> int:
        """Return the largest error between times of two gateways, us."""
        return round(sum(self._clock_errors()[-2:]))

    def own_clock_error_us(self) -> int:
        """Return the largest error between a time of a gateway and ours, us."""
        return round(max(self._clock_errors(), default=0.0))

    def _clock_errors(self) -> list[float]:
        """Return the error of each gateway's corrected times, us, the smallest first."""
        return sorted(
            max((fit.error_us for fit in watched.listener.fits()), default=0.0)
            for watched in self.gateways.values()
        )

    def _segments(self) -> list[Path]:
        return [
            segment
            for watched in self.gateways.values()
            for segments in watched.segments.values()
            for segment in segments
        ]

    def _all(self, work: Callable[[Watched], object]) -> None:
        """Do it at all gateways at once. Raises LabError if one of them fails."""
        for failed in self._each(work):
            if isinstance(failed, LabError):
                raise failed

    def _each(self, work: Callable[[Watched], object]) -> list:
        return together(self.gateways.values(), work)


def flashings(segments: Iterable[Path]) -> int:
    """Return how often a tool had the mote's port."""
    return sum(
        isinstance(record, Note) and record.what.get("event") == "lent"
        for segment in segments
        for record in records(segment.read_bytes())
    )
