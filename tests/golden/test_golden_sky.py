# SPDX-License-Identifier: Apache-2.0
"""Emulated Tmote Skys write what they write in real Cooja (sky/README.md)."""

from __future__ import annotations

import csv
import re
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
CASES = (
    *("operated", "constant-loss", "graph", "logistic", "deviation"),
    *("power-tracker", "memory", "bit-errors", "same-time"),
)


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


def test_the_radio_record_has_power_tracker_s_times(tmp_path):
    """The plugin in real Cooja counts up to a radio's last event, after which all of these radios listen."""
    case = FOLDER / "power-tracker"
    run = read(case / "simulation.csc")
    text = describe(run, run.seed, {"mtype1": FOLDER / "probe.sky"}, RULES[0])
    command = [kernel.executable(), "--log", tmp_path / "log", "--radio", tmp_path, *interpreter.arguments()]
    subprocess.run(command, input=text, capture_output=True, check=True)
    told = (case / "COOJA.testlog").read_text().rpartition("AVG INT")[2]
    times = {
        mote: dict(re.findall(rf"^Sky_{mote} (\w+) (\d+) us", told, re.MULTILINE)) for mote in range(1, 6)
    }
    with (tmp_path / "states.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == len(times)
    for row in rows:
        theirs = {name: int(us) for name, us in times[int(row["mote"])].items()}
        ours = [int(row[f"{state}_us"]) for state in ("transmitting", "receiving", "interfered", "off")]
        assert ours == [
            *(theirs[name] for name in ("TX", "RX", "INT")),
            theirs["MONITORED"] - theirs["ON"],
        ]
