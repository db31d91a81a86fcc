# SPDX-License-Identifier: Apache-2.0
"""Emulated Tmote Skys that run ahead of each other write what they write us by us, as Cooja runs them."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from orchestrator.build import kernel
from orchestrator.csc.read import read
from orchestrator.engines.embedded.description import describe

FOLDER = Path(__file__).parent / "sky"


@pytest.mark.parametrize("delay_us", [1, 3, 1000])
def test_motes_that_start_together_keep_their_order(delay_us, tmp_path):
    """Many lines then have one time, and only the order of motes within a us tells them apart."""
    text = (FOLDER / "constant-loss" / "simulation.csc").read_text()
    scenario = tmp_path / "simulation.csc"
    scenario.write_text(re.sub("<motedelay_us>.*?<", f"<motedelay_us>{delay_us}<", text))
    run, logs = read(scenario), []
    for every in "0", "1":
        log = tmp_path / every
        command = [kernel.executable(), "--log", log, "--every-slice", every]
        described = describe(run, run.seed, {"mtype1": FOLDER / "probe.sky"}, "2026.07")
        subprocess.run(command, input=described, capture_output=True, check=True)
        logs.append(log.read_text())
    assert logs[0] == logs[1]
    assert max(Counter(line.split("\t")[0] for line in logs[0].splitlines()).values()) > 1
