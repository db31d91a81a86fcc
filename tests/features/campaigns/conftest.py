# SPDX-License-Identifier: Apache-2.0
from datetime import UTC, datetime

import pytest

from orchestrator.engines.embedded.engine import EmbeddedEngine
from orchestrator.features.campaigns import run as campaigns
from orchestrator.features.campaigns.load import load
from orchestrator.features.campaigns.model import CellPlan, PartPlan, RoundPlan, RoundRun, RunKey
from orchestrator.runs.model import Outcome
from orchestrator.runs.spec import EngineUsed
from tests.features.campaigns.calls import StandIn

SCENARIO = """\
experiment: trial
topology: {shape: chain, publishers: 2, spacing: 5 m}
radio: {medium: udgm, range: 50 m, interference: 100 m, tx: 100 %, rx: 100 %}
application: {name: aggregation, rate: high}
duration: 20 s
drain: 1 s
seeds: 1..2
matrix:
  application.aggregate:
    - {label: plain, value: false}
    - {label: A, value: true}
"""
AT = datetime(2026, 3, 1, 2, 0, tzinfo=UTC)


def cell_plan(cell: str = "A", seeds=(1, 2, 3), **changes) -> CellPlan:
    values = {
        "digest": f"d-{cell}",
        "made_of": f"m-{cell}",
        "firmware": {"app": "f" * 64},
        "engine": EngineUsed("embedded", "v1", "5.0"),
        "settings": {"topology.publishers": 3},
    }
    return CellPlan(cell=cell, seeds=tuple(seeds), **values | changes)


def round_plan(number: int = 1, cells=None, **changes) -> RoundPlan:
    parts = (
        PartPlan(
            "one", "one.yaml", "experiment: one\n", {"duration": "1 min"}, tuple(cells or [cell_plan()])
        ),
        PartPlan("two", "paper aggregation", "experiment: two\n", {}, (cell_plan("B", (7,)),)),
    )
    values = {
        "campaign": "nights",
        "at": AT,
        "file": "campaign: nights\n",
        "file_sha256": "0" * 64,
        "version": "0.1.0",
        "host": "here",
        "shards": 1,
        "parts": parts,
    }
    return RoundPlan(number=number, **values | changes)


def ran(key: RunKey, outcome: Outcome = Outcome.OK, made: bool = True) -> RoundRun:
    return RoundRun(*key, f"{abs(hash(key)):020x}"[:20], f"t{key.seed}", outcome, made, 0.25)


@pytest.fixture
def store(tmp_path):
    return tmp_path / "store"


@pytest.fixture
def engine(monkeypatch) -> StandIn:
    made = StandIn()
    monkeypatch.setattr(EmbeddedEngine, "_run", lambda engine, job: made.run(engine, job))
    monkeypatch.setattr(campaigns, "PAUSE_S", 0.0)
    return made


@pytest.fixture
def nights(tmp_path):
    """A function that writes a campaign of a scenario with two cells, plain and A, and loads it."""
    (tmp_path / "trial.yaml").write_text(SCENARIO)

    def made(seeds="1..3", more=""):
        path = tmp_path / "nights.yaml"
        part = "{scenario: trial.yaml, experiment: trial}"
        path.write_text(f"campaign: nights\nseeds: {seeds}\n{more}\nparts: [{part}]\n")
        return load(path)

    return made
