# SPDX-License-Identifier: Apache-2.0
"""Subscriber 1's notifications in traced runs of the test case: times, delays and deadlines, by cell."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from orchestrator.features.blackboard.paper.definitions import data
from orchestrator.papers.once import once
from orchestrator.report.data import Results

MODELLED = (
    "Computing is modelled: each run of publisher, blackboard and subscriber takes 0.5 ms of simulated time, "
    "which is our assumption."
)
SUBSCRIBER_1, SUBSCRIBER_2 = "subscriber1", "subscriber2"
_NAME = re.compile(r"(.*)-(\d+)")


def split(cell: str) -> tuple[str, int]:
    """Read a cell's name: the series and the publisher's extra work in ms, ("D10", 5) for "D10-05".

    Raises ValueError for other names.
    """
    match = _NAME.fullmatch(cell)
    if match is None:
        raise ValueError(f"{cell!r} is no cell of a sweep over the extra work")
    return match[1], int(match[2])


@dataclass(frozen=True)
class Delays:
    """The notifications of a cell: delay and deadline at that time in ms, by seed, in the log's order."""

    frame: pd.DataFrame

    @property
    def n(self) -> int:
        return len(self.frame)

    @property
    def mean(self) -> float:
        return float(self.frame["delay"].mean())

    @property
    def low(self) -> float:
        return float(self.frame["delay"].min())

    @property
    def high(self) -> float:
        return float(self.frame["delay"].max())

    @property
    def missed(self) -> int:
        """The number of notifications after their deadlines."""
        return int((self.frame["delay"] > self.frame["deadline"]).sum())

    def later_than(self, ms: float) -> int:
        return int((self.frame["delay"] > ms).sum())

    @property
    def seeds(self) -> int:
        return self.frame["seed"].nunique()


class Sweep:
    """An experiment's delays by series and extra work in ms."""

    def __init__(self, results: Results):
        self._frame = read(results)

    @cached_property
    def cells(self) -> dict[tuple[str, int], Delays]:
        return {split(cell): Delays(group) for cell, group in self._frame.groupby("cell")}

    def of(self, series: str) -> dict[int, Delays]:
        """Return the delays of a series by extra work in ms, ascending."""
        return {extra: self.cells[name, extra] for name, extra in sorted(self.cells) if name == series}

    def pooled(self, series: str, least: int, most: float = math.inf) -> Delays | None:
        """Return the delays of a series with extra work from `least` to `most`, together."""
        frames = [notified.frame for extra, notified in self.of(series).items() if least <= extra <= most]
        return Delays(pd.concat(frames)) if frames else None


sweep = once(Sweep)


def read(results: Results) -> pd.DataFrame:
    """Read subscriber 1's notifications in the present campaign, sorted by cell, seed and time.

    Columns are cell, seed, time (s), delay and deadline (ms).
    """
    cells = {manifest.run_id: manifest.cell for manifest in results.manifests}
    columns = ["seed", "run_id", "time_us", "delay_us", "deadline_us"]
    rows = results.table("execution", columns, [("kind", "=", "ntf"), ("thread", "=", SUBSCRIBER_1)])
    rows = rows[rows["run_id"].isin(cells)]
    frame = pd.DataFrame(
        {
            "cell": rows["run_id"].map(cells),
            "seed": rows["seed"],
            "time": rows["time_us"] / 1e6,
            "delay": rows["delay_us"] / 1000,
            "deadline": rows["deadline_us"] / 1000,
        }
    )
    return frame.sort_values(["cell", "seed", "time"], kind="stable").reset_index(drop=True)


def published(name: str) -> float:
    """Return a published number."""
    return float(data.load("published.yaml")[name])
