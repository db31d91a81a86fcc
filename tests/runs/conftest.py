# SPDX-License-Identifier: Apache-2.0
import hashlib
from datetime import UTC, datetime
from pathlib import Path

import pytest

from orchestrator.csc.model import EndScript, Udgm
from orchestrator.engines.deployment import Deployment, FirmwareSource
from orchestrator.runs import identity
from orchestrator.runs.manifest import LOG_FILE
from orchestrator.runs.model import Outcome, RunResult
from orchestrator.runs.spec import RunSpec
from orchestrator.runs.store import Store
from orchestrator.scenario.model import ApplicationSpec, Cell, RadioSpec, TopologySpec
from orchestrator.topology.model import Node

WHEN = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def make_cell(name: str = "H5", **changes) -> Cell:
    values = {
        "name": name,
        "settings": {"topology.publishers": 5},
        "topology": TopologySpec("chain", {"publishers": 5}),
        "radio": RadioSpec(),
        "application": ApplicationSpec("aggregation", {"rate": "high", "delay": 0}),
        "duration_us": 60_000_000,
        "drain_us": 10_000_000,
        "start_delay_us": 1_000_000,
        "ruleset": "5.0",
        "engine": "embedded",
        "trace": False,
    }
    return Cell(**values | changes)


def make_spec(
    cell: Cell | None = None, seed: int = 1, firmware: str = "f" * 64, text: bytes = b"<simconf/>"
) -> RunSpec:
    cell = cell or make_cell()
    digest = hashlib.sha256(text).hexdigest()
    return RunSpec(
        run_id=identity.run_id(cell, seed, digest, {"aggregation": firmware}, "embedded", "v1"),
        trend_id=identity.trend_id(cell, seed),
        experiment="trial",
        cell=cell,
        seed=seed,
        deployment=Deployment(
            "t", seed, 0, Udgm(), FirmwareSource("aggregation", "", "a.c", ""), (), EndScript(1000)
        ),
        csc_text=text,
        firmware={"aggregation": Path("a.cooja")},
        firmware_sha256={"aggregation": firmware},
        engine="embedded",
        engine_version="v1",
        motes=(Node(1, "S", "subscriber", 0, 0), Node(2, "P1", "publisher", 5, 0, 1)),
    )


def make_result(outcome: Outcome = Outcome.OK) -> RunResult:
    return RunResult(
        outcome, 370_000_000, 0.0123456789, 4711, 30_000_000, () if outcome is Outcome.OK else ("why",)
    )


def put(store: Store, spec: RunSpec, result: RunResult | None = None, log: bytes = b"Random seed: 1\n"):
    work = store.open(spec.experiment, spec.run_id)
    (work / LOG_FILE).write_bytes(log)
    return store.commit(work, spec, result or make_result(), started=WHEN, finished=WHEN)


@pytest.fixture
def store(tmp_path) -> Store:
    return Store(tmp_path / "store")
