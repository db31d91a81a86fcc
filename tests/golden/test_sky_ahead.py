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
from tests.programs_for_sky import changed_probe

FOLDER = Path(__file__).parent / "sky"
SCENARIO = FOLDER / "constant-loss" / "simulation.csc"
SENDS = "  strobe(5);\n"


def ahead_and_by_slices(scenario: Path, firmware: Path, folder: Path) -> list[str]:
    """Return the log of motes that run ahead where they may, and that of motes that never do."""
    run, logs = read(scenario), []
    for every in "0", "1":
        log = folder / every
        command = [kernel.executable(), "--log", log, "--every-slice", every]
        described = describe(run, run.seed, {"mtype1": firmware}, "2026.07")
        subprocess.run(command, input=described, capture_output=True, check=True)
        logs.append(log.read_text())
    return logs


@pytest.mark.parametrize("delay_us", [1, 3, 1000])
def test_motes_that_start_together_keep_their_order(delay_us, tmp_path):
    """Many lines then have one time, and only the order of motes within a us tells them apart."""
    scenario = tmp_path / "simulation.csc"
    scenario.write_text(re.sub("<motedelay_us>.*?<", f"<motedelay_us>{delay_us}<", SCENARIO.read_text()))
    ahead, by_slices = ahead_and_by_slices(scenario, FOLDER / "probe.sky", tmp_path)
    assert ahead == by_slices
    assert max(Counter(line.split("\t")[0] for line in ahead.splitlines()).values()) > 1


@pytest.mark.parametrize("switch_off", ["strobe(6)", "P4OUT &= ~0x20"])
@pytest.mark.parametrize("then", ["wait(600)", "wait(50); _BIS_SR(GIE | LPM3_bits)"])
def test_a_radio_that_is_switched_off_in_a_frame_sends_on(switch_off, then, tmp_path):
    """Its mote must not run ahead then, by the strobe or by the regulator, awake or asleep."""
    off = f"{SENDS}  wait(150); {switch_off}; {then}; radio_init();\n"
    firmware = changed_probe(SENDS, off, tmp_path)
    ahead, by_slices = ahead_and_by_slices(SCENARIO, firmware, tmp_path)
    assert "sends" in ahead
    assert ahead == by_slices
