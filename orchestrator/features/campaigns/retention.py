# SPDX-License-Identifier: Apache-2.0
"""Finds the runs of a campaign that may go, and removes them.

Only runs that this campaign made, in rounds before those that are kept, can go. What is cited stays: by a
baseline of any campaign, by the present report of any experiment, by the verdicts of rounds that are kept.
Rounds themselves, their plans and journals, always stay: trends need them, and they are small. Age is counted
in rounds, so a clock that jumps removes nothing.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from orchestrator.errors import StorageFailed
from orchestrator.features.campaigns import record
from orchestrator.features.campaigns.record import Round
from orchestrator.features.campaigns.written import Retention
from orchestrator.runs import run_list as run_lists
from orchestrator.runs.identity import DIGITS
from orchestrator.runs.store import Store

_RUN_ID = re.compile(rf"(?<![0-9a-f])[0-9a-f]{{{DIGITS}}}(?![0-9a-f])")


@dataclass(frozen=True)
class Old:
    """A run that may go; `round`: the number of the last round that has it; `size`: bytes."""

    experiment: str
    run_id: str
    round: int
    size: int


@dataclass(frozen=True)
class Pruning:
    """The plan of `campaign prune`; `remove`: the runs to remove, the oldest first.

    `cited`: runs beyond the bounds that stay because something cites them. `size`: bytes of all runs of the
    campaign now; `over`: bytes by which the quota is exceeded even so.
    """

    remove: tuple[Old, ...]
    cited: int
    size: int
    over: int

    @property
    def freed(self) -> int:
        """Bytes that go."""
        return sum(run.size for run in self.remove)


def pruning(store: Path, name: str, keep: Retention) -> Pruning:
    """Return what the retention would remove.

    Raises StorageFailed if anything can't be read that may cite a run.
    """
    rounds = record.rounds(store, name)
    last_had = _last_had(rounds)
    kept_from = rounds[-keep.rounds].plan.number if keep.rounds and len(rounds) >= keep.rounds else 0
    cited = _cited(store, name, kept_from)
    there = Store(store)
    runs = [
        Old(experiment, run_id, number, _size(there.folder(experiment, run_id)))
        for (experiment, run_id), number in sorted(last_had.items(), key=lambda item: (item[1], item[0]))
        if there.folder(experiment, run_id).is_dir()
    ]
    newest = rounds[-1].plan.number if rounds else 0
    size = sum(run.size for run in runs)
    left = size
    remove, spared = [], 0
    for run in runs:
        too_old = run.round < kept_from
        too_much = keep.quota is not None and left > keep.quota and run.round < newest
        if not too_old and not too_much:
            continue
        if run.run_id in cited:
            spared += 1
        else:
            remove.append(run)
            left -= run.size
    over = 0 if keep.quota is None else max(0, left - keep.quota)
    return Pruning(tuple(remove), spared, size, over)


def prune(store: Path, what: Pruning) -> None:
    """Remove them, each by one rename. Raises StorageFailed."""
    there = Store(store)
    for run in what.remove:
        if there.folder(run.experiment, run.run_id).is_dir():
            there.remove(run.experiment, run.run_id)


def _last_had(rounds: list[Round]) -> dict[tuple[str, str], int]:
    """Each run of the campaign with the last round that has it. Raises StorageFailed if one is running."""
    last: dict[tuple[str, str], int] = {}
    for round_ in rounds:
        for run in round_.runs():
            last[run.experiment, run.run_id] = round_.plan.number
    return last


def _cited(store: Path, name: str, kept_from: int) -> set[str]:
    """Ids of runs that a baseline, a report or a verdict cites."""
    run_ids: set[str] = set()
    for path in _citing(store, name, kept_from):
        try:
            run_ids.update(_RUN_ID.findall(path.read_text(encoding="utf-8")))
        except (OSError, ValueError) as error:
            raise StorageFailed(
                f"{path} can't be read, so nothing is removed: {getattr(error, 'strerror', None) or error}\n"
                "    it may cite runs; make it readable, or remove it"
            ) from error
    for experiment in Store(store).experiments():
        run_ids.update(run_lists.runs(Store(store).experiment(experiment)) or ())
    return run_ids


def _citing(store: Path, name: str, kept_from: int) -> Iterator[Path]:
    """Files whose runs stay: every baseline, and the verdicts of rounds that are kept."""
    for other in record.names(store):
        baseline = record.folder(store, other) / "baseline.json"
        if baseline.exists():
            yield baseline
    for folder in sorted((record.folder(store, name) / "verdicts").glob("*")):
        if not folder.name.isdecimal() or int(folder.name) >= kept_from:
            yield from sorted(path for path in folder.glob("*") if path.suffix in (".json", ".html"))


def _size(folder: Path) -> int:
    """Bytes of a run's files."""
    total = 0
    for here, _, files in os.walk(folder):
        for name in files:
            with suppress(OSError):
                total += os.lstat(os.path.join(here, name)).st_size
    return total
