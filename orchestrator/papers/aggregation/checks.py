# SPDX-License-Identifier: Apache-2.0
"""The orders and shapes that the paper claims, each put to the test on ours: claim, result, evidence."""

from __future__ import annotations

from orchestrator.papers.aggregation.measures import MEASURES
from orchestrator.papers.check import EQUAL, FAILS, HOLDS, MISSING, REVERSED, UNDECIDED, Check
from orchestrator.report.data import Results
from orchestrator.report.statistics import Estimate, number, paired, sign, with_interval
from orchestrator.words import counted


def checks(results: Results) -> list[Check]:
    """All of them, in the paper's order of sections."""
    return [*_shapes(results), *_sizes(results), *_reductions(results), *_losses(results), *_delays(results)]


def _greater(results: Results, id: str, claim: str, where: str, measure: str, more: str, less: str) -> Check:
    """That `measure` is greater in cell `more` than in `less`, by the interval of the paired difference."""
    of = MEASURES[measure]
    first, second = of.of(results, more), of.of(results, less)
    difference = paired(first, second)
    if not difference.known:
        return Check(id, claim, where, MISSING, f"no runs of {more} and {less} with a seed in common")
    verdict = {1: HOLDS, -1: REVERSED, 0: UNDECIDED, None: UNDECIDED}[sign(difference)]
    if difference.n > 1 and difference.mean == 0 and difference.sd == 0:
        verdict = EQUAL
    text, detail = with_interval(difference, of.decimals, "points" if of.unit == "%" else of.unit)
    unit = f" {of.unit}" if of.unit else ""
    return Check(id, claim, where, verdict, (
        f"{more} {number(first.mean(), of.decimals)}{unit}, {less} {number(second.mean(), of.decimals)}{unit}; "
        f"paired difference {text} ({detail})"))


def _reductions(results: Results) -> list[Check]:
    return [_greater(results, f"reduction-{load}", f"At {word} rate, aggregation saves more with ten publishers than with five",
                     "6.3", "reduction", f"{load}10A", f"{load}5A") for load, word in (("H", "high"), ("L", "low"))]


def _losses(results: Results) -> list[Check]:
    return [_greater(results, f"{measure.replace('_', '-')}-{plain}", f"Fewer {what} lost with aggregation than without, {plain}",
                     f"6.4, Figure 7{panel}", measure, plain, f"{plain}A")
            for measure, what, panel in (("event_loss", "events", "g"), ("packet_loss", "packets", "h"))
            for plain in ("H5", "H10", "L5", "L10")]


def _delays(results: Results) -> list[Check]:
    more = [_greater(results, f"{measure.replace('_', '-')}-L{size}D",
                     f"With id-based delay more {what} lost with aggregation than without, {size} publishers",
                     "6.4, Figure 7" + panel + ("" if size == 10 else " (the text names only ten)"),
                     measure, f"L{size}AD", f"L{size}D")
            for measure, what, panel in (("event_loss", "events", "g"), ("packet_loss", "packets", "h")) for size in (10, 5)]
    less = [_greater(results, f"delay-helps-L{size}", f"Id-based delay lowers the packet loss without aggregation, {size} publishers",
                     "6.1" + ("" if size == 10 else " (the text names only ten)"), "packet_loss", f"L{size}", f"L{size}D")
            for size in (10, 5)]
    return less + more


def _bound(results: Results, id: str, claim: str, where: str, measure: str, cell: str, least: float | None = None,
           most: float | None = None) -> Check:
    """That the whole interval of a measure lies within bounds (ours, said in the claim)."""
    of = MEASURES[measure]
    value = of.estimate(results, cell)
    if not value.known:
        return Check(id, claim, where, MISSING, f"no runs of {cell}")
    text, detail = with_interval(value, of.decimals, of.unit)
    return Check(id, claim, where, _within(value, least, most), f"{cell}: {of.title} {text} ({detail})")


def _within(value: Estimate, least: float | None, most: float | None) -> str:
    low, high = (value.low, value.high) if value.n > 1 else (value.mean, value.mean)
    if (least is None or low >= least) and (most is None or high <= most):
        return HOLDS
    if (least is not None and high < least) or (most is not None and low > most):
        return FAILS
    return UNDECIDED


def _shapes(results: Results) -> list[Check]:
    return [
        _bound(results, "growth-H10", "Event messages grow towards the subscriber, by less than the ideal factor of ten, in H10 "
               "(we ask for 1.5 to 9.9 from P10 to P1)", "6.1, Figure 7a", "growth", "H10", 1.5, 9.9),
        _bound(results, "constant-H10A", "All publishers send nearly the same number of event messages in H10A "
               "(we ask for a spread of at most 10 %)", "6.1, Figure 7b", "spread", "H10A", None, 10),
        _bound(results, "linear-L10D", "Event messages grow linearly towards the subscriber in L10D (we ask for a factor of 9 to 10 "
               "from P10 to P1)", "6.1, Figure 7c", "growth", "L10D", 9.0, 10.01),
    ]


def _sizes(results: Results) -> list[Check]:
    claim = "With id-based delay no received aggregate holds all ten events"
    full = results.values("L10AD", "full_aggregates")
    if full.empty:
        none = Check("no-full-L10AD", claim, "6.2, Figure 7d", MISSING, "no runs of L10AD")
    else:
        runs = int((full > 0).sum())
        none = Check("no-full-L10AD", claim, "6.2, Figure 7d", HOLDS if runs == 0 else FAILS, (
            f"L10AD: full aggregates in {runs} of {counted(len(full), 'seed')}, {number(full.sum(), 0)} in all of them together"))
    return [_bound(results, "full-95-H10A", "At least 95 % of the received messages are full in H10A", "6.2", "full_share",
                   "H10A", 95.0), none]
