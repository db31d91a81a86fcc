# SPDX-License-Identifier: Apache-2.0
"""The traced twin of a measured run: the same cell and seed with the trace on, found in the store or made
there.

Twins are kept in an experiment of their own, EXPERIMENT.trace, so that tables, metrics and reports of the
measured runs never see them. Printing takes no simulated time, so a twin's counters must equal the measured
run's; `check` says so. A twin is made from the run's manifest, not from the scenario: no code that a scenario
names is run for it but firmware.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from orchestrator.applications.descriptor import file, names
from orchestrator.errors import NoSuchThing, RunFailed
from orchestrator.inspect.find import Found
from orchestrator.inspect.tables import read
from orchestrator.runs import campaign as campaigns
from orchestrator.runs.cell import cell as as_cell
from orchestrator.runs.cell import unusable
from orchestrator.runs.manifest import Manifest
from orchestrator.runs.model import TWINS, Outcome
from orchestrator.runs.store import Store

MEASURED = {
    "counters": ("name", "value"),
    "deliveries": ("publisher", "events", "duplicates"),
    "aggregates": ("contributors", "count"),
    "delays": ("upper_ms", "count"),
    "states": ("state", "state_us"),
}


@dataclass(frozen=True)
class Check:
    """Whether the twin measured what the run did: how many values were compared, and those that differ (few
    of them). `other`: what was not the same to begin with (firmware, engine), which explains differences."""

    values: int
    differences: tuple[str, ...]
    other: tuple[str, ...]


def twin(store: Store, manifest: Manifest) -> Found | None:
    """The newest traced run of the same cell and seed, of the same firmware and engine if there is one."""
    experiment = manifest.experiment + TWINS
    if experiment not in store.experiments():
        return None
    wanted = manifest.parameters | {"trace": True}
    runs = [
        run
        for run in store.readable(experiment)[0]
        if run.seed == manifest.seed and run.parameters == wanted and run.outcome is Outcome.OK
    ]
    if not runs:
        return None
    best = max(runs, key=lambda run: (not _other(manifest, run), run.finished, run.run_id))
    return Found(store.folder(experiment, best.run_id), best)


def make(store: Store, manifest: Manifest) -> Found:
    """Simulates the run's cell and seed again with the trace on. Raises what campaigns raise, and
    RunFailed."""
    from orchestrator.campaign import plan, rebuild
    from orchestrator.campaign.execute import execute
    from orchestrator.campaign.pipeline import WALL_LIMIT_S
    from orchestrator.scenario.model import Scenario

    cell = replace(as_cell(manifest, _application(store, manifest)), trace=True)
    scenario = Scenario(
        manifest.experiment + TWINS,
        (cell,),
        (manifest.seed,),
        "",
        firmware=rebuild.options(manifest, store.experiment(manifest.experiment)),
    )
    try:
        planned = plan.prepare(scenario, store.path)
        specs = list(planned.specs())
    except (
        KeyError,
        TypeError,
        ValueError,
        ArithmeticError,
        AttributeError,
    ) as error:  # a scenario's values were checked, these are a file's
        raise unusable(manifest) from error
    with store.working(scenario.experiment):
        summary = execute(
            specs, 1, planned.engines, store, scenario.experiment, workers=1, wall_limit_s=WALL_LIMIT_S
        )
    if summary.failures:
        failure = summary.failures[0]
        raise RunFailed(
            "\n    ".join([f"the traced run ended with: {failure.outcome.value}", *failure.evidence])
        )
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
            differences.append(
                f"{names.get(mote, mote)} {table} {' '.join(rest)}: {_shown(ours.get(key))} measured, "
                f"{_shown(theirs.get(key))} traced"
            )
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


def _application(store: Store, manifest: Manifest) -> str:
    """Where the run's application is if it is one of the user's own, as noted when the campaign ran; "" if it
    is ours.
    """
    name = manifest.resolved.application.name
    noted = campaigns.readable(store.experiment(manifest.experiment)).applications.get(name)
    if noted is None:
        if name in names():
            return ""
        raise NoSuchThing(
            f"the application {name!r} is none of ours, and where it was is not in "
            f"{store.experiment(manifest.experiment)}\n"
            "    run the scenario file with `trace: true` (`orchestrate run`) and trace that run"
        )
    if not file(noted).is_file():
        raise NoSuchThing(
            f"the application {name} is no longer in {noted}\n"
            "    put it back there, or run the scenario file with `trace: true` (`orchestrate run`) and "
            "trace that run"
        )
    return noted


def _shown(values: tuple[int, ...] | None) -> str:
    return "nothing" if values is None else " ".join(str(value) for value in values)
