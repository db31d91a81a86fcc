# SPDX-License-Identifier: Apache-2.0
"""The runs that a round of a campaign would make, before any build: cells, seeds, order and time.

Cells are resolved once, when the file is loaded; seeds are numbers then. Fresh seeds are drawn when a round
begins, so they are only counted here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from orchestrator.features.campaigns.durations import Durations
from orchestrator.features.campaigns.model import RunKey, Shard
from orchestrator.features.campaigns.order import Todo, longest_first, most_informative_first
from orchestrator.features.campaigns.record import Round
from orchestrator.features.campaigns.written import Campaign

FRESH = -1  # seeds that are not drawn yet are -1, -2, and so on


@dataclass(frozen=True)
class Outlook:
    """A campaign's next round; `runs` are in the order in which they would be made.

    `known`: times are from earlier rounds; else `expected_s` is only the simulated time. `left_out`: how many
    runs are in quarantine.
    """

    runs: list[Todo]
    known: bool
    left_out: int
    results_s: float

    @property
    def total_s(self) -> float:
        """The time that all runs take on one core."""
        return sum(run.expected_s for run in self.runs)

    def wall_s(self, workers: int) -> float:
        """Return the time that the round takes, which is no less than that of its longest run."""
        longest = max((run.expected_s for run in self.runs), default=0.0)
        return max(longest, self.total_s / workers) + self.results_s

    def within(self, budget_s: float, workers: int) -> int:
        """How many of the runs fit in a budget, in their order."""
        left = (budget_s - self.results_s) * workers
        for count, run in enumerate(self.runs):
            left -= run.expected_s
            if left < 0:
                return count
        return len(self.runs)


def outlook(
    campaign: Campaign, rounds: Sequence[Round], shard: Shard, budget_s: float | None, today: date
) -> Outlook:
    """For the next round of a campaign that had these."""
    durations = Durations(rounds)
    durations.learn(campaign)
    out = campaign.in_quarantine(today)
    runs: list[Todo] = []
    left_out = index = 0
    for part in campaign.parts:
        seeds = (*part.seeds.fixed, *range(FRESH, FRESH - part.seeds.fresh, -1))
        for cell in part.scenario.cells:
            expected = durations.expected_s(part.experiment, cell)
            expected = cell.duration_us / 1e6 if expected is None else expected
            last = durations.last_run.get((part.experiment, cell.name), 0)
            for seed in seeds:
                mine = index % shard.of == shard.number - 1
                index += 1
                if not mine:
                    continue
                key = RunKey(part.experiment, cell.name, seed)
                if any(one.covers(key) for one in out):
                    left_out += 1
                else:
                    runs.append(Todo(key, expected, last))
    ordered = longest_first(runs) if budget_s is None else most_informative_first(runs, {})
    return Outlook(ordered, durations.any_known, left_out, durations.results_s)
