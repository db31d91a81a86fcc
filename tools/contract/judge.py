# SPDX-License-Identifier: Apache-2.0
"""Both sources' runs of one case beside each other: the records that only one prints, and a row a metric."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from orchestrator.statistics.effects import ALPHA, Difference, paired_difference, welch_difference
from tools.contract.measure import Measured

MARGIN = 0.01
DELIVERY = "delivery"
# With so high a probability the seeds that are still asked for show the equivalence, if there is no
# difference at all.
POWER = 0.95
EQUAL, EQUIVALENT, DIFFERENT, UNDECIDED = "equal", "equivalent", "DIFFERENT", "not shown"


@dataclass(frozen=True)
class Row:
    """A is the embedded Contiki, B Contiki-NG. Numbers in %: of A's mean, or points of a share."""

    case: str
    shape: str
    metric: str
    found: Difference
    margin: float
    p: float  # of the two one-sided tests

    @property
    def verdict(self) -> str:
        """DIFFERENT only where the whole interval lies outside the margin; what lies across it is not
        shown."""
        found = self.found
        if found.constant and found.mean == 0:
            return EQUAL
        if self.p < ALPHA:
            return EQUIVALENT
        return (
            DIFFERENT
            if min(abs(found.low), abs(found.high)) > self.margin and found.low * found.high > 0
            else UNDECIDED
        )

    def cells(self) -> tuple[str, ...]:
        found, to = self.found, 100 * MARGIN / self.margin if self.margin else 1.0
        share = self.metric == DELIVERY
        means = [f"{100 * one.mean:.2f} %" if share else f"{one.mean:,.1f}" for one in (found.a, found.b)]
        unit = "pp" if share else "%"
        return (
            self.case,
            self.shape,
            self.metric,
            f"{found.n:,}",
            *means,
            f"{to * found.mean:+.3f} {unit}",
            f"{to * found.low:+.3f} to {to * found.high:+.3f}",
            f"{self.p:.2g}",
            self.verdict,
        )


def rows(case: str, shape: str, a: Mapping[int, Measured], b: Mapping[int, Measured]) -> list[Row]:
    """By metric; `a` and `b` by seed. Paired where each seed offered the same from both sources: as many
    events, or packets of an application that counts none."""
    ours, theirs = (
        pd.DataFrame.from_dict({seed: one.counts for seed, one in side.items()}, orient="index").fillna(0)
        for side in (a, b)
    )
    for frame in (ours, theirs):
        delivered = frame.get("individual events delivered", frame.get("events_delivered"))
        # Of no events there is no share.
        if delivered is not None and "events_published" in frame and (frame["events_published"] > 0).all():
            frame[DELIVERY] = delivered / frame["events_published"]
    offered = next((metric for metric in ("events_published", "packets_sent") if metric in ours), None)
    paired = offered is not None and ours[offered].equals(theirs.get(offered))
    made = []
    for metric in dict.fromkeys([*ours, *theirs]):
        one, other = (frame.get(metric, pd.Series(0.0, frame.index)) for frame in (ours, theirs))
        found = (paired_difference if paired else welch_difference)(one, other)
        margin = MARGIN * (1 if metric == DELIVERY else abs(found.a.mean))
        made.append(Row(case, shape, metric, found, margin, found.equivalence(margin)))
    return made


def further_seeds(found: Sequence[Row]) -> int:
    """How many other seeds can tell of all that is not shown, by the spread seen; 0 if all is. Two one-sided
    tests are of power POWER where the margin is z(1 - ALPHA) + z(1 - (1 - POWER) / 2) standard errors
    (Schuirmann, 1987)."""
    from scipy.stats import norm

    errors = float(norm.ppf(1 - ALPHA) + norm.ppf(1 - (1 - POWER) / 2))
    return max(
        (
            math.ceil(row.found.n * (errors * row.found.error / row.margin) ** 2)
            for row in found
            if row.verdict == UNDECIDED and row.margin
        ),
        default=0,
    )


def one_sided(a: Mapping[int, Measured], b: Mapping[int, Measured]) -> list[str]:
    """What motes of only one source print, in any of its runs, and what fits the log format from neither."""
    ours, theirs = (frozenset().union(*(one.records for one in side.values())) for side in (a, b))
    said = [
        f"only with {source}: mote {mote} prints {form}"
        for source, those in (("the embedded Contiki", ours - theirs), ("Contiki-NG", theirs - ours))
        for mote, form in sorted(those)
    ]
    return said + [f"malformed: {line}" for side in (a, b) for one in side.values() for line in one.malformed]
