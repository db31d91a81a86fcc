# SPDX-License-Identifier: Apache-2.0
"""How far a campaign is: plain values for whoever shows it."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

COMPILING = "compiling"
_KINDS = {"kernel": "the engine"}
_TAIL = 400  # bytes of a log that are looked at
_DIGITS = 19  # of a simulated time in us


# Called with what is done now, and, where that is known, how much of how much of it is done, and what else
# there is to say.
Stage = Callable[..., None]  # (what: str, done: int | None = None, total: int | None = None, rest: str = "")


def silent(what: str, done: int | None = None, total: int | None = None, rest: str = "") -> None:
    """A Stage that shows nothing."""


@dataclass(frozen=True)
class Listener:
    """Who hears of a campaign. `stage`: what is done now and how far it is; `runs`: how far the runs are;
    `line`: each line that a build in a container prints; `say`: what else there is.
    """

    stage: Stage = silent
    runs: Callable[[Progress], None] = lambda _: None
    line: Callable[[str], None] = lambda _: None
    say: Callable[[str], None] = lambda _: None


NOBODY = Listener()


class Compiling:
    """What build.cache.watched tells, as a stage: how many files are built of those that are to be, and of
    what.

    What the cache has is not counted, as it isn't built."""

    def __init__(self, stage: Stage):
        self._stage = stage
        self._begun: Counter[str] = Counter()
        self._ended: Counter[str] = Counter()

    def __call__(self, kind: str, begun: int, ended: int) -> None:
        self._begun[kind] += begun
        self._ended[kind] += ended
        names = [
            _KINDS.get(kind, kind) for kind, count in sorted(self._begun.items()) if count > self._ended[kind]
        ]
        self._stage(COMPILING, self._ended.total(), self._begun.total(), ", ".join(names))


@dataclass(frozen=True)
class Progress:
    """`total` runs, of which `found` were there before and `made` were done now; `failed` of both did not end
    ok.

    `sim_us`: simulated time of the runs made now; `elapsed_s`: wall time since the start. Of the runs under
    way, as far as their logs have come: `logged_us` of at most `to_log_us` simulated time. A run that prints
    only at its end is further.
    """

    total: int
    found: int
    made: int
    failed: int
    sim_us: int
    elapsed_s: float
    logged_us: int = 0
    to_log_us: int = 0

    @property
    def done(self) -> int:
        return self.found + self.made

    @property
    def speed(self) -> float:
        """Simulated minutes a second."""
        return self.sim_us / 60e6 / self.elapsed_s if self.elapsed_s > 0 else 0.0

    @property
    def left_s(self) -> float | None:
        """Expected wall time to the end, None before the first run is done."""
        if self.done >= self.total:
            return 0.0
        if not self.made:
            return None
        return (self.total - self.done) * self.elapsed_s / self.made


def reached(log: Path) -> int:
    """How far a run has come whose log is being written: the simulated time in us of its last whole line that
    has one, else 0.
    """
    try:
        with log.open("rb") as stream:
            stream.seek(max(0, stream.seek(0, os.SEEK_END) - _TAIL))
            lines = stream.read().split(b"\n")[:-1]
    except OSError:
        return 0
    for line in reversed(lines):
        time, tab, _ = line.partition(b"\tID:")
        if tab and time.isdigit() and len(time) < _DIGITS:
            return int(time)
    return 0
