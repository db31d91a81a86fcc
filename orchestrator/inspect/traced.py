# SPDX-License-Identifier: Apache-2.0
"""The traced twin of a measured run: the same cell and seed with the trace on, found in the store or made there.

Twins are kept in an experiment of their own, EXPERIMENT.trace, so that tables, metrics and reports of the measured runs
never see them. Printing takes no simulated time, so a twin's counters must equal the measured run's; `check` says so.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path

from orchestrator.errors import FaultyInput, NoSuchThing, RunFailed
from orchestrator.inspect.find import Found
from orchestrator.inspect.tables import read
from orchestrator.runs.identity import plain
from orchestrator.runs.manifest import Manifest
from orchestrator.runs.model import Outcome
from orchestrator.runs.store import Store

SUFFIX = ".trace"
MEASURED = {"counters": ("name", "value"), "deliveries": ("publisher", "events", "duplicates"),
            "aggregates": ("contributors", "count"), "delays": ("upper_ms", "count"), "states": ("state", "state_us")}


@dataclass(frozen=True)
class Check:
    """Whether the twin measured what the run did: how many values were compared, and those that differ (few of them).
    `other`: what was not the same to begin with (firmware, engine), which explains differences."""

    values: int
    differences: tuple[str, ...]
    other: tuple[str, ...]


def twin(store: Store, manifest: Manifest) -> Found | None:
    """The newest traced run of the same cell and seed, of the same firmware and engine if there is one."""
    experiment = manifest.experiment + SUFFIX
    if experiment not in store.experiments():
        return None
    wanted = manifest.parameters | {"trace": True}
    runs = [run for run in store.readable(experiment)[0] if run.seed == manifest.seed and run.parameters == wanted
            and run.outcome is Outcome.OK]
    if not runs:
        return None
    best = max(runs, key=lambda run: (not _other(manifest, run), run.finished, run.run_id))
    return Found(store.folder(experiment, best.run_id), best)


def make(store: Store, manifest: Manifest) -> Found:
    """Simulates the run's cell and seed again with the trace on. Raises what campaigns raise, and RunFailed."""
    from orchestrator.campaign import plan
    from orchestrator.campaign.execute import execute
    from orchestrator.campaign.pipeline import WALL_LIMIT_S
    from orchestrator.scenario.model import Scenario

    cell = replace(_cell(store, manifest), trace=True)
    scenario = Scenario(manifest.experiment + SUFFIX, (cell,), (manifest.seed,), "")
    planned = plan.prepare(scenario, store.path)
    with store.working(scenario.experiment):
        summary = execute(planned.specs(), 1, planned.engines, store, scenario.experiment, workers=1,
                          wall_limit_s=WALL_LIMIT_S)
    if summary.failures:
        failure = summary.failures[0]
        raise RunFailed("\n    ".join([f"the traced run ended with: {failure.outcome.value}", *failure.evidence]))
    run_id = summary.run_ids[0]
    return Found(store.folder(scenario.experiment, run_id), store.manifest(scenario.experiment, run_id))


def check(measured: Found, traced: Found) -> Check:
    """Compares all that motes dump after a run."""
    values, differences = 0, []
    names = {row["mote"]: row["name"] for row in read(measured.where, ["motes"])["motes"].to_dicts()}
    ours, theirs = _dumped(measured.where), _dumped(traced.where)
    for key in sorted({*ours, *theirs}):
        values += 1
        if ours.get(key) != theirs.get(key):
            table, mote, *rest = key
            differences.append(f"{names.get(mote, mote)} {table} {' '.join(rest)}: {_shown(ours.get(key))} measured, "
                               f"{_shown(theirs.get(key))} traced")
    return Check(values, tuple(differences), _other(measured.manifest, traced.manifest))


def _dumped(where: Path) -> dict[tuple, tuple[int, ...]]:
    """(table, mote, name) -> its values."""
    found = {}
    for table, frame in read(where, MEASURED).items():
        name, *values = MEASURED[table]
        for row in frame.select("mote", name, *values).rows():
            found[table, row[0], str(row[1])] = row[2:]
    return found


def _other(one: Manifest | None, two: Manifest | None) -> tuple[str, ...]:
    if one is None or two is None:
        return ()
    other = [] if one.firmware == two.firmware else ["the firmware was built anew and is another"]
    if one.engine != two.engine:
        other.append("the engine is another version")
    return tuple(other)


def _cell(store: Store, manifest: Manifest):
    """The run's cell, from the scenario that the store keeps beside the runs."""
    from orchestrator.scenario.load import load

    source = store.experiment(manifest.experiment) / "scenario.yaml"
    if not source.is_file():
        raise NoSuchThing(f"no scenario of {manifest.experiment} in {store.path}, so its runs can't be made again\n"
                          "    run the scenario file with `trace: true` (`orchestrate run`) and trace that run")
    wanted = manifest.parameters | {"trace": False}
    try:
        cells = load(source, runs_only=True, folder=_scenario_folder(source.parent)).cells
    except FaultyInput as faulty:  # as a rule it names files that were beside the scenario and are gone
        raise NoSuchThing(f"the runs of {manifest.experiment} can't be made again from the stored scenario alone: {faulty.faults[0].what}\n"
                          "    run the scenario file with `trace: true` (`orchestrate run`) and trace that run") from faulty
    for cell in cells:
        cell = replace(cell, ruleset=manifest.parameters.get("ruleset", cell.ruleset), trace=False)
        if plain(cell) == wanted:
            return cell
    raise NoSuchThing(f"the stored scenario of {manifest.experiment} has no cell {manifest.cell} as this run had it\n"
                      "    run the scenario file with `trace: true` (`orchestrate run`) and trace that run")


def _scenario_folder(experiment: Path) -> Path:
    """From where the paths in the stored scenario are seen: the applications and positions it names are not copied."""
    try:
        noted = json.loads((experiment / "campaign.json").read_text(encoding="utf-8"))["folder"]
        return Path(noted) if isinstance(noted, str) and noted else experiment
    except (OSError, ValueError, KeyError, TypeError):
        return experiment


def _shown(values: tuple[int, ...] | None) -> str:
    return "nothing" if values is None else " ".join(str(value) for value in values)
