# SPDX-License-Identifier: Apache-2.0
"""Blame in words and as JSON, and the red findings of a round according to its verdict."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from orchestrator.errors import StorageFailed
from orchestrator.features.campaigns import record
from orchestrator.features.campaigns.judging.blame import Blame, Change, Red, What, failed
from orchestrator.features.campaigns.record import Round
from orchestrator.words import counted, enumerated

VERDICT = "verdict.json"  # in STORE/campaigns/NAME/verdicts/ROUND
_RED = ("worse", "changed")  # kinds of findings
_SHOWN = 6


def verdict(store: Path, round_: Round) -> dict[str, Any] | None:
    """Return a round's verdict from its file; None if there is none.

    Raises StorageFailed.
    """
    path = record.folder(store, round_.plan.campaign) / "verdicts" / round_.id / VERDICT
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        content["findings"], content["cells"], content["baseline"]  # noqa: B018 - that they are there
        return content
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StorageFailed(
            f"{path}: not a verdict that can be read: {error}\n"
            "    give it again (`orchestrate campaign verdict FILE`)"
        ) from error


def reds(round_: Round, judgement: dict[str, Any] | None) -> list[Red]:
    """Return the red findings: cells with failed runs, and red metrics, the surest first."""
    places = failed(round_)
    if judgement is not None:
        findings = [item for item in judgement["findings"] if item["kind"] in _RED]
        for item in sorted(findings, key=lambda item: item["p"] if item["p"] is not None else 1.0):
            places.append(Red(item["experiment"], item["cell"], item["metric"], item["key"]))
    return places


def sentences(given: Blame) -> list[str]:
    """Sentences for the reader: what changed, which cells show it, and what this does not say."""
    if not given.changes:
        return remarks(given)
    return [
        f"Changed between round {int(given.base)} and round {int(given.round)}:",
        *(f"  {change(change_)}" for change_ in given.changes),
        *remarks(given),
    ]


def remarks(given: Blame) -> list[str]:
    """All of it but the changes."""
    base, now = int(given.base), int(given.round)
    lines = [
        "That these changed does not show that they are the cause; `orchestrate bisect FILE` finds the "
        "commit."
        if given.changes
        else f"Nothing that determines a run changed between round {base} and round {now}: neither firmware "
        "nor engine nor scenario."
    ]
    if given.unchanged:
        lines.append(
            f"{_places(given.unchanged)}: red, although firmware, engine and scenario are the baseline's. "
            "Other seeds are left (chance, or a fault that the baseline's did not meet), and the machine."
        )
    if given.before:
        lines.append(f"{_places(given.before)}: runs failed in round {base} as well.")
    if given.shows:
        seconds = sum(show.seconds for show in given.shows)
        lines.append(
            f"The smallest set of cells that shows all that is red (a greedy choice): "
            f"{_places([show.place for show in given.shows])}, about {seconds:,.1f} s of simulation with all "
            "seeds."
        )
    lines += [f"Note: {note}." for note in given.notes]
    return lines


def of_cell(given: Blame, place: str) -> list[str]:
    """Return what changed in one cell."""
    return [change(change_) for change_ in given.changes if place in change_.cells]


def change(change_: Change) -> str:
    """Return a change in words."""
    text = f"{change_.what.value} {change_.name}" if change_.what is not What.CSC else change_.what.value
    text += f", {change_.how}" if change_.how else ""
    if change_.files:
        rest = len(change_.files) - _SHOWN
        text += f": {', '.join(change_.files[:_SHOWN])}" + (
            f" and {counted(rest, 'more file')}" if rest > 0 else ""
        )
    return f"{text} (in {counted(len(change_.cells), 'cell')})"


def plain(given: Blame) -> dict[str, Any]:
    """Blame in its JSON form."""
    return {
        "base": given.base,
        "round": given.round,
        "red": [vars(place) for place in given.red],
        "changes": [
            {
                **vars(change_),
                "what": change_.what.value,
                "files": list(change_.files),
                "cells": list(change_.cells),
            }
            for change_ in given.changes
        ],
        "shows": [vars(show) for show in given.shows],
        "unchanged": list(given.unchanged),
        "before": list(given.before),
        "notes": list(given.notes),
    }


def _places(places: Sequence[str]) -> str:
    more = len(places) - _SHOWN
    return enumerated([*places[:_SHOWN], *([f"{more} more"] if more > 0 else [])])
