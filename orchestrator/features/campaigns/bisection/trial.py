# SPDX-License-Identifier: Apache-2.0
"""Tries one commit: one cell is run with the worktree's files, as far as the store lacks its runs.

Of a user's repository, application and Contiki-NG tree are taken from the worktree and everything else is
this orchestrate's. Of orchestrate's own repository the commit's code runs, with the Python and the libraries
of this one, in a store of its own: another version must not write into this one's tables.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

from orchestrator.build import contiki_ng
from orchestrator.errors import BuildFailed, FaultyInput, NoSuchThing, RunFailed, StorageFailed, Unsupported
from orchestrator.execution import pipeline
from orchestrator.execution import plan as plans
from orchestrator.execution.progress import NOBODY, Listener
from orchestrator.features.campaigns import record
from orchestrator.features.campaigns.bisection.state import Trial
from orchestrator.features.campaigns.judging.blame import OUTCOME, Red
from orchestrator.runs.model import UNDECIDED, Outcome
from orchestrator.runs.store import Store
from orchestrator.scenario.model import CONTIKI_NG, TREE_IN_IMAGE, Scenario

if TYPE_CHECKING:  # it loads slowly
    import pandas as pd

_SAYS_NOTHING = (BuildFailed, FaultyInput, NoSuchThing, Unsupported)  # seeds for which the commit is tried
Known = Callable[[str], float | None]  # a run's value by its id, None if it isn't known


def is_own(repository: Path) -> bool:
    """Whether it is a checkout of orchestrate."""
    return (repository / "orchestrator" / "cli" / "app.py").is_file() and (
        repository / "contiki-apps"
    ).is_dir()


def moved(scenario: Scenario, top: Path, worktree: Path) -> tuple[Scenario, tuple[str, ...]]:
    """Return the scenario with paths inside the checkout `top` moved to the worktree, and these paths.

    If nothing of it lies there, there are no paths.
    """
    paths: dict[str, None] = {}

    def there(folder: str) -> str:
        path = Path(folder).resolve()
        if not path.is_relative_to(top.resolve()):
            return folder
        within = path.relative_to(top.resolve())
        paths[within.as_posix()] = None
        return str(worktree / within)

    cells = tuple(
        replace(cell, application=replace(cell.application, folder=there(cell.application.folder)))
        if cell.application.folder
        else cell
        for cell in scenario.cells
    )
    firmware = scenario.firmware
    used = any(scenario.firmware_of(cell).source == CONTIKI_NG for cell in scenario.cells)
    if used and firmware.tree != TREE_IN_IMAGE and (tree := contiki_ng.tree(firmware.tree)) is not None:
        firmware = replace(firmware, tree=there(str(tree.folder)))
    return replace(scenario, cells=cells, firmware=firmware), tuple(paths)


def of_users(
    scenario: Scenario, store: Path, commit: str, red: Red, known_runs: Known, listener: Listener = NOBODY
) -> Trial:
    """Try a commit of a user's repository: `scenario` has one cell, and its folders are in the worktree."""
    (cell,) = scenario.cells
    try:
        runs = plans.prepare(scenario, store, say=listener.say, show=listener.line).runs(cell)
        run_ids = {seed: runs.ids(seed)[0] for seed in scenario.seeds}
        values = {seed: known_runs(run_id) for seed, run_id in run_ids.items()}
        todo = tuple(seed for seed, value in values.items() if value is None)
        simulated = 0
        if todo:
            wanted = replace(scenario, seeds=todo)
            done = pipeline.run(wanted, store, report=red.metric != OUTCOME, page=False, told=listener)
            simulated = done.summary.made
            by_run = measured(store, scenario.experiment, {run_ids[seed] for seed in todo}, red)
            values |= {seed: by_run.get(run_ids[seed]) for seed in todo}
    except _SAYS_NOTHING as error:
        return Trial(commit, skipped=f"{str(error).splitlines()[0]}")
    return _trial(commit, values, run_ids, simulated)


def of_own(
    given: Mapping[str, object],
    store: Path,
    commit: str,
    red: Red,
    worktree: Path,
    listener: Listener = NOBODY,
) -> Trial:
    """Try a commit of orchestrate: its `campaign run` runs a campaign of one cell in a store of its own.

    `given`: what the campaign's file says.
    """
    store.mkdir(parents=True, exist_ok=True)
    file = store.parent / "campaign.yaml"
    file.write_text(yaml.safe_dump(dict(given)), encoding="utf-8")
    before = {run for experiment in Store(store).experiments() for run in Store(store).ids(experiment)}
    environment = {
        **os.environ,
        "PYTHONPATH": f"{worktree}{os.pathsep}{worktree / 'spark'}",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    listener.stage(f"running orchestrate of {commit[:12]}")
    words = ["campaign", "run", str(file.resolve()), "--store", str(store.resolve()), "--new"]
    done = subprocess.run(
        [sys.executable, "-m", "orchestrator.cli.app", *words],
        cwd=worktree,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=False,
        stdin=subprocess.DEVNULL,
    )
    if done.returncode == 128 + 2 or done.returncode == -2:
        raise KeyboardInterrupt
    if done.returncode not in (0, 1, RunFailed.exit_code):
        lines = done.stderr.strip().splitlines() or ["it says nothing"]
        reason = next((line for line in lines if line.startswith("orchestrate")), lines[-1])
        return Trial(commit, skipped=f"its code ended with {done.returncode}: {reason.strip()}")
    try:
        last = record.latest(store, str(given["campaign"]))
        run_ids = {} if last is None else {run.seed: run.run_id for run in last.runs()}
        by_run = measured(store, red.experiment, set(run_ids.values()), red)
    except (StorageFailed, NoSuchThing) as error:
        return Trial(commit, skipped=f"what its code wrote can't be read: {str(error).splitlines()[0]}")
    values = {seed: by_run.get(run_id) for seed, run_id in run_ids.items()}
    return _trial(commit, values, run_ids, len(set(run_ids.values()) - before))


def _trial(
    commit: str, values: Mapping[int, float | None], run_ids: Mapping[int, str], simulated: int
) -> Trial:
    there = {seed: value for seed, value in values.items() if value is not None}
    return Trial(commit, there, run_ids, simulated, "" if there else "no run has a value of the metric")


def measured(store: Path, experiment: str, run_ids: set[str], red: Red) -> dict[str, float]:
    """Return the values of runs of the store by their ids: of a metric, or whether the run failed (1 or 0).

    Runs that say nothing, or of which the store has no metrics, are not in it.
    """
    if red.metric == OUTCOME:
        return {
            run.run_id: float(run.outcome is not Outcome.OK)
            for run in Store(store).readable(experiment, run_ids)[0]
            if run.outcome not in UNDECIDED
        }
    from orchestrator.report.data import per_run_table

    try:
        table = per_run_table(Store(store).experiment(experiment) / "metrics" / "per_run", experiment)
    except NoSuchThing:
        return {}
    return of_frame(table, run_ids, red)


def of_frame(frame: pd.DataFrame, run_ids: set[str], red: Red) -> dict[str, float]:
    """Return the same of a table of metrics."""
    own = frame[(frame["metric"] == red.metric) & (frame["key"] == red.key) & frame["run_id"].isin(run_ids)]
    own = own.dropna(subset=["value"])
    return {str(run_id): float(value) for run_id, value in zip(own["run_id"], own["value"], strict=True)}
