# SPDX-License-Identifier: Apache-2.0
"""A result of a paper: its experiments, and its content for the command and the report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Self

from orchestrator.papers.check import Check
from orchestrator.report.data import Results
from orchestrator.report.model import Section, Table, paragraph

Found = Mapping[str, Results]  # experiment -> its metrics, unless all of its runs failed
Scenarios = tuple[tuple[str, str], ...]  # (file name, text)


def _nothing(results: Found) -> list:
    return []


def without_runs(name: str, title: str, experiment: str, short: str = "") -> list[Section]:
    """Return the section of a result whose experiment has no runs."""
    return [Section(name, title, (paragraph(f"There are no runs of {experiment}.", "warning"),), short)]


@dataclass(frozen=True)
class Result:
    """A result that `orchestrate paper PAPER --only NAME` makes and shows.

    `scenarios`: its experiments, whose seeds --seeds changes. `varied`: the experiments that vary our own
    decisions; they run first, and --no-sensitivity leaves them out. `rows`: published numbers and ours.
    `tables`: further tables for the terminal. `checks`: the paper's claims, under `heading`. `sections`: its
    part of the paper's own page; None if the experiments' reports have it. `asked`: whether `orchestrate
    paper PAPER` includes it.
    """

    name: str
    summary: str
    scenarios: Scenarios = ()
    varied: Scenarios = ()
    rows: Callable[[Found], list[Any]] = _nothing
    tables: Callable[[Found], Sequence[Table]] = _nothing
    checks: Callable[[Found], list[Check]] = _nothing
    sections: Callable[[Found], list[Section]] | None = None
    heading: str = "Orders and shapes"
    asked: bool = True

    @classmethod
    def of(cls, module: ModuleType, name: str, summary: str, scenarios: Scenarios = (), **more: Any) -> Self:
        """Make the result that a module shows by its functions tables, checks (if any) and sections."""
        kinds = ("tables", "checks", "sections")
        functions = {kind: getattr(module, kind) for kind in kinds if hasattr(module, kind)}
        return cls(name, summary, scenarios, **functions | more)
