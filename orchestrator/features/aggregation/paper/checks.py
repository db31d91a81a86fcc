# SPDX-License-Identifier: Apache-2.0
"""The orders and shapes that the paper claims, each tested on our runs.

A claim is judged twice: by the 95 % interval over our seeds (`check`) and run by run (`in_runs`), because the
paper saw one run of each configuration. Bounds are ours and are part of the claim's words.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

import pandas as pd

from orchestrator.features.aggregation.paper.measures import MEASURES
from orchestrator.papers.check import EQUAL, FAILS, HOLDS, MISSING, REVERSED, UNDECIDED, Check
from orchestrator.report.data import Results
from orchestrator.report.statistics import number, with_interval
from orchestrator.statistics.estimates import Estimate, estimate, paired, sign
from orchestrator.words import counted


@dataclass(frozen=True)
class Claim(ABC):
    """A claim about a measure; `where` is the section of the paper."""

    id: str
    claim: str
    where: str
    measure: str

    def check(self, results: Results) -> Check:
        """Judge the claim by the runs of all seeds."""
        return Check(self.id, self.claim, self.where, *self.verdict(results))

    @abstractmethod
    def verdict(self, results: Results) -> tuple[str, str]:
        """Return the verdict and the evidence."""

    @abstractmethod
    def in_runs(self, results: Results) -> pd.Series:
        """Say for each seed whether one run of each configuration shows the claim."""

    def values(self, results: Results, cell: str) -> pd.Series:
        """Return the measure's values in a cell, one for each seed."""
        return MEASURES[self.measure].of(results, cell)


@dataclass(frozen=True)
class Order(Claim):
    """The claim that `measure` is greater in cell `more` than in cell `less`."""

    more: str
    less: str

    def verdict(self, results: Results) -> tuple[str, str]:
        difference, values = _between(results, self.measure, self.more, self.less)
        if not difference.known:
            return MISSING, values
        if difference.n > 1 and difference.mean == 0 and difference.sd == 0:
            return EQUAL, values
        return {1: HOLDS, -1: REVERSED, 0: UNDECIDED, None: UNDECIDED}[sign(difference)], values

    def in_runs(self, results: Results) -> pd.Series:
        return (self.values(results, self.more) - self.values(results, self.less)).dropna() > 0


@dataclass(frozen=True)
class Close(Claim):
    """The claim that `measure` differs by at most `most` between two cells."""

    first: str
    second: str
    most: float

    def verdict(self, results: Results) -> tuple[str, str]:
        difference, values = _between(results, self.measure, self.first, self.second)
        return _within(difference, -self.most, self.most) if difference.known else MISSING, values

    def in_runs(self, results: Results) -> pd.Series:
        apart = (self.values(results, self.first) - self.values(results, self.second)).dropna()
        return apart.abs() <= self.most


@dataclass(frozen=True)
class Bound(Claim):
    """The claim that `measure` lies between `least` and `most` in a cell."""

    cell: str
    least: float = -math.inf
    most: float = math.inf

    def verdict(self, results: Results) -> tuple[str, str]:
        of = MEASURES[self.measure]
        value = of.estimate(results, self.cell)
        if not value.known:
            return MISSING, f"no runs of {self.cell}"
        text, detail = with_interval(value, of.decimals, of.unit)
        return _within(value, self.least, self.most), f"{self.cell}: {of.title} {text} ({detail})"

    def in_runs(self, results: Results) -> pd.Series:
        return self.values(results, self.cell).dropna().between(self.least, self.most)


@dataclass(frozen=True)
class Never(Claim):
    """The claim that `measure` is 0 in a cell, which one run can refute."""

    cell: str

    def verdict(self, results: Results) -> tuple[str, str]:
        by_run = self.in_runs(results)
        if by_run.empty:
            return MISSING, f"no runs of {self.cell}"
        return HOLDS if by_run.all() else FAILS, (
            f"{self.cell}: {MEASURES[self.measure].title} in {int((~by_run).sum())} of "
            f"{counted(len(by_run), 'seed')}, {number(self.values(results, self.cell).sum(), 0)} in all of "
            "them together"
        )

    def in_runs(self, results: Results) -> pd.Series:
        return self.values(results, self.cell).dropna() == 0


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


def _within(value: Estimate, least: float, most: float) -> str:
    """Judge a value by its whole interval."""
    low, high = (value.low, value.high) if value.n > 1 else (value.mean, value.mean)
    if least <= low and high <= most:
        return HOLDS
    return FAILS if high < least or low > most else UNDECIDED


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
        most=10,
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
            "reduction_counted",
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
            "reduction_counted",
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
