# SPDX-License-Identifier: Apache-2.0
"""The order in which a call makes its runs.

Without a time budget the longest come first, so that no long run is left alone at the end. With one, the
most informative runs come first: a first result of each cell before a second of any (the interval of a cell
with
few results is the widest, and a cell without any says nothing); among those, cells that no round has run,
then those that were run longest ago, because an earlier budget left them out; then the longest.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from orchestrator.features.campaigns.model import RunKey


class Todo(NamedTuple):
    """A pending run.

    `last_run`: the number of the round that last ran its cell, 0 if none did; `expected_s`: what it will
    take, or anything that grows with it.
    """

    key: RunKey
    expected_s: float
    last_run: int = 0


def longest_first(runs: Iterable[Todo]) -> list[Todo]:
    """For a call that ends when all is done; the plan's order where they take the same."""
    return sorted(runs, key=lambda run: -run.expected_s)


def most_informative_first(runs: Iterable[Todo], there: Mapping[tuple[str, str], int]) -> list[Todo]:
    """For a call that may not come to the end. `there`: how many results a cell has in this round."""
    counts = dict(there)
    layered = []
    for run in runs:
        cell = (run.key.experiment, run.key.cell)
        layered.append((counts.get(cell, 0), run.last_run, -run.expected_s, len(layered), run))
        counts[cell] = counts.get(cell, 0) + 1
    return [entry[-1] for entry in sorted(layered)]
