# SPDX-License-Identifier: Apache-2.0
"""Listens to the motes behind one gateway: by the daemon there or, without Python, by its shell."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from orchestrate_testbed.client import ClockPair, Daemon
from orchestrate_testbed.clock_fit import ClockFit, fitted
from orchestrate_testbed.collect import collect
from orchestrate_testbed.model import Mote
from orchestrate_testbed.plain import Plain

from orchestrator.features.testbed.gateways import AtGateway

CLOCK_QUESTIONS = 8  # questions in a row, of which the least delayed one counts
MOST_PAIRS = 400  # comparisons kept with a run; if there are more, half of them are dropped


@dataclass(frozen=True)
class Came:
    """A gateway's report on its logs: bytes that its disk never took, by mote."""

    unwritten: Mapping[str, int] = field(default_factory=dict)


class Listener(ABC):
    """Access to one gateway's logs. All methods raise LabError.

    `while_flashing`: whether a mote is heard as soon as it is flashed.
    """

    while_flashing: bool

    def __init__(self, place: AtGateway) -> None:
        self._place = place

    @abstractmethod
    def _at(self) -> Daemon | Plain:
        """Return what does the work there."""

    def open(self, run: str, motes: Iterable[Mote]) -> None:
        """Begin to log motes; motes that are logged already stay so."""
        for mote in motes:
            self._at().open(run, mote.name, self._place.device(mote), mote.baud)

    @abstractmethod
    def compare(self) -> None:
        """Compare the gateway's clock with ours."""

    @abstractmethod
    def fetch(self, run: str, folder: Path, names: frozenset[str]) -> Came:
        """Fetch what is new in the logs of these motes into this gateway's folder."""

    def close(self, run: str) -> None:
        """End the logging; the logs stay."""
        self._at().close(run)

    def remove(self, run: str) -> None:
        """Remove the run from the gateway, with all that was kept of it."""
        self._at().remove(run)

    def keep(self, run: str, text: str) -> None:
        """Keep a text with the run."""
        self._at().keep(run, text)

    def kept(self, run: str) -> str:
        """Return the text that was kept with a run, or an empty one."""
        return self._at().kept(run)

    def pairs(self) -> list[ClockPair]:
        """Return the comparisons of clocks that are worth keeping."""
        return []

    @abstractmethod
    def remember(self, pairs: Iterable[ClockPair], asks: bool) -> None:
        """Take comparisons of an earlier controller.

        `asks` False: our clock is another one, and adds none.
        """

    @abstractmethod
    def fits(self) -> tuple[ClockFit, ...]:
        """Return how the logs' clock runs against ours."""

    def notes(self) -> list[str]:
        """Return sentences about the logs that are worth knowing, although nothing is missing."""
        return []

    def missing(self, run: str) -> list[str]:
        """Return sentences about what is missing, beside what the logs themselves say."""
        return []


class ByDaemon(Listener):
    """The gateway's daemon stamps every line."""

    while_flashing = True

    def __init__(self, place: AtGateway) -> None:
        super().__init__(place)
        self._pairs: list[ClockPair] = []
        self._asks = True

    def _at(self) -> Daemon:
        return self._place.daemon

    def compare(self) -> None:
        if self._asks:
            pairs = [self._place.daemon.clock() for _ in range(CLOCK_QUESTIONS)]
            self._pairs += [pair for pair in pairs if pair.boot == pairs[-1].boot]

    def fetch(self, run: str, folder: Path, names: frozenset[str]) -> Came:
        got = collect(self._place.daemon, run, folder, names)
        return Came(dict(got.unwritten))

    def pairs(self) -> list[ClockPair]:
        thinned = self._pairs
        while len(thinned) > MOST_PAIRS:
            thinned = thinned[:1] + thinned[1:-1:2] + thinned[-1:]
        return thinned

    def remember(self, pairs: Iterable[ClockPair], asks: bool) -> None:
        self._pairs, self._asks = list(pairs), asks

    def fits(self) -> tuple[ClockFit, ...]:
        return tuple(fitted(self._pairs)) if self._pairs else ()


class ByShell(Listener):
    """sshd, stty and cat: a line's time lies between the fetch that brought it and the one before."""

    while_flashing = False

    def __init__(self, place: AtGateway) -> None:
        super().__init__(place)
        self._plain: Plain | None = None
        self._late = False  # an earlier controller fetched lines at times that are not known
        self._other_clock = False  # this machine was started anew since then

    def compare(self) -> None:
        return  # the lines have our clock

    def fetch(self, run: str, folder: Path, names: frozenset[str]) -> Came:
        if self._other_clock:  # the times in the copy mean nothing any more; the gateway has its lines
            for path in folder.glob("*.1.log"):
                path.rename(path.with_suffix(f".before-{time.time_ns()}"))
            self._other_clock = False
        self._at().pull(run, folder, names)
        return Came()

    def remember(self, pairs: Iterable[ClockPair], asks: bool) -> None:
        self._late, self._other_clock = True, not asks

    def fits(self) -> tuple[ClockFit, ...]:
        return (self._at().clock(),)

    def notes(self) -> list[str]:
        error_s = self._at().clock().error_us / 1e6
        return [
            f"{self._place.gateway.name} has no Python: the times of its motes' lines are wrong by up to "
            f"{error_s:.1f} s."
        ]

    def missing(self, run: str) -> list[str]:
        missing_lines = self._at().missing(run)
        if self._late:
            missing_lines.append(
                f"{self._place.gateway.name} has no Python, so nothing says when its motes spoke before a "
                "second controller went on with this run."
            )
        return missing_lines

    def _at(self) -> Plain:
        if self._plain is None:
            if not self._place.kept.home:
                self._place.deliver([])
            self._plain = Plain(self._place.host, f"{self._place.kept.home}/{self._place.root}/plain")
        self._plain.host = self._place.host  # opened anew, if it was lost
        return self._plain


def listener(place: AtGateway) -> Listener:
    """Return the listener that fits a gateway."""
    return ByShell(place) if place.plain else ByDaemon(place)
