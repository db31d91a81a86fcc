# SPDX-License-Identifier: Apache-2.0
"""The same scenario and seed on builds of other compilers and optimisations: the hash of each log."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path

from orchestrator.applications import descriptor
from orchestrator.build import host, kernel
from orchestrator.engines.embedded.engine import EmbeddedEngine
from orchestrator.engines.model import Job
from orchestrator.engines.protocol import run_one
from orchestrator.runs.model import Outcome
from orchestrator.scenario.load import loads
from orchestrator.scenario.model import Cell
from tests.placed import simulation as simulation_of

# The paper's heaviest cells for a while, every event printed, half of the frames at the range's edge lost.
SCENARIO = """
experiment: same-bytes
topology: {shape: chain, publishers: 10, spacing: 5 m}
radio: {medium: udgm, range: 50 m, interference: 100 m, rx: 50 %}
application: {name: aggregation, rate: high}
duration: 20 s
drain: 10 s
seeds: [1]
trace: true
matrix:
  application.aggregate: [false, true]
  application.mac: [csma, nullmac, radio-csma]
  application.clock: [1000, 128]
  exclude: [{application.mac: [csma, nullmac], application.clock: 128}]
"""
COMPILERS = [name for name in ("gcc", "clang") if shutil.which(name)]
OPTIMISATIONS = ["-O0", "-O2"]


def builds() -> list[tuple[str, str]]:
    return [(compiler, flag) for compiler in COMPILERS for flag in OPTIMISATIONS]


def log_hashes(
    compiler: str | None, flag: str, folder: Path, wanted: Callable[[Cell], bool] = lambda cell: True
) -> dict[str, str]:
    """Cell name -> SHA-256 of its log, kernel and firmware built by `compiler`, the firmware with `flag`."""
    engine = EmbeddedEngine(kernel.executable(cc=compiler))
    hashes = {}
    for cell in filter(wanted, loads(SCENARIO, "same-bytes.yaml").cells):
        application = descriptor.load(cell.application.name)
        built = host.firmware(
            application, application.variant(cell.application.parameters), cc=compiler, cflags=flag
        )
        simulation = simulation_of(cell, 1)
        log = folder / f"{compiler}{flag}-{len(hashes)}.testlog"
        result = run_one(
            engine, Job(simulation, 1, {kind.identifier: built.path for kind in simulation.mote_types}, log)
        )
        assert result.outcome == Outcome.OK, result.evidence
        hashes[cell.name] = hashlib.sha256(log.read_bytes()).hexdigest()
    return hashes
