# SPDX-License-Identifier: Apache-2.0
"""The values of a verdict on a round, and a finding in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from orchestrator.features.campaigns.baseline import Baseline
from orchestrator.features.campaigns.judging.blame import Blame
from orchestrator.features.campaigns.judging.judge import Finding, Kind
from orchestrator.features.campaigns.judging.trend import Trend
from orchestrator.features.campaigns.model import RoundRun
from orchestrator.features.campaigns.record import Round
from orchestrator.features.campaigns.written import Judging
from orchestrator.report.comparison.phrases import signed
from orchestrator.report.statistics import number
from orchestrator.runs.model import Outcome

RED_KINDS = (Kind.WORSE, Kind.CHANGED)


class Colour(StrEnum):
    """The colour of a verdict; the command's exit code follows from it."""

    GREEN = "green"
    RED = "red"
    INCOMPLETE = "incomplete"

    @property
    def exit_code(self) -> int:
        return {Colour.GREEN: 0, Colour.RED: 1, Colour.INCOMPLETE: 7}[self]


class Standing(StrEnum):
    """The standing of a cell relative to the baseline."""

    SAME_CODE = "same code as the baseline"
    COMPARED = "compared"
    NO_BASELINE = "not in the baseline"
    EDITED = "another scenario than in the baseline"
    NOT_MEASURED = "no metrics"
    QUARANTINED = "in quarantine"


@dataclass(frozen=True)
class Reason:
    """Why the verdict isn't green: `colour` is RED or INCOMPLETE; `place`: EXPERIMENT/CELL, or ""."""

    colour: Colour
    text: str
    place: str = ""


@dataclass(frozen=True)
class CellState:
    """The state of a cell in a verdict.

    `left`: why planned runs have no result, and how many; `outcomes`: of those that have one; `quarantine`:
    why and until when it is left out, or ""; `pooled`: the rounds whose runs were compared.
    """

    experiment: str
    cell: str
    standing: Standing
    planned: int
    outcomes: Mapping[str, int]
    left: Mapping[str, int]
    quarantine: str = ""
    pooled: tuple[str, ...] = ()

    @property
    def place(self) -> str:
        return f"{self.experiment}/{self.cell}"

    @property
    def ok(self) -> int:
        return self.outcomes.get(Outcome.OK.value, 0)


@dataclass(frozen=True)
class Verdict:
    """The verdict on a round: its colour, the reasons, and the evidence.

    `night`: the number of this tested night since the promotion, 0 if nothing was tested; `level`: the level
    that it may spend. `trends`: all of the last night's cells. `notes`: facts worth knowing that aren't
    reasons. `blame`: of a red round, what changed since the baseline's.
    """

    campaign: str
    round: Round
    colour: Colour
    reasons: tuple[Reason, ...]
    judging: Judging
    baseline: Baseline | None
    night: int
    level: float
    cells: tuple[CellState, ...]
    findings: tuple[Finding, ...]
    trends: tuple[Trend, ...] = ()
    notes: tuple[str, ...] = ()
    runs: tuple[RoundRun, ...] = field(default=(), repr=False)
    blame: Blame | None = None

    def of_kind(self, *kinds: Kind) -> list[Finding]:
        """Return the findings of these kinds, the largest change first."""
        findings = [finding for finding in self.findings if finding.kind in kinds]
        return sorted(findings, key=lambda finding: finding.p)


_TINY = 1e-12  # no p value of runs is known more exactly


def _sure(p: float) -> str:
    return f"< {_TINY:.0e}" if p < _TINY else f"= {p:.1g}"


def said(finding: Finding) -> str:
    """Return a finding in words: what changed, by how much, and how sure that is."""
    difference, digits = finding.difference, max(1, finding.how.declared.decimals)
    unit = f" {finding.how.unit}" if finding.how.unit else ""
    apart = signed(difference.mean, digits)
    points = " points" if finding.how.unit == "%" else unit
    share = "" if finding.how.unit == "%" or not difference.a.mean else f", {signed(finding.percent, 1)} %"
    return (
        f"{finding.title} {finding.kind.value}: {number(difference.a.mean, digits)}{unit} to "
        f"{number(difference.b.mean, digits)}{unit} ({apart}{points}{share}; "
        f"p {_sure(finding.p)}, n = {difference.a.n} and {difference.b.n})"
    )
