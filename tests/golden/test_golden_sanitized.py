# SPDX-License-Identifier: Apache-2.0
"""The embedded engine, built with sanitizers, writes the same bytes, and nothing beyond its own memory."""

from __future__ import annotations

import subprocess

import pytest
from golden_cases import TRACKED, log_for, simulation
from probes import firmware

from orchestrator.csc.read import read
from orchestrator.engines.embedded.description import describe
from tests.engines.engine_harness import SANITIZED, build_kernel

RULES = "2026.07"  # no memory is used under the other rules only


@pytest.fixture(scope="module")
def kernel():
    return build_kernel(SANITIZED)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("sanitized")


@pytest.mark.parametrize("case", [*TRACKED, "mobility"])
def test_no_case_reads_or_writes_beyond_its_memory(case, kernel, folder):
    run = read(simulation(case))
    done = subprocess.run(
        [kernel, "--log", folder / "log"],
        input=describe(run, run.seed, firmware(run, folder), RULES),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode(errors="replace")[:3000]
    assert (folder / "log").read_bytes() == log_for(case, RULES).read_bytes()
