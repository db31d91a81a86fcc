# SPDX-License-Identifier: Apache-2.0
"""Emulated Tmote Skys write what they write in real Cooja (sky/README.md)."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from golden_cases import RULES, first_difference

from orchestrator.build import kernel
from orchestrator.csc.model import JavaScript
from orchestrator.csc.read import read
from orchestrator.engines.embedded import interpreter
from orchestrator.engines.embedded.description import describe

FOLDER = Path(__file__).parent / "sky"
CASES = ("operated", "constant-loss", "graph", "logistic", "deviation", "memory", "bit-errors", "same-time")


@pytest.mark.parametrize("slices", ["usual", "every"])
@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("case", CASES)
def test_tmote_skys_write_what_cooja_wrote(case, rules, slices, tmp_path):
    run, log = read(FOLDER / case / "simulation.csc"), tmp_path / "COOJA.testlog"
    text = describe(run, run.seed, {"mtype1": FOLDER / "probe.sky"}, rules)
    scripted = interpreter.arguments() if isinstance(run.script, JavaScript) else []
    every = ["--every-slice", "1"] if slices == "every" else []
    command = [kernel.executable(), "--log", log, *scripted, *every]
    subprocess.run(command, input=text, capture_output=True, check=True)
    own = FOLDER / case / f"COOJA-{rules}.testlog"
    golden = (own if own.exists() else FOLDER / case / "COOJA.testlog").read_bytes()
    if log.read_bytes() != golden:
        pytest.fail(f"{case} under {rules}: {first_difference(golden, log.read_bytes())}", pytrace=False)
