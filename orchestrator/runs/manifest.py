# SPDX-License-Identifier: Apache-2.0
"""manifest.json: what determined a run and how it ended (format 1, docs/architecture.md).

Only this module reads manifests in orchestrate. Its callers get a Manifest with every field present and of
its type. Fields that were added after format 1 have defaults, so that older stores can be read.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from orchestrator.errors import StorageFailed
from orchestrator.runs.cell import as_cell
from orchestrator.runs.from_plain import from_plain
from orchestrator.runs.identity import plain, run_id
from orchestrator.runs.model import OnTestbed, Outcome, PlacedMote, RunResult
from orchestrator.runs.spec import Built, EngineUsed, RunSpec, Statistics
from orchestrator.scenario.model import Cell, OwnTopologySpec
from orchestrator.topology.model import Layout, Node

FORMAT = 1
FILE = "manifest.json"
CSC_FILE = "simulation.csc"
LOG_FILE = "COOJA.testlog"
AIR_FILE = "air"  # the record of what was on the air, if the scenario has `record: [air]`


@dataclass(frozen=True)
class Manifest:
    """The fields of a manifest file, in the file's order.

    `parameters`: the whole resolved cell, of which the ids are made. Times are ISO 8601, UTC.
    """

    run_id: str
    trend_id: str
    experiment: str
    cell: str
    settings: Mapping[str, Any]
    seed: int
    parameters: Mapping[str, Any]
    motes: tuple[Node, ...]
    csc_sha256: str
    log_sha256: str
    firmware: Mapping[str, str]
    engine: EngineUsed
    outcome: Outcome
    evidence: tuple[str, ...]
    statistics: Statistics
    host: Mapping[str, str | int]
    started: str
    finished: str
    orchestrate: str
    built: Built = Built()
    testbed: OnTestbed = OnTestbed()

    @cached_property
    def resolved(self) -> Cell:
        """The cell that `parameters` describe."""
        return as_cell(self.parameters)

    def usable(self, folder: str = "") -> Cell:
        """Return the cell, for a run that is to be made again. Raises StorageFailed.

        `folder`: where the application is, if it is the user's own.
        """
        from orchestrator.topology.own import wrong

        try:
            found = as_cell(self.parameters)
        except ValueError as error:
            raise self.unusable() from error
        topology = found.topology
        if plain(found) != self.parameters or (
            isinstance(topology, OwnTopologySpec) and wrong(Layout(topology.shape, topology.nodes))
        ):
            raise self.unusable()
        return replace(found, application=replace(found.application, folder=folder))

    def unusable(self) -> StorageFailed:
        """Return the error to raise if the cell can't be used."""
        return StorageFailed(
            f"the manifest of run {self.run_id} holds no cell that can be simulated\n"
            f"    `orchestrate runs verify {self.experiment}` says whether it was changed since"
        )

    def to_json(self) -> str:
        """Return the content of the manifest file."""
        content = {"format": FORMAT, **plain(self), "built": self.built.described()}
        if not self.testbed.lab:
            del content["testbed"]
        return json.dumps(content, indent=2, ensure_ascii=True, allow_nan=False) + "\n"

    def expected_run_id(self) -> str:
        """Compute the run id from the manifest's content."""
        return run_id(
            self.parameters,
            self.seed,
            self.csc_sha256,
            self.firmware,
            self.engine.name,
            self.engine.version,
        )


def read(path: Path, remedy: str) -> Manifest:
    """Read a manifest file. Raises FileNotFoundError, and StorageFailed with every fault and `remedy`."""
    try:
        return parse(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise
    except (OSError, ValueError, RecursionError) as error:
        raise StorageFailed(f"{path}: not a readable manifest: {error}\n    {remedy}") from error


def parse(text: str) -> Manifest:
    """Return the manifest that a file's content holds. Raises ValueError with everything that is wrong."""
    data = json.loads(text)
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise ValueError(f"not a manifest of format {FORMAT}")
    parts, faults = {}, []
    for name, part in _PARTS.items():
        if name in data:
            try:
                parts[name] = part(data[name])
            except ValueError as error:
                faults.append(f"{name}: {error}")
                parts[name] = None
    try:
        found = from_plain(
            Manifest, {one.name: data[one.name] for one in fields(Manifest) if one.name in data}, **parts
        )
    except ValueError as error:
        faults.insert(0, str(error))
    if faults:
        raise ValueError("; ".join(faults))
    return found


def _texts(given: Any) -> tuple[str, ...]:
    if not isinstance(given, list) or not all(isinstance(one, str) for one in given):
        raise ValueError(f"not a list of texts: {given!r}")
    return tuple(given)


def _by_name(given: Any) -> dict[str, str]:
    if not isinstance(given, dict) or not all(isinstance(one, str) for one in given.values()):
        raise ValueError(f"not texts by name: {given!r}")
    return given


def _motes(given: Any) -> tuple[Node, ...]:
    if not isinstance(given, list):
        raise ValueError(f"not a list: {given!r}")
    return tuple(from_plain(Node, one) for one in given)


def _parameters(given: Any) -> dict[str, Any]:
    as_cell(given)
    return given


_PARTS = {
    "parameters": _parameters,
    "motes": _motes,
    "firmware": _by_name,
    "engine": lambda given: from_plain(EngineUsed, given),
    "outcome": Outcome,
    "evidence": _texts,
    "statistics": lambda given: from_plain(Statistics, given),
    "built": lambda given: from_plain(Built, given),
    "testbed": lambda given: _testbed(given),
}


def _testbed(given: Any) -> OnTestbed:
    if not isinstance(given, dict) or not isinstance(given.get("motes", []), list):
        raise ValueError(f"not a testbed: {given!r}")
    ready = {name: _texts(given.get(name, [])) for name in ("replaced", "missing", "notes", "tools")}
    motes = tuple(from_plain(PlacedMote, one) for one in given.get("motes", []))
    return from_plain(OnTestbed, given, motes=motes, **ready)


def make(spec: RunSpec, result: RunResult, **ended: Any) -> Manifest:
    """Return the manifest of a run that has just ended; `ended` are the keyword arguments of `outcome`."""
    return Manifest(
        run_id=spec.run_id,
        trend_id=spec.trend_id,
        experiment=spec.experiment,
        cell=spec.cell.name,
        settings=plain(spec.cell.settings),
        seed=spec.seed,
        parameters=plain(spec.cell),
        motes=spec.motes,
        firmware=dict(sorted(spec.firmware_sha256.items())),
        engine=EngineUsed(spec.engine, spec.engine_version, spec.cell.ruleset),
        built=spec.built,
        **outcome(result, **ended),
    )


def outcome(
    result: RunResult,
    *,
    csc_sha256: str,
    log_sha256: str,
    host: Mapping[str, str | int],
    started: datetime,
    finished: datetime,
    version: str,
) -> dict[str, Any]:
    """Return the manifest's fields that say how a run ended, when, and on which host."""
    return {
        "csc_sha256": csc_sha256,
        "log_sha256": log_sha256,
        "outcome": result.outcome,
        "evidence": tuple(result.evidence),
        "testbed": result.testbed,
        "statistics": Statistics(result.sim_us, round(result.wall_s, 6), result.events, result.peak_memory),
        "host": host,
        "started": started.isoformat(timespec="milliseconds"),
        "finished": finished.isoformat(timespec="milliseconds"),
        "orchestrate": version,
    }
