# SPDX-License-Identifier: Apache-2.0
"""The orders and shapes that the paper claims, each tested on our runs.

A claim is judged twice: by the 95 % interval over our seeds (`check`) and run by run (`in_runs`), because the
paper saw one run of each configuration. Bounds are ours and are part of the claim's words.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import pandas as pd

from orchestrator.papers.aggregation.measures import MEASURES
from orchestrator.papers.check import EQUAL, FAILS, HOLDS, MISSING, REVERSED, UNDECIDED, Check
from orchestrator.report.data import Results
from orchestrator.report.statistics import number, with_interval
from orchestrator.statistics.estimates import Estimate, estimate, paired, sign
from orchestrator.words import counted


class Claim(Protocol):
    """A claim; `where` is the section of the paper."""

    @property
    def id(self) -> str: ...

    @property
    def claim(self) -> str: ...

    @property
    def where(self) -> str: ...

    def check(self, results: Results) -> Check: ...

    def in_runs(self, results: Results) -> pd.Series:
        """Say for each seed whether one run of each configuration shows the claim."""


@dataclass(frozen=True)
class Order:
    """The claim that `measure` is greater in cell `more` than in cell `less`."""

    id: str
    claim: str
    where: str
    measure: str
    more: str
    less: str

    def check(self, results: Results) -> Check:
        difference, values = _between(results, self.measure, self.more, self.less)
        if not difference.known:
            return Check(self.id, self.claim, self.where, MISSING, values)
        verdict = {1: HOLDS, -1: REVERSED, 0: UNDECIDED, None: UNDECIDED}[sign(difference)]
        if difference.n > 1 and difference.mean == 0 and difference.sd == 0:
            verdict = EQUAL
        return Check(self.id, self.claim, self.where, verdict, values)

    def in_runs(self, results: Results) -> pd.Series:
        of = MEASURES[self.measure]
        return (of.of(results, self.more) - of.of(results, self.less)).dropna() > 0


@dataclass(frozen=True)
class Close:
    """The claim that `measure` differs by at most `most` between two cells."""

    id: str
    claim: str
    where: str
    measure: str
    first: str
    second: str
    most: float

    def check(self, results: Results) -> Check:
        difference, values = _between(results, self.measure, self.first, self.second)
        verdict = _within(difference, -self.most, self.most) if difference.known else MISSING
        return Check(self.id, self.claim, self.where, verdict, values)

    def in_runs(self, results: Results) -> pd.Series:
        of = MEASURES[self.measure]
        return (of.of(results, self.first) - of.of(results, self.second)).dropna().abs() <= self.most


@dataclass(frozen=True)
class Bound:
    """The claim that `measure` lies between `least` and `most` (None: no bound) in a cell."""

    id: str
    claim: str
    where: str
    measure: str
    cell: str
    least: float | None = None
    most: float | None = None

    def check(self, results: Results) -> Check:
        of = MEASURES[self.measure]
        value = of.estimate(results, self.cell)
        if not value.known:
            return Check(self.id, self.claim, self.where, MISSING, f"no runs of {self.cell}")
        text, detail = with_interval(value, of.decimals, of.unit)
        return Check(
            self.id,
            self.claim,
            self.where,
            _within(value, self.least, self.most),
            f"{self.cell}: {of.title} {text} ({detail})",
        )

    def in_runs(self, results: Results) -> pd.Series:
        values = MEASURES[self.measure].of(results, self.cell).dropna()
        least, most = (
            -float("inf") if self.least is None else self.least,
            float("inf") if self.most is None else self.most,
        )
        return values.between(least, most)


@dataclass(frozen=True)
class Never:
    """The claim that `measure` is 0 in a cell, which one run can refute."""

    id: str
    claim: str
    where: str
    measure: str
    cell: str

    def check(self, results: Results) -> Check:
        of, found = MEASURES[self.measure], self.in_runs(results)
        if found.empty:
            return Check(self.id, self.claim, self.where, MISSING, f"no runs of {self.cell}")
        return Check(
            self.id,
            self.claim,
            self.where,
            HOLDS if found.all() else FAILS,
            (
                f"{self.cell}: {of.title} in {int((~found).sum())} of {counted(len(found), 'seed')}, "
                f"{number(of.of(results, self.cell).sum(), 0)} in all of them together"
            ),
        )

    def in_runs(self, results: Results) -> pd.Series:
        return MEASURES[self.measure].of(results, self.cell).dropna() == 0


def _between(results: Results, measure: str, first: str, second: str) -> tuple[Estimate, str]:
    """Return the paired difference of a measure between two cells and both values in words, or why not."""
    of = MEASURES[measure]
    values, others = of.of(results, first), of.of(results, second)
    difference = paired(values, others)
    if not difference.known:
        return difference, f"no runs of {first} and {second} with a seed in common"
    text, detail = with_interval(difference, of.decimals, "points" if of.unit == "%" else of.unit)
    unit = f" {of.unit}" if of.unit else ""
    return difference, (
        f"{first} {number(estimate(values).mean, of.decimals)}{unit}, {second} "
        f"{number(estimate(others).mean, of.decimals)}{unit}; paired difference {text} ({detail})"
    )


def _within(value: Estimate, least: float | None, most: float | None) -> str:
    """Judge a value by its whole interval."""
    low, high = (value.low, value.high) if value.n > 1 else (value.mean, value.mean)
    if (least is None or low >= least) and (most is None or high <= most):
        return HOLDS
    if (least is not None and high < least) or (most is not None and low > most):
        return FAILS
    return UNDECIDED


_LOSSES = (("event_loss", "events", "g"), ("packet_loss", "packets", "h"))

CLAIMS: tuple[Claim, ...] = (
    Bound(
        "grows-H10",
        "Event messages grow from P10 to P1 in H10 (we ask for a factor of 1.1)",
        "6.1, Figure 7a",
        "growth",
        "H10",
        1.1,
    ),
    Bound(
        "bends-H10",
        "That growth is not linear: it flattens towards the subscriber (we ask for 2 % of P1's number "
        "above a straight line)",
        "6.1, Figure 7a",
        "bend",
        "H10",
        2.0,
    ),
    Bound(
        "constant-H10A",
        "All publishers send nearly the same number of event messages in H10A "
        "(we ask for a spread of at most 10 %)",
        "6.1, Figure 7b",
        "spread",
        "H10A",
        None,
        10,
    ),
    Bound(
        "tenfold-L10D",
        "Event messages grow by the distance to the subscriber in L10D "
        "(we ask for a factor of 9 to 10 from P10 to P1)",
        "6.1, Figure 7c",
        "growth",
        "L10D",
        9.0,
        10.01,
    ),
    Bound(
        "straight-L10D",
        "That growth is linear (we ask for at most 2 % of P1's number off a straight line)",
        "6.1, Figure 7c",
        "bend",
        "L10D",
        -2.0,
        2.0,
    ),
    Bound(
        "full-95-H10A",
        "At least 95 % of the received messages are full in H10A",
        "6.2",
        "full_share",
        "H10A",
        95.0,
    ),
    Never(
        "no-full-L10AD",
        "With id-based delay no received aggregate holds all ten events",
        "6.2, Figure 7d",
        "full",
        "L10AD",
    ),
    *(
        Order(
            f"reduction-{load}",
            f"At {word} rate, aggregation saves more with ten publishers than with five",
            "6.3",
            "reduction",
            f"{load}10A",
            f"{load}5A",
        )
        for load, word in (("H", "high"), ("L", "low"))
    ),
    *(
        Close(
            f"throughput-{size}",
            f"What aggregation saves does not depend on the rate, {size} publishers "
            "(we ask for at most 5.1 points, the largest difference of the paper's own)",
            "6.3",
            "reduction",
            f"H{size}A",
            f"L{size}A",
            5.1,
        )
        for size in (10, 5)
    ),
    *(
        Order(
            f"{measure.replace('_', '-')}-{plain}",
            f"Fewer {what} lost with aggregation than without, {plain}",
            f"6.4, Figure 7{panel}",
            measure,
            plain,
            f"{plain}A",
        )
        for measure, what, panel in _LOSSES
        for plain in ("H5", "H10", "L5", "L10")
    ),
    *(
        Order(
            f"delay-helps-L{size}",
            f"Id-based delay lowers the packet loss without aggregation, {size} publishers",
            "6.1" + ("" if size == 10 else " (the text names only ten)"),
            "packet_loss",
            f"L{size}",
            f"L{size}D",
        )
        for size in (10, 5)
    ),
    *(
        Order(
            f"{measure.replace('_', '-')}-L{size}D",
            f"With id-based delay more {what} lost with aggregation than without, {size} publishers",
            f"6.4, Figure 7{panel}" + ("" if size == 10 else " (the text names only ten)"),
            measure,
            f"L{size}AD",
            f"L{size}D",
        )
        for measure, what, panel in _LOSSES
        for size in (10, 5)
    ),
)


def checks(results: Results) -> list[Check]:
    """Check all claims, in the order of the paper's sections."""
    return [claim.check(results) for claim in CLAIMS]
