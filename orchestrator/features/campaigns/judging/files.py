# SPDX-License-Identifier: Apache-2.0
"""The files of a verdict in STORE/campaigns/NAME/verdicts/ROUND.

verdict.json is for programs, junit.xml and summary.md for servers of continuous integration, index.html and
runs.html for readers.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from orchestrator import __version__, junit
from orchestrator.durable import rewrite
from orchestrator.errors import writing
from orchestrator.features.campaigns import samples
from orchestrator.features.campaigns.judging import blame_words
from orchestrator.features.campaigns.judging.judge import Finding, Kind, OfMetric
from orchestrator.features.campaigns.judging.model import CellState, Colour, Standing, Verdict
from orchestrator.features.campaigns.judging.summary import JSON, JUNIT, PAGE, RUNS, SUMMARY, summary
from orchestrator.features.campaigns.model import Product
from orchestrator.features.campaigns.record import Round

FORMAT = 1


def write(store: Path, verdict: Verdict) -> Path:
    """Write them all; return the page's path. Raises StorageFailed."""
    from orchestrator.features.campaigns.judging import page as verdict_page  # loads the report's charts

    folder = samples.folder(store, verdict.campaign, verdict.round.id)
    with writing(folder, "free space, then give the verdict again"):
        folder.mkdir(parents=True, exist_ok=True)
        rewrite(folder / JUNIT, junit_xml(verdict))
        rewrite(folder / SUMMARY, summary(verdict).encode())
        rewrite(folder / RUNS, verdict_page.runs(store, verdict).html.encode())
        rewrite(folder / PAGE, verdict_page.page(store, verdict).html.encode())
        rewrite(folder / JSON, (json.dumps(plain(verdict), indent=1, allow_nan=False) + "\n").encode())
    if verdict.round.over:
        verdict.round.made(Product.VERDICT)
    return folder / PAGE


def tested_before(store: Path, name: str, round_: Round, promotion: int) -> int:
    """How many rounds before this one were tested beside the present baseline.

    A verdict that can't be read counts as one: the night's level must not be too large.
    """
    count = 0
    for path in (samples.folder(store, name, round_.id).parent).glob(f"*/{JSON}"):
        try:
            number = int(path.parent.name)
        except ValueError:
            continue
        if number >= round_.plan.number:
            continue
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
            count += data["promotion"] == promotion and data["night"] > 0
        except (OSError, ValueError, KeyError, TypeError):
            count += 1
    return count


def plain(verdict: Verdict) -> dict[str, Any]:
    """Return the verdict in its JSON form."""
    base = verdict.baseline
    return {
        "format": FORMAT,
        "orchestrate": __version__,
        "campaign": verdict.campaign,
        "round": verdict.round.id,
        "at": verdict.round.plan.at.isoformat(timespec="seconds"),
        "verdict": verdict.colour.value,
        "reasons": [
            {"verdict": reason.colour.value, "place": reason.place, "text": reason.text}
            for reason in verdict.reasons
        ],
        "notes": list(verdict.notes),
        "promotion": 0 if base is None else base.number,
        "baseline": None if base is None else base.round,
        "effect": verdict.judging.effect,
        "false_alarms": verdict.judging.false_alarms,
        "night": verdict.night,
        "level": verdict.level,
        "tests": len(verdict.findings),
        "cells": [
            {
                "experiment": cell.experiment,
                "cell": cell.cell,
                "standing": cell.standing.value,
                "planned": cell.planned,
                "outcomes": dict(cell.outcomes),
                "left": dict(cell.left),
                "quarantine": cell.quarantine,
                "rounds": list(cell.pooled),
            }
            for cell in verdict.cells
        ],
        "findings": [_finding(finding) for finding in verdict.findings if finding.kind is not Kind.SAME],
        "blame": None if verdict.blame is None else blame_words.plain(verdict.blame),
        "change_points": [
            _named(trend) | {"rounds": [trend.points[place].round.id for place in trend.changes]}
            for trend in verdict.trends
            if trend.changes
        ],
    }


def _named(of_metric: OfMetric) -> dict[str, str]:
    return {
        "experiment": of_metric.experiment,
        "cell": of_metric.cell,
        "metric": of_metric.metric,
        "key": of_metric.key,
    }


def _finding(finding: Finding) -> dict[str, Any]:
    difference = finding.difference
    values = {
        "base": difference.a.mean,
        "now": difference.b.mean,
        "change": difference.mean,
        "low": difference.low,
        "high": difference.high,
        "effect": finding.effect,
        "p": finding.p,
    }
    return {
        **_named(finding),
        "unit": finding.how.unit,
        "kind": finding.kind.value,
        "paired": difference.paired,
        "n": [difference.a.n, difference.b.n],
    } | {name: None if math.isnan(value) else value for name, value in values.items()}


def junit_xml(verdict: Verdict) -> bytes:
    """Return a case for each cell, and one for the round itself."""
    general = [reason for reason in verdict.reasons if not reason.place]
    there = {cell.place for cell in verdict.cells}
    cases = [_round_case(verdict, general)]
    cases += [_cell_case(verdict, cell) for cell in verdict.cells]
    for place in sorted({reason.place for reason in verdict.reasons if reason.place} - there):
        cases.append(_case(verdict, place, "", 0.0))
    return junit.document(
        f"orchestrate campaign {verdict.campaign}", cases, sum(run.wall_s for run in verdict.runs if run.made)
    )


def _round_case(verdict: Verdict, general: list) -> junit.Case:
    text = "\n".join(reason.text for reason in general)
    worst = _worst(general)
    return junit.Case(
        verdict.campaign,
        f"round {verdict.round.id}",
        ended=worst,
        kind=verdict.colour.value if worst else "",
        message=text.partition("\n")[0],
        text=text,
    )


def _cell_case(verdict: Verdict, cell: CellState) -> junit.Case:
    seconds = sum(
        run.wall_s
        for run in verdict.runs
        if run.made and (run.experiment, run.cell) == (cell.experiment, cell.cell)
    )
    return _case(verdict, cell.place, cell.quarantine, seconds, cell.standing)


def _case(
    verdict: Verdict, place: str, quarantine: str, seconds: float, standing: Standing | None = None
) -> junit.Case:
    theirs = [reason for reason in verdict.reasons if reason.place == place]
    experiment, _, cell = place.partition("/")
    ended, message = _worst(theirs), theirs[0].text.partition("\n")[0] if theirs else ""
    if not ended and standing is Standing.QUARANTINED:
        ended, message = junit.SKIPPED, f"in quarantine: {quarantine}"
    return junit.Case(
        f"{verdict.campaign}.{experiment}",
        cell or experiment,
        seconds,
        ended=ended,
        kind=theirs[0].colour.value if theirs else "",
        message=message,
        text="\n".join([*(reason.text for reason in theirs), *_changed(verdict, place, ended)]),
        properties={} if standing is None else {"beside the baseline": standing.value},
    )


def _changed(verdict: Verdict, place: str, ended: str) -> list[str]:
    """Return what changed in a red cell since the baseline."""
    if verdict.blame is None or ended != junit.FAILURE:
        return []
    lines = blame_words.of_cell(verdict.blame, place)
    return ["changed since the baseline:", *(f"  {line}" for line in lines)] if lines else []


def _worst(reasons: list) -> str:
    colours = {reason.colour for reason in reasons}
    return junit.FAILURE if Colour.RED in colours else junit.ERROR if colours else ""
