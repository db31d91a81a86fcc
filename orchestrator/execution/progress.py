# SPDX-License-Identifier: Apache-2.0
"""The progress of a batch of runs, as values for any display."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

COMPILING = "compiling"
_KINDS = {"kernel": "the engine"}
_TAIL = 400  # bytes at a log's end in which its last time is looked for
_DIGITS = 19  # of a simulated time in us


# Called as (what, done=None, total=None, rest=""): what is being done, how much of it is done, and a remark.
Stage = Callable[..., None]


def silent(what: str, done: int | None = None, total: int | None = None, rest: str = "") -> None:
    """Ignore all progress."""


@dataclass(frozen=True)
class Listener:
    """Callbacks that observe the progress of a batch of runs.

    `stage`: what is being done, and how far it is. `runs`: how far the runs are. `line`: each line that a
    build in a container prints. `say`: other messages.
    """

    stage: Stage = silent
    runs: Callable[[Progress], None] = lambda _: None
    line: Callable[[str], None] = lambda _: None
    say: Callable[[str], None] = lambda _: None


NOBODY = Listener()


class Compiling:
    """Reports builds as a stage: how many files are built, how many are to be, and what they are of.

    build.cache.watched calls it. What the cache has is not counted, as it isn't built.
    """

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
    """The progress of a batch of runs.

    Of `total` runs, `found` were in the store and `made` were made now; `failed` of both did not end ok.
    `sim_us`: simulated time of the runs made now. `elapsed_s`: wall time since the start. The logs of the
    runs under way have reached `logged_us` of at most `to_log_us` simulated time together; a run that prints
    only at its end is further than its log.
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
        """The number of runs in the store now."""
        return self.found + self.made

    @property
    def speed(self) -> float:
        """Simulated minutes per second of real time."""
        return self.sim_us / 60e6 / self.elapsed_s if self.elapsed_s > 0 else 0.0

    @property
    def left_s(self) -> float | None:
        """The wall time that is expected to be left; None before the first run has ended."""
        if self.done >= self.total:
            return 0.0
        if not self.made:
            return None
        return (self.total - self.done) * self.elapsed_s / self.made


def reached(log: Path) -> int:
    """Return how far the run that writes this log is: the simulated us of its last whole line, or 0."""
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
