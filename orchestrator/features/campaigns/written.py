# SPDX-License-Identifier: Apache-2.0
"""The checked content of a campaign file: plain frozen values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from orchestrator.features.campaigns.model import Quarantined, Shard
from orchestrator.scenario.model import Scenario


@dataclass(frozen=True)
class Seeds:
    """`fixed`: the same in every round. `fresh`: how many more each round draws that no round had before."""

    fixed: tuple[int, ...] = ()
    fresh: int = 0

    def __len__(self) -> int:
        return len(self.fixed) + self.fresh


@dataclass(frozen=True)
class Retention:
    """The limits of `campaign prune`: the number of last rounds, and bytes; None: no limit."""

    rounds: int | None = None
    quota: int | None = None


@dataclass(frozen=True)
class Judging:
    """The size of change that a verdict tests for.

    `effect`: what counts as none: points of a share, of all else a share of the baseline's mean.
    `false_alarms`: the probability that nights of unchanged behaviour turn red at all, between two promotions
    of a baseline.
    """

    effect: float = 0.01
    false_alarms: float = 0.05


USUAL = Judging()


@dataclass(frozen=True)
class Part:
    """A scenario with its overrides, which is one experiment of the store.

    `scenario`: resolved once, its cells those that are to run; its seeds are the fixed ones. `body`: its text
    but for the seeds, "" where nothing in it is other than in the scenario's own text. `line`: its place in
    the campaign file.
    """

    line: int
    experiment: str
    named: str
    scenario: Scenario
    seeds: Seeds
    overrides: Mapping[str, str]
    body: str

    def text(self, seeds: tuple[int, ...]) -> str:
        """Return the scenario as it runs with these seeds, to be run again alone."""
        if not self.body and seeds == self.scenario.seeds:
            return self.scenario.source
        return f"{self.body}seeds: [{', '.join(_ranges(seeds))}]\n"


@dataclass(frozen=True)
class Campaign:
    """A whole campaign file.

    `budget_s`: of one call, in s; `shards`: how many machines share a round; `quarantine`: entries with the
    line where each stands.
    """

    name: str
    path: Path
    text: str
    sha256: str
    parts: tuple[Part, ...]
    budget_s: float | None = None
    shards: int | None = None
    retries: int = 3
    wall_limit_s: float | None = None
    quarantine: tuple[tuple[int, Quarantined], ...] = ()
    retention: Retention = Retention()
    judging: Judging = USUAL
    spark: str | None = None  # what computes tables and metrics; before what the scenarios say

    @property
    def total(self) -> int:
        """Runs of a round."""
        return sum(len(part.scenario.cells) * len(part.seeds) for part in self.parts)

    @property
    def repeats(self) -> bool:
        """Whether a round with the same firmware would only repeat the bytes of the one before."""
        return all(part.seeds.fresh == 0 for part in self.parts)

    def in_quarantine(self, today: date) -> tuple[Quarantined, ...]:
        """Return the entries that are in quarantine on that day."""
        return tuple(entry for _, entry in self.quarantine if today < date.fromisoformat(entry.until))

    def expired(self, today: date) -> tuple[tuple[int, Quarantined], ...]:
        """Entries whose day has come: their runs are made again."""
        return tuple(
            (line, entry) for line, entry in self.quarantine if today >= date.fromisoformat(entry.until)
        )

    def shard(self, number: int | None, of: int | None) -> Shard:
        """Return the shard of a call. Raises ValueError if the file says another number of shards."""
        if number is None:
            return Shard()
        of = of if of is not None else self.shards
        if of is None:
            raise ValueError("say of how many: --shard 1/2")
        if self.shards is not None and of != self.shards:
            raise ValueError(f"the file says `shards: {self.shards}`, not {of}")
        if not 1 <= number <= of:
            raise ValueError(f"shards are 1/{of} to {of}/{of}")
        return Shard(number, of)


def _ranges(seeds: tuple[int, ...]) -> list[str]:
    """Seeds as a scenario writes them, in their order: 1..30, 47."""
    ranges: list[list[int]] = []
    for seed in seeds:
        if ranges and seed == ranges[-1][1] + 1:
            ranges[-1][1] = seed
        else:
            ranges.append([seed, seed])
    return [str(first) if first == last else f"{first}..{last}" for first, last in ranges]
