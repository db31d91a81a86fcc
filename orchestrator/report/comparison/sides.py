# SPDX-License-Identifier: Apache-2.0
"""Reads what the user named as A or B: the runs that ended ok and have metrics; the others are named."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path

from orchestrator.errors import NoSuchThing
from orchestrator.report.data import Results, read
from orchestrator.runs import run_list as run_lists
from orchestrator.runs.model import Outcome
from orchestrator.runs.store import Store
from orchestrator.words import did_you_mean, first_of


@dataclass(frozen=True)
class Side:
    """One side of a comparison.

    `results`: of the chosen cells, without runs that did not end ok. `excluded`: why other runs are left out.
    """

    name: str
    store: Path
    results: Results
    excluded: tuple[str, ...]

    @property
    def runs(self) -> set[str]:
        """The ids of the runs that count."""
        return set(self.results.per_run["run_id"])


def side(store_folder: Path, name: str) -> Side:
    """Read EXPERIMENT or EXPERIMENT/CELL of a store. Raises NoSuchThing if it has no run that counts."""
    experiment, _, cell = name.partition("/")
    Store(store_folder).known(experiment)
    whole = read(store_folder, experiment)
    if cell and cell not in whole.cells:
        raise NoSuchThing(f"no cell {cell!r} in {experiment}; {did_you_mean(cell, whole.cells)}")
    chosen = (cell,) if cell else whole.cells
    excluded, bad = [], set()
    measured = set(whole.per_run["run_id"])
    for manifest in whole.manifests:
        if manifest.cell not in chosen:
            continue
        run = f"{manifest.cell} seed {manifest.seed}"
        if manifest.outcome is not Outcome.OK:
            bad.add(manifest.run_id)
            excluded.append(f"{run}: {manifest.outcome}")
        elif manifest.run_id not in measured:
            excluded.append(
                f"{run}: no metrics (`orchestrate runs verify {experiment}` says whether its log is whole)"
            )
    absent = set(run_lists.runs(whole.folder) or ()) - {manifest.run_id for manifest in whole.manifests}
    if absent:
        excluded.append(
            f"{len(absent)} of the campaign's runs not made yet (`orchestrate run SCENARIO.yaml` goes on): "
            f"{first_of([run_id[:12] for run_id in sorted(absent)])}"
        )
    per_run = whole.per_run[
        whole.per_run["cell"].isin(chosen) & ~whole.per_run["run_id"].isin(bad)
    ].reset_index(drop=True)
    if per_run.empty:
        raise NoSuchThing(
            f"no run of {name} ended ok with metrics: {first_of(excluded)}\n"
            f"    `orchestrate runs list {experiment}` shows them; correct the scenario and run it again"
        )
    manifests = tuple(
        manifest for manifest in whole.manifests if manifest.cell in chosen and manifest.run_id not in bad
    )
    left = set(per_run["cell"])
    cells = tuple(cell for cell in chosen if cell in left)
    results = dataclasses.replace(whole, per_run=per_run, manifests=manifests, cells=cells)
    return Side(name, Path(store_folder), results, tuple(excluded))
