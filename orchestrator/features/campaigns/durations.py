# SPDX-License-Identifier: Apache-2.0
"""Estimates how long a run of a cell will take, from earlier rounds."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, median

from orchestrator.features.campaigns.record import Round
from orchestrator.features.campaigns.written import Campaign
from orchestrator.scenario.model import Cell

ROUNDS = 3  # that are looked at, the last ones first


class Durations:
    """Expected wall time of a run, by experiment and cell, and when the cell was last run.

    For a cell that no round has run, it is the time that its simulated time would take at the speed of the
    others; None if none is known. It does not consider how many runs share a core.
    """

    def __init__(self, rounds: Sequence[Round] = ()):
        took: dict[tuple[str, str], list[float]] = {}
        self.last_run: dict[tuple[str, str], int] = {}  # number of the last round that has a run of the cell
        self.results_s = 0.0  # time that tables and reports took last
        for round_ in rounds[-ROUNDS:][::-1]:
            for run in round_.runs():
                cell = (run.experiment, run.cell)
                self.last_run.setdefault(cell, round_.plan.number)
                if run.made:
                    took.setdefault(cell, []).append(run.wall_s)
            self.results_s = self.results_s or max(
                (end.results_s for end in round_.ends.values()), default=0.0
            )
        self._known = {cell: fmean(values) for cell, values in took.items()}
        self._speed: float | None = None

    def learn(self, campaign: Campaign) -> None:
        """Estimates cells that were not run by the speed of those that were."""
        speeds = [
            self._known[part.experiment, cell.name] / cell.duration_us
            for part in campaign.parts
            for cell in part.scenario.cells
            if (part.experiment, cell.name) in self._known
        ]
        self._speed = median(speeds) if speeds else None

    @property
    def any_known(self) -> bool:
        """Whether some cell was run, so that there are times to expect."""
        return self._speed is not None

    def known_s(self, experiment: str, cell: str) -> float | None:
        """Of one run of a cell that was run; None if it was not."""
        return self._known.get((experiment, cell))

    def expected_s(self, experiment: str, cell: Cell) -> float | None:
        """Of one run; None if nothing is known."""
        known_time = self.known_s(experiment, cell.name)
        if known_time is not None:
            return known_time
        return None if self._speed is None else self._speed * cell.duration_us
