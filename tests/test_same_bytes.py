# SPDX-License-Identifier: Apache-2.0
"""Same scenario, firmware sources and seed: same bytes, whoever compiled them and however many runs go at
once.
"""

from __future__ import annotations

import hashlib

import pytest

from orchestrator.execution import pipeline
from orchestrator.execution.execute import Effort
from orchestrator.scenario.load import loads
from tests.same_bytes import SCENARIO, builds, log_hashes


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    return log_hashes(*builds()[0], tmp_path_factory.mktemp("reference"))


@pytest.mark.parametrize("build", builds(), ids="".join)
def test_every_compiler_and_optimisation_gives_the_same_log(build, reference, tmp_path):
    assert log_hashes(*build, tmp_path) == reference
    assert len(set(reference.values())) == len(reference), "cells that differ must not give one log"


def test_any_number_of_workers_gives_the_same_runs(tmp_path):
    scenario = loads(SCENARIO.replace("seeds: [1]", "seeds: 1..3"), "same-bytes.yaml")
    stores = {workers: tmp_path / str(workers) for workers in (1, 2, 5)}
    logs = {}
    for workers, store in stores.items():
        result = pipeline.run(scenario, store, Effort(workers), report=False)
        assert not result.summary.failures
        logs[workers] = {
            run: hashlib.sha256((result.folder / "runs" / run / "COOJA.testlog").read_bytes()).hexdigest()
            for run in result.summary.run_ids
        }
    assert logs[1] == logs[2] == logs[5]
    assert len(logs[1]) == 3 * len(scenario.cells)
