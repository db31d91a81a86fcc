# SPDX-License-Identifier: Apache-2.0
"""manifest.json: what determined a run and what came of it (format 1, docs/architecture.md)."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from orchestrator.runs.identity import plain, run_id
from orchestrator.runs.model import Outcome, RunResult, RunSpec

FORMAT = 1
FILE = "manifest.json"
CSC_FILE = "simulation.csc"
LOG_FILE = "COOJA.testlog"

_TYPES = {
    "run_id": str,
    "trend_id": str,
    "experiment": str,
    "cell": str,
    "settings": dict,
    "seed": int,
    "parameters": dict,
    "motes": list,
    "csc_sha256": str,
    "log_sha256": str,
    "firmware": dict,
    "engine": dict,
    "outcome": str,
    "evidence": list,
    "statistics": dict,
    "host": dict,
    "started": str,
    "finished": str,
    "orchestrate": str,
}


@dataclass(frozen=True)
class Manifest:
    """The file's fields, in its order. `parameters` is the whole resolved cell; times are ISO 8601, UTC."""

    run_id: str
    trend_id: str
    experiment: str
    cell: str
    settings: dict[str, Any]
    seed: int
    parameters: dict[str, Any]
    motes: list[dict[str, Any]]
    csc_sha256: str
    log_sha256: str
    firmware: dict[str, str]
    engine: dict[str, str]
    outcome: Outcome
    evidence: list[str]
    statistics: dict[str, Any]
    host: dict[str, Any]
    started: str
    finished: str
    orchestrate: str
    built: dict[str, str] = field(
        default_factory=dict
    )  # of what and where firmware was built; {} in older manifests

    def to_json(self) -> str:
        return (
            json.dumps({"format": FORMAT, **plain(self)}, indent=2, ensure_ascii=True, allow_nan=False) + "\n"
        )

    def expected_run_id(self) -> str:
        """The id that the manifest's own content gives."""
        return run_id(
            self.parameters,
            self.seed,
            self.csc_sha256,
            self.firmware,
            self.engine.get("name", ""),
            self.engine.get("version", ""),
        )


def parse(text: str) -> Manifest:
    """The manifest of a file's content. Raises ValueError with what is wrong."""
    data = json.loads(text)
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise ValueError(f"not a manifest of format {FORMAT}")
    for name, kind in _TYPES.items():
        if not isinstance(data.get(name), kind):
            raise ValueError(f"{name} is missing or not a {kind.__name__}")  # noqa: TRY004 - of a file's content
    built = data.get("built", {})
    if not isinstance(built, dict):
        raise ValueError("built is not a dict")  # noqa: TRY004 - of a file's content
    return Manifest(
        **{name: data[name] for name in _TYPES} | {"outcome": Outcome(data["outcome"]), "built": built}
    )


def make(
    spec: RunSpec,
    result: RunResult,
    *,
    csc_sha256: str,
    log_sha256: str,
    host: dict[str, Any],
    started: datetime,
    finished: datetime,
    version: str,
) -> Manifest:
    return Manifest(
        run_id=spec.run_id,
        trend_id=spec.trend_id,
        experiment=spec.experiment,
        cell=spec.cell.name,
        settings=plain(spec.cell.settings),
        seed=spec.seed,
        parameters=plain(spec.cell),
        motes=[plain(node) for node in spec.motes],
        csc_sha256=csc_sha256,
        log_sha256=log_sha256,
        firmware=dict(sorted(spec.firmware_sha256.items())),
        engine={"name": spec.engine, "version": spec.engine_version, "rules": spec.cell.ruleset},
        outcome=result.outcome,
        evidence=list(result.evidence),
        statistics={
            "sim_us": result.sim_us,
            "wall_s": round(result.wall_s, 6),
            "events": result.events,
            "peak_memory": result.peak_memory,
        },
        host=host,
        started=started.isoformat(timespec="milliseconds"),
        finished=finished.isoformat(timespec="milliseconds"),
        orchestrate=version,
        built=dict(spec.built),
    )
