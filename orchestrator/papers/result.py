# SPDX-License-Identifier: Apache-2.0
"""One result of a paper: what has to run for it, and what the command and the report show of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from orchestrator.papers.check import Check
from orchestrator.report.data import Results
from orchestrator.report.model import Section, Table

Found = Mapping[str, Results]  # experiment -> its metrics; one whose runs all failed is not in it
Scenarios = tuple[tuple[str, str], ...]  # (file name, text)


def _nothing(found: Found) -> list:
    return []


@dataclass(frozen=True)
class Result:
    """`orchestrate paper PAPER --only NAME`.

    `scenarios`: its experiments (--seeds changes theirs); `varied`: those that vary our own decisions, run
    before them (--no-sensitivity leaves them out). `rows`: published numbers beside ours; `tables`: what else
    is printed; `checks`: the paper's claims, under `heading`; `sections`: its part of the paper's own page,
    None where the experiments' reports show it. `asked`: also by the paper's name alone.
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
