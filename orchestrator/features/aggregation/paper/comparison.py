# SPDX-License-Identifier: Apache-2.0
"""The tables of published numbers beside ours and of claimed orders, for the report and the terminal."""

from __future__ import annotations

from dataclasses import dataclass

from orchestrator.features.aggregation.paper.checks import checks
from orchestrator.features.aggregation.paper.data import numbers
from orchestrator.features.aggregation.paper.explanations import Explanation, explanations
from orchestrator.features.aggregation.paper.measures import MEASURES, Measure
from orchestrator.papers.check import HOLDS, MISSING
from orchestrator.report.data import Results
from orchestrator.report.model import Block, Entry, Notes, Table
from orchestrator.report.statistics import against, at_least, number, single_runs, with_interval
from orchestrator.statistics.estimates import Estimate


@dataclass(frozen=True)
class Row:
    """A published number and ours."""

    id: str
    what: str
    reading: str
    cell: str
    where: str
    published: float
    ours: Estimate
    measure: Measure
    verdict: str
    tone: str

    @property
    def difference(self) -> float:
        """Ours minus the paper's, in the measure's unit."""
        return self.ours.mean - self.published

    @property
    def paper_text(self) -> str:
        """The published number with its unit."""
        places = 0 if float(self.published).is_integer() else 1
        return number(self.published, places) + (f"\u00a0{self.measure.unit}" if self.measure.unit else "")


def rows(results: Results) -> list[Row]:
    """Return a row for each published number, in the order of published.yaml."""
    found = []
    for entry in numbers():
        measure = MEASURES[entry["measure"]]
        ours = measure.estimate(results, entry["cell"])
        verdict, tone = against(
            float(entry["value"]), ours, measure.unit, measure.decimals, float(entry.get("rounded", 0))
        )
        found.append(
            Row(
                entry["id"],
                entry["what"],
                entry.get("reading", ""),
                entry["cell"],
                entry["where"],
                float(entry["value"]),
                ours,
                measure,
                verdict,
                tone,
            )
        )
    return found


def blocks(results: Results, swept: Results | None) -> list[Block]:
    """Return both tables, and the explanations that the counters of these runs confirm."""
    notes = explanations(results, swept)
    content: list[Block] = [_numbers(rows(results), notes), _orders(results, notes)]
    if notes:
        content.append(
            Notes("Why ours differ, by our counts", tuple((note.title, note.text) for note in notes))
        )
    return content


def explanation(id: str, notes: list[Explanation], agrees: bool) -> tuple[str, str]:
    """Return (text, tone) of the column "Why" for a number or a claim."""
    for place, note in enumerate(notes, 1):
        if id in note.covers:
            return f"note\u00a0{place}", ""
    return ("", "") if agrees else ("not explained", "open")


def _numbers(rows: list[Row], notes: list[Explanation]) -> Table:
    lines = []
    for row in rows:
        text, detail = with_interval(row.ours, row.measure.decimals, row.measure.unit)
        difference = number(row.difference, row.measure.decimals) + (
            " points" if row.measure.unit == "%" else ""
        )
        why, tone = explanation(row.id, notes, row.tone in ("good", "quiet"))
        lines.append(
            (
                Entry(
                    row.what, f"{row.cell}{', ' + row.reading if row.reading else ''}; section {row.where}"
                ),
                Entry(row.paper_text, number=True),
                Entry(text, detail, number=True),
                Entry(single_runs(row.ours, row.measure.decimals), number=True),
                Entry(difference if row.ours.known else "–", number=True),
                Entry(row.verdict, tone=row.tone),
                Entry(why, tone=tone),
            )
        )
    covered = min((row.ours.coverage for row in rows if row.ours.known), default=0.0)
    return Table(
        "Published numbers",
        ("What", "Paper", "Ours", "Single runs", "Difference", "Verdict", "Why"),
        tuple(lines),
        note=(
            "Ours: mean over seeds with its 95 % confidence interval, which says nothing about one run. The "
            "paper ran once, so its number is compared with the range of our single runs, smallest to "
            f"largest. One more run lies in it with a probability of at least {at_least(covered)} %, "
            "whatever the distribution."
        ),
    )


def _orders(results: Results, notes: list[Explanation]) -> Table:
    lines = []
    for check in checks(results):
        why, tone = explanation(check.id, notes, check.verdict in (HOLDS, MISSING))
        lines.append((*check.entries, Entry(why, tone=tone)))
    return Table(
        "Orders and shapes",
        ("Claim", "Ours", "Evidence", "Why"),
        tuple(lines),
        note=(
            "An order holds, or is reversed, if the 95 % confidence interval of the difference, taken seed "
            "by seed, excludes zero."
        ),
    )
