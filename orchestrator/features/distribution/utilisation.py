# SPDX-License-Identifier: Apache-2.0
"""Computes how much of each node's and network's time a system uses, as exact fractions."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from orchestrator.features.distribution.tasks import Task


def utilisation(tasks: Iterable[Task]) -> dict[str, Fraction]:
    """Return the share of each resource's time that its tasks take at most, in the tasks' order."""
    shares: dict[str, Fraction] = {}
    for task in tasks:
        shares[task.resource] = shares.get(task.resource, Fraction(0)) + Fraction(task.execution, task.period)
    return shares


def overloaded(tasks: Iterable[Task]) -> tuple[str, ...]:
    """Return the resources that have more work than time."""
    return tuple(name for name, share in utilisation(tasks).items() if share > 1)


def percent(share: Fraction, places: int = 2) -> str:
    """Return a share as a text: `16.53 %`. Half is rounded up, as on paper."""
    scale = 10**places
    whole = (share * 100 * scale + Fraction(1, 2)).__floor__()
    return f"{whole // scale}.{whole % scale:0{places}d} %" if places else f"{whole} %"
