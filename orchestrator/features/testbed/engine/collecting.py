# SPDX-License-Identifier: Apache-2.0
"""Brings runs that nobody has collected into folders, and removes them from the gateways."""

from __future__ import annotations

import json
import shutil
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

from orchestrate_testbed.errors import LabError
from orchestrate_testbed.model import Lab
from orchestrate_testbed.ssh import Network, together

from orchestrator import durable
from orchestrator.features.testbed.engine import collected_logs
from orchestrator.features.testbed.engine.ending import Course, ended, epoch_of, late_of
from orchestrator.features.testbed.engine.going_on import Doubtful, Earlier, earlier, forget, names
from orchestrator.features.testbed.engine.unfinished import now_us
from orchestrator.features.testbed.gateways import AtGateway
from orchestrator.features.testbed.reservation import mine, of_a_run, release
from orchestrator.runs.manifest import LOG_FILE
from orchestrator.runs.model import Outcome

PATIENCE_S = 10.0
RESULT = "result.json"


@dataclass(frozen=True)
class Brought:
    """One run. `state`: in words, if it has no outcome because it still runs or never began."""

    name: str
    title: str
    state: str
    outcome: Outcome | None = None
    why: str = ""


@dataclass
class Found:
    """All runs of a lab. `silent`: why gateways could not be asked."""

    runs: list[Brought] = field(default_factory=list)
    silent: list[str] = field(default_factory=list)


def collected(lab: Lab, network: Network, out: Path, now: bool, remove: bool = False) -> Found:
    """Bring all runs of a lab that are over; with `now` all whose controller is gone.

    A run leaves its gateways once all that each of them had is here. `remove`: it leaves those that answer in
    any case, also if nobody can tell whether it began.
    """
    places = {gateway.name: AtGateway(gateway, network) for gateway in lab.gateways}
    answers = together(places.values(), lambda place: place.deliver([]))
    collection = Found(silent=[str(each) for each in answers if isinstance(each, LabError)])
    for name in names(places):
        folder = out / name
        new = not folder.exists()
        try:
            collected_logs.add(collected_logs.of_run(name), folder)
            run = earlier(lab, places, name, folder)
            brought = _collected(places, name, run, folder, now, remove)
            collection.runs.append(brought)
            if brought.outcome is None:
                if new:
                    shutil.rmtree(folder, ignore_errors=True)
            elif remove:
                collected_logs.remove(name)
        except LabError as error:
            if remove and isinstance(error, Doubtful):
                forget(places, name)
                collected_logs.remove(name)
            collection.silent.append(str(error))
    for place in places.values():
        try:
            place.end()
        except LabError:
            pass  # the reason was reported
    if not any(run.state for run in collection.runs):
        release(lab, network, {name: held for name, held in mine(lab, network).items() if of_a_run(held)})
    return collection


def _collected(
    places: dict[str, AtGateway], name: str, run: Earlier | None, folder: Path, now: bool, remove: bool
) -> Brought:
    if run is None:
        forget(places, name)
        return Brought(name, "", "", None, "it never began, and nothing of it is left")
    record = run.record
    if record.alive():
        return Brought(name, record.title, "goes on", None, f"its controller lives ({record.process})")
    left_us = epoch_of(record) + record.ends.timeout_us + late_of(record) - now_us()
    if left_us > 0 and not now:
        why = f"for another {left_us / 1e6:.0f} s; --now ends it, to run its scenario again goes on with it"
        return Brought(name, record.title, "goes on", None, why)
    folder.mkdir(parents=True, exist_ok=True)
    reached_us = now_us() - epoch_of(record)
    began = time.monotonic()
    run.watch.close(PATIENCE_S)
    missing = list(run.missing)
    if left_us > 0:
        missing.append(
            f"the run was ended {reached_us / 1e6:.0f} s after its start; it was to take "
            f"{record.ends.timeout_us / 1e6:.0f} s"
        )
    course = Course(reached_us, time.monotonic() - began, missing)
    result = ended(record, run.watch, folder, folder / LOG_FILE, course)
    (folder / "merged").unlink()
    durable.rewrite(folder / RESULT, json.dumps(asdict(result), indent=2).encode("ascii"))
    if run.watch.complete or remove:
        run.watch.remove()
    why = result.evidence[0] if result.evidence else ""
    return Brought(name, record.title, "", result.outcome, why)
