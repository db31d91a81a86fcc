# SPDX-License-Identifier: Apache-2.0
"""Same scenario, firmware sources and seed: same bytes, whoever compiled them and however many runs go at
once.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace

import pytest

from orchestrator.execution import pipeline
from orchestrator.execution.execute import Effort
from orchestrator.scenario.load import loads
from tests import tier
from tests.same_bytes import SCENARIO, builds, log_hashes


def of_one_mac(cell) -> bool:
    """Whether a cell has our MAC with the coarse clock, or csma: two of the four firmwares."""
    return cell.name.endswith(("mac=csma,clock=1000", "mac=radio-csma,clock=128"))


WANTED = (lambda cell: True) if tier.ALL else of_one_mac


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """By the compiler and the flags that everyone has, so that other tests have built most of it."""
    return log_hashes(None, "", tmp_path_factory.mktemp("reference"), WANTED)


def case(build: tuple[str, str]):
    """A build as a parameter."""
    instead = (
        "gcc -O0 builds two of the four firmwares; clang's frames and kernel: test_build, test_engine_builds"
    )
    marks = [] if build == ("gcc", "-O0") else pytest.mark.full(instead=instead)
    return pytest.param(build, id="".join(build), marks=marks)


@pytest.mark.parametrize("build", [case(one) for one in builds()])
def test_every_compiler_and_optimisation_gives_the_same_log(build, reference, tmp_path):
    assert log_hashes(*build, tmp_path, WANTED) == reference
    assert len(set(reference.values())) == len(reference), "cells that differ must not give one log"


def test_any_number_of_workers_gives_the_same_runs(tmp_path):
    scenario = loads(SCENARIO.replace("seeds: [1]", "seeds: 1..3"), "same-bytes.yaml")
    scenario = replace(scenario, cells=tuple(filter(WANTED, scenario.cells)))
    stores = {workers: tmp_path / str(workers) for workers in (1, 5)}
    logs = {}
    for workers, store in stores.items():
        result = pipeline.run(scenario, store, Effort(workers), report=False)
        assert not result.summary.failures
        logs[workers] = {
            run: hashlib.sha256((result.folder / "runs" / run / "COOJA.testlog").read_bytes()).hexdigest()
            for run in result.summary.run_ids
        }
    assert logs[1] == logs[5]
    assert len(logs[1]) == 3 * len(scenario.cells)
