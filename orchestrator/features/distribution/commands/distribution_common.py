# SPDX-License-Identifier: Apache-2.0
"""Common parts of the actions of orchestrate distribution: the reading, times and bounds in tables."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from orchestrator.cli.numbers import count
from orchestrator.cli.tables import Table, numbers

if TYPE_CHECKING:
    from orchestrator.features.distribution.deadlines import Deadline
    from orchestrator.features.distribution.readings import Reading
    from orchestrator.features.distribution.schedulability.verdict import Verdict


def reading(args: argparse.Namespace) -> Reading:
    """Return the reading that the options ask for."""
    from orchestrator.features.distribution.readings import Reading

    return Reading(args.release, args.bound)


def us(value: int | None) -> str | None:
    """Return a time in us as in the paper's tables, with commas."""
    return None if value is None else count(value)


def used_table(shares: dict[str, Fraction]) -> Table:
    """Return a table of the utilisation of each node and network."""
    from orchestrator.features.distribution.utilisation import percent

    rows = [(name, percent(share)) for name, share in shares.items()]
    return Table("Utilisation", ["node or network", *numbers("used")], rows)


def ages_table(title: str, ages: Sequence[dict], counts: Sequence[str], note: str) -> Table:
    """Return what each target read: `counts` of its values, how old they were at most, how many too old."""
    rows = [
        (
            age["target"],
            *(us(age[name]) for name in (*counts, "oldest", "validity")),
            (us(age["outdated"]), "red" if age["outdated"] else ""),
        )
        for age in ages
    ]
    heads = [name.replace("_", " ") for name in counts]
    return Table(title, ["target", *numbers(*heads, "oldest, us", "validity, us", "outdated")], rows, note)


def described(deadline: Deadline) -> dict:
    """Return a deadline as plain values, times in us."""
    return {
        "distribution": deadline.distribution.name,
        "object": deadline.distribution.object,
        "period": deadline.period,
        "superperiod": deadline.superperiod,
        "periods": deadline.periods,
        "release": deadline.release,
        "invalid_from": deadline.expires,
        "minimum": deadline.minimum,
        "deadline": deadline.deadline,
        "case": deadline.case,
        "decided_by": deadline.by and deadline.by.target.name,
        "targets": [
            {
                "target": each.target.name,
                "case": each.case,
                "deadline": each.deadline,
                "period": each.period if each.case != 1 else None,
                "window": [each.begins, each.ends] if each.case != 1 else None,
            }
            for each in deadline.all
        ],
    }


def bounds_described(judged: Verdict, observed: dict[str, int | None]) -> list[dict]:
    """Return the bounds of all tasks as plain values, times in us."""
    by_job = {bound.task.name: bound.response for bound in judged.by_job or ()}
    return [
        {
            "task": bound.task.name,
            "kind": bound.task.kind,
            "resource": bound.task.resource,
            "priority": bound.task.priority,
            "release": bound.task.release,
            "deadline": bound.task.deadline,
            "bound": bound.response,
            "bound_by_job": by_job.get(bound.task.name),
            "observed": observed.get(bound.task.name),
            "held": shorter.held,
        }
        for bound, shorter in zip(judged.verified, judged.bounds)
    ]
