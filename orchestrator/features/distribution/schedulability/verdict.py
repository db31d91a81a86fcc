# SPDX-License-Identifier: Apache-2.0
"""Judges whether a system is schedulable, by its deadlines, the bounds of all its tasks, and the schedule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from orchestrator.features.distribution.deadlines import Deadline, deadlines
from orchestrator.features.distribution.model import System
from orchestrator.features.distribution.readings import Reading
from orchestrator.features.distribution.schedulability import busy_window, by_job, end_to_end
from orchestrator.features.distribution.schedulability.end_to_end import Bound
from orchestrator.features.distribution.schedulability.simulate import Schedule, simulate
from orchestrator.features.distribution.tasks import Task, tasks

SMALL = 2_000  # jobs of a superperiod: up to so many the bounds by job are computed in any case


@dataclass(frozen=True)
class Verdict:
    """The analysis of one system in one reading; without tasks if a distribution has no positive deadline."""

    system: System
    reading: Reading
    deadlines: list[Deadline]
    tasks: list[Task]

    @property
    def impossible(self) -> list[Deadline]:
        """The distributions that can't be in time for their targets, however short they are."""
        return [deadline for deadline in self.deadlines if deadline.deadline is None]

    @cached_property
    def verified(self) -> list[Bound]:
        """Bounds by the verified analysis, which hold whatever the offsets of releases are."""
        from orchestrator.features.distribution.schedulability import verified

        return end_to_end.bounds(self.tasks, verified.response)

    @cached_property
    def second(self) -> list[Bound]:
        """Bounds by the second analysis; they equal those of `verified` if both are right."""
        return end_to_end.bounds(self.tasks, busy_window.response)

    @cached_property
    def by_job(self) -> list[Bound] | None:
        """Bounds that use the releases; None if the system is too large for them."""
        most = SMALL if all(bound.held for bound in self.verified) else by_job.MOST_JOBS
        return by_job.bounds(self.tasks) if by_job.jobs(self.tasks) <= most else None

    @property
    def bounds(self) -> list[Bound]:
        """The shorter bound of each task."""
        return [
            min(
                (bound for bound in pair if bound.response is not None),
                key=lambda bound: bound.response,
                default=pair[0],
            )
            for pair in zip(self.verified, self.by_job or self.verified)
        ]

    @property
    def schedulable(self) -> bool:
        """Whether every deadline is held, which needs that every distribution has one."""
        return not self.impossible and all(bound.held for bound in self.bounds)

    @property
    def needs_clocks(self) -> bool:
        """Whether it is schedulable only if the clocks of nodes agree: only the bounds by job show it."""
        return self.schedulable and not all(bound.held for bound in self.verified)

    def simulated(self, periods: int) -> Schedule:
        """Return the schedule over so many periods of the slowest source, at worst-case execution times."""
        longest = max(source.timing.period for source in self.system.sources.values())
        return simulate(self.tasks, periods * longest)


def verdict(system: System, reading: Reading, printed: dict[str, int] | None = None) -> Verdict:
    """Analyse a system. `printed`: deadlines to take instead of the computed ones, by distribution."""
    results = deadlines(system, reading)
    if any(result.deadline is None for result in results):
        return Verdict(system, reading, results, [])
    latest = {result.distribution.name: result.deadline for result in results} | (printed or {})
    return Verdict(system, reading, results, tasks(system, reading, latest))  # type: ignore[arg-type]


def schedulable(all_tasks: Sequence[Task]) -> bool:
    """Return whether every deadline is held, by the faster analyses, for callers that ask often."""
    if all(bound.held for bound in end_to_end.bounds(all_tasks, busy_window.response, True)):
        return True
    return by_job.jobs(all_tasks) <= by_job.MOST_JOBS and all(
        bound.held for bound in by_job.bounds(all_tasks, True)
    )
