# SPDX-License-Identifier: Apache-2.0
"""The events that each consumer received, by case, interval between pushes and reading (seed)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

import pandas as pd

from orchestrator.papers.data import Data
from orchestrator.papers.once import once
from orchestrator.report.data import Results
from orchestrator.runs.model import Outcome

data = Data(__file__)
_CELL = re.compile(r"(.+)-(\d+)")
COLUMNS = ["case", "interval", "seed", "consumer", "events", "arrivals"]


def published(name: str) -> dict | list | float:
    """Return a published table or number."""
    return data.load("published.yaml")[name]


def intervals() -> list[int]:
    """Return the thesis's intervals between pushes, ms."""
    return list(published("intervals"))


@dataclass(frozen=True)
class Mean:
    """The mean over readings: of all, and without the least and the most as in the thesis; the range."""

    values: tuple[float, ...]

    @property
    def of_all(self) -> float:
        return sum(self.values) / len(self.values)

    @property
    def trimmed(self) -> float:
        """Return the mean without the two extremes; of fewer than three readings that of all."""
        inner = sorted(self.values)[1:-1]
        return sum(inner) / len(inner) if inner else self.of_all

    @property
    def low(self) -> float:
        return min(self.values)

    @property
    def high(self) -> float:
        return max(self.values)


class Received:
    """An experiment's counts. A run that failed is left out; a consumer that got nothing counts 0."""

    def __init__(self, results: Results):
        self.frame = _read(results)

    @property
    def cases(self) -> list[str]:
        """Return the cases in the order of the runs."""
        return list(dict.fromkeys(self.frame["case"]))

    def intervals(self, case: str) -> list[int]:
        """Return a case's intervals, ascending."""
        return sorted(set(self.frame.loc[self.frame["case"] == case, "interval"]))

    def mean(
        self, case: str, interval: int, consumers: Iterable[str] = (), column: str = "events"
    ) -> Mean | None:
        """Return the readings of a consumer's mean count; `consumers`: only these, by name."""
        values = self._of(case, interval, consumers)
        per_reading = values.groupby("seed")[column].mean()
        return Mean(tuple(map(float, per_reading))) if len(per_reading) else None

    def total(self, case: str, interval: int) -> Mean | None:
        """Return the readings of all consumers' sum."""
        sums = self._of(case, interval, ()).groupby("seed")["events"].sum()
        return Mean(tuple(map(float, sums))) if len(sums) else None

    def _of(self, case: str, interval: int, consumers: Iterable[str]) -> pd.DataFrame:
        frame = self.frame[(self.frame["case"] == case) & (self.frame["interval"] == interval)]
        wanted = list(consumers)
        return frame[frame["consumer"].isin(wanted)] if wanted else frame


def split(cell: str) -> tuple[str, int]:
    """Read a cell's name: its case and interval in ms. Raises ValueError for other names."""
    match = _CELL.fullmatch(cell)
    if match is None:
        raise ValueError(f"{cell!r} is no cell of a sweep over the interval")
    return match[1], int(match[2])


received = once(Received)


def _read(results: Results) -> pd.DataFrame:
    found = results.table("events", ["run_id", "mote", "events"], [("kind", "=", "dlv")])
    found["event"] = [(events[0]["publisher"], events[0]["sequence"]) for events in found["events"]]
    counts = {
        (run_id, int(mote)): (group.nunique(), len(group))
        for (run_id, mote), group in found.groupby(["run_id", "mote"])["event"]
    }
    rows = []
    for manifest in results.manifests:
        if manifest.outcome is not Outcome.OK:
            continue
        case, interval = split(manifest.cell)
        for node in manifest.motes:
            if "subscriber" in (node.role, node.also):
                events, arrivals = counts.get((manifest.run_id, node.mote), (0, 0))
                rows.append((case, interval, manifest.seed, node.name, events, arrivals))
    return pd.DataFrame(rows, columns=COLUMNS)
