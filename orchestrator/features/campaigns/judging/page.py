# SPDX-License-Identifier: Apache-2.0
"""The verdict as a page: its reasons, the trends over the nights, each cell and each test.

Every point of a trend, and every night, leads to a page with that night's runs, and from there to their
folders.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from orchestrator import __version__
from orchestrator.features.campaigns import samples
from orchestrator.features.campaigns.judging import blame_words
from orchestrator.features.campaigns.judging.judge import Finding, Kind
from orchestrator.features.campaigns.judging.model import RED_KINDS, CellState, Colour, Standing, Verdict
from orchestrator.features.campaigns.judging.summary import JSON, PAGE, RUNS, headline, how
from orchestrator.features.campaigns.judging.trend import Trend
from orchestrator.features.campaigns.record import Round
from orchestrator.report.generic import file_name
from orchestrator.report.lines import Guides, Line, lines
from orchestrator.report.model import Block, Entry, Figure, Gallery, Link, Section, Table, Text
from orchestrator.report.render import Page
from orchestrator.report.statistics import CI, number
from orchestrator.runs.model import Outcome
from orchestrator.runs.store import Store

TONES = {Colour.GREEN: "good", Colour.RED: "bad", Colour.INCOMPLETE: "open"}
MOST_TRENDS = 24
_FEWEST_POINTS = 2
_NAMED_ROUNDS = 8  # on the axis of a trend
_FIRST = 12  # of the reasons and of the trends, which are shown even if all of them would be folded
_KINDS = {Kind.WORSE: "bad", Kind.CHANGED: "bad", Kind.BETTER: "good"}


def page(store: Path, verdict: Verdict) -> Page:
    """Return the verdict's page."""
    base, ok = verdict.baseline, sum(cell.ok for cell in verdict.cells)
    facts = [
        ("Verdict", verdict.colour.value),
        ("Runs that ended ok", f"{ok} of {sum(cell.planned for cell in verdict.cells)}"),
        ("Tests", number(len(verdict.findings), 0)),
        ("Baseline", "none" if base is None else f"round {int(base.round)}"),
    ]
    sections = [
        Section("verdict", "Verdict", tuple(_verdict(verdict))),
        Section("trends", "Trends", tuple(_trends(verdict))),
        Section("nights", "Nights", (_nights(store, verdict),)),
        Section("cells", "Cells", (_cells(verdict),)),
    ]
    if verdict.findings:
        sections.append(Section("tests", "Tests", tuple(_tests(verdict))))
    return Page(
        f"{verdict.campaign}: {verdict.colour.value}",
        f"Round {int(verdict.round.id)}, begun {_time(verdict.round)}. {headline(verdict)}.",
        tuple(facts),
        tuple(sections),
        f"orchestrate {__version__}",
    )


def _time(round_: Round) -> str:
    return round_.plan.at.strftime("%Y-%m-%d %H:%M UTC")


def _verdict(verdict: Verdict) -> list[Block]:
    blocks: list[Block] = [Text((f"{headline(verdict)}.",), "lead")]
    for title, colour in (("Red", Colour.RED), ("Not run, or not compared", Colour.INCOMPLETE)):
        rows = tuple(
            (
                Entry(reason.place or "the round", href=_cell_link(verdict.round, reason.place)),
                Entry(reason.text),
            )
            for reason in verdict.reasons
            if reason.colour is colour
        )
        if rows:
            blocks.append(Table(title, ("Where", "What"), rows[:_FIRST]))
        if rows[_FIRST:]:
            blocks.append(Table(f"{title}, the others", ("Where", "What"), rows[_FIRST:]))
    blocks += _changed(verdict)
    out = tuple((Entry(cell.place), Entry(cell.quarantine)) for cell in verdict.cells if cell.quarantine)
    if out:
        blocks.append(Table("In quarantine", ("Cell", "Why, and until when"), out))
    if verdict.notes:
        blocks.append(Text(verdict.notes, "warning"))
    blocks.append(Text((how(verdict),), "note"))
    base = verdict.baseline
    if base is not None:
        origin = (
            f"The baseline is round {int(base.round)}, promoted {base.promoted} by {base.by}: {base.reason}"
        )
        blocks.append(Text((origin,), "note"))
    return blocks


def _changed(verdict: Verdict) -> list[Block]:
    """Return what changed since the baseline, of a red round."""
    given = verdict.blame
    if given is None:
        return []
    rows = tuple(
        (
            Entry(f"{change.what.value} {change.name}"),
            Entry("; ".join(filter(None, (change.how, ", ".join(change.files))))),
            Entry(number(len(change.cells), 0)),
        )
        for change in given.changes
    )
    title = f"What changed since round {int(given.base)}"
    table = [Table(title, ("What", "How, and in which files", "Cells"), rows)] if rows else []
    return [*table, Text(tuple(blame_words.remarks(given)), "note")]


def _trends(verdict: Verdict) -> list[Block]:
    """Return the trends: those that turned red, those that changed, then all cells' losses and delays."""
    red = {
        (finding.experiment, finding.cell, finding.metric, finding.key)
        for finding in verdict.of_kind(*RED_KINDS)
    }

    def rank(trend: Trend) -> tuple[int, int]:
        name = trend.experiment, trend.cell, trend.metric, trend.key
        return (0 if name in red else 1 if trend.changes else 2, trend.how.declared.place or 1000)

    longest = sorted((trend for trend in verdict.trends if len(trend.points) >= _FEWEST_POINTS), key=rank)
    if not longest:
        return [Text(("A trend needs two nights; the next round has one.",), "note")]
    figures = tuple(_figure(verdict, trend) for trend in longest[:MOST_TRENDS])
    rest = len(longest) - len(figures)
    note = (
        "Each point is the mean of a night's runs and leads to them; the band is its 95 % confidence "
        "interval. A line marks the night with which a trend changed, by PELT with the library ruptures; it "
        "says since when, and doesn't turn the verdict red."
        + (f" {rest} more trends are not drawn." if rest else "")
    )
    parts = (figures[:_FIRST], figures[_FIRST:])
    return [Text((note,), "note"), *(Gallery(part) for part in parts if part)]


def _figure(verdict: Verdict, trend: Trend) -> Figure:
    xs = [float(point.round.plan.number) for point in trend.points]
    values = [point.value for point in trend.points]
    several = [value.n > 1 for value in values]
    low = [value.low if some else value.mean for value, some in zip(values, several)]
    high = [value.high if some else value.mean for value, some in zip(values, several)]
    means = [value.mean for value in values]
    base = verdict.baseline
    steps = [(xs[place], "changed") for place in trend.changes]
    if base is not None and xs[0] <= int(base.round) <= xs[-1]:
        steps.append((float(base.round), "baseline"))
    drawing = lines(
        [Line("", xs, means, low, high)],
        "round",
        f"{trend.title}, {trend.how.unit}" if trend.how.unit else trend.title,
        guides=Guides(steps=steps),
        ticks=rounds(int(xs[0]), int(xs[-1])),
        wide=False,
    )
    links = tuple(
        Link(
            x,
            y,
            _cell_link(point.round, f"{trend.experiment}/{trend.cell}", verdict.round),
            f"round {point.round.plan.number}: {number(point.value.mean, 2)} {trend.how.unit}".strip(),
        )
        for (x, y), point in zip(drawing.shares(list(zip(xs, means))), trend.points)
    )
    last = values[-1]
    caption = (
        f"{trend.experiment}/{trend.cell}, over {len(xs)} nights; the last has "
        f"{number(last.mean, max(1, trend.how.declared.decimals))} {trend.how.unit}".strip()
        + f", n = {last.n}."
    )
    return Figure(
        file_name("trend", trend.experiment, trend.cell, trend.metric, trend.key),
        f"{trend.title}: {trend.experiment}" + (f"/{trend.cell}" if trend.cell else ""),
        drawing,
        caption,
        f"{trend.title} of {trend.experiment}/{trend.cell} over the nights",
        links=links,
    )


def rounds(first: int, last: int) -> list[tuple[float, str]]:
    """Return which rounds an axis names: whole numbers, each so far from the next as the others."""
    step = -(-(last - first + 1) // _NAMED_ROUNDS)
    return [(float(each), str(each)) for each in range(first, last + 1, step)]


def _cell_link(of: Round, place: str, seen_from: Round | None = None) -> str:
    """Return the link to the list of a cell's runs, relative to the page of another round."""
    anchor = f"#{anchor_of(place)}" if place else ""
    where = "" if seen_from is None or seen_from.id == of.id else f"../{of.id}/"
    return f"{where}{RUNS}{anchor}"


def anchor_of(place: str) -> str:
    """Return the anchor of a cell in a page of runs."""
    return file_name("runs", *place.split("/"))


def _nights(store: Path, verdict: Verdict) -> Table:
    rows = []
    rounds = {
        round_.id: round_ for trend in verdict.trends for round_ in (point.round for point in trend.points)
    }
    rounds[verdict.round.id] = verdict.round
    for round_ in sorted(rounds.values(), key=lambda round_: -round_.plan.number):
        colour, tests = _recorded_verdict(store, verdict, round_)
        href = PAGE if round_.id == verdict.round.id else f"../{round_.id}/{PAGE}"
        rows.append(
            (
                Entry(f"round {round_.plan.number}", href=href),
                Entry(_time(round_)),
                Entry(colour, tone=TONES.get(Colour(colour), "") if colour in set(Colour) else ""),
                Entry(tests, number=True),
                Entry("its runs", href=_cell_link(round_, "", verdict.round)),
            )
        )
    return Table("Rounds with metrics", ("Round", "Begun", "Verdict", "Tests", "Runs"), tuple(rows))


def _recorded_verdict(store: Path, verdict: Verdict, round_: Round) -> tuple[str, str]:
    """Return a round's recorded verdict and its number of tests."""
    if round_.id == verdict.round.id:
        return verdict.colour.value, str(len(verdict.findings))
    try:
        path = samples.folder(store, verdict.campaign, round_.id) / JSON
        data = json.loads(path.read_text(encoding="utf-8"))
        return str(data["verdict"]), str(data["tests"])
    except (OSError, ValueError, KeyError, TypeError):
        return "not known", ""


def _cells(verdict: Verdict) -> Table:
    tones = {Standing.COMPARED: "good", Standing.SAME_CODE: "good"}
    rows = tuple(
        (
            Entry(cell.place, href=_cell_link(verdict.round, cell.place)),
            Entry(f"{cell.ok} of {cell.planned}", _others(cell), number=True),
            Entry(cell.standing.value, tone=tones.get(cell.standing, "open")),
            Entry(", ".join(str(int(each)) for each in cell.pooled)),
        )
        for cell in verdict.cells
    )
    return Table(
        "Every cell of the round",
        ("Cell", "Runs that ended ok", "Beside the baseline", "Rounds tested"),
        rows,
    )


def _others(cell: CellState) -> str:
    counts = [f"{count} {what}" for what, count in sorted(cell.outcomes.items()) if what != Outcome.OK.value]
    return ", ".join(counts + [f"{count} not run: {why}" for why, count in sorted(cell.left.items())])


def _tests(verdict: Verdict) -> list[Block]:
    findings = sorted(verdict.findings, key=lambda finding: (finding.kind not in _KINDS, finding.p))
    columns = ("Metric", "Cell", "Baseline", "Now", f"Change, {CI}", "Counts from", "p (Holm)", "Shown")
    return [
        Table("Metrics that were tested", columns, tuple(_test(finding) for finding in findings)),
    ]


def _test(finding: Finding) -> tuple[Entry, ...]:
    difference, digits = finding.difference, max(1, finding.how.declared.decimals)
    points = finding.how.unit.replace("%", "points")
    return (
        Entry(finding.title, finding.how.unit),
        Entry(f"{finding.experiment}/{finding.cell}"),
        Entry(number(difference.a.mean, digits), f"n = {difference.a.n}", number=True),
        Entry(number(difference.b.mean, digits), f"n = {difference.b.n}", number=True),
        Entry(
            f"{number(difference.mean, digits)} {points}".strip(),
            f"{number(difference.low, digits)} to {number(difference.high, digits)}",
            number=True,
        ),
        Entry(f"{number(finding.effect, digits)} {points}".strip(), number=True),
        Entry("–" if finding.p != finding.p else f"{finding.p:.2g}", number=True),
        Entry(finding.kind.value, tone=_KINDS.get(finding.kind, "quiet")),
    )


def runs(store: Path, verdict: Verdict) -> Page:
    """Return the runs of a round by cell, each with its folder."""
    here, stored_runs = samples.folder(store, verdict.campaign, verdict.round.id), Store(store)
    sections = []
    for cell in verdict.cells:
        rows = tuple(
            (
                Entry(f"seed {run.seed}"),
                Entry(
                    run.run_id,
                    href=f"{os.path.relpath(stored_runs.folder(run.experiment, run.run_id), here)}/",
                ),
                Entry(run.outcome.value, tone="" if run.outcome is Outcome.OK else "bad"),
                Entry("simulated by this round" if run.made else "was in the store"),
            )
            for run in sorted(verdict.runs, key=lambda run: run.seed)
            if (run.experiment, run.cell) == (cell.experiment, cell.cell)
        )
        report = os.path.relpath(stored_runs.experiment(cell.experiment) / "report" / "index.html", here)
        columns = ("Seed", "Run", "Outcome", "From")
        blocks = [Table("Runs", columns, rows) if rows else Text(("No run of it ended.",), "note")]
        if (here / report).is_file():
            link = Entry("report of the experiment", href=report)
            blocks.append(Table("More", ("", ""), ((link, Entry("")),)))
        sections.append(Section(anchor_of(cell.place), cell.place, tuple(blocks)))
    return Page(
        f"{verdict.campaign}, round {verdict.round.plan.number}: runs",
        f"Begun {_time(verdict.round)}. A run's folder holds its manifest, its .csc and its log.",
        (("Runs", number(len(verdict.runs), 0)), ("Verdict", verdict.colour.value)),
        tuple(sections),
        f"orchestrate {__version__}",
    )
