# SPDX-License-Identifier: Apache-2.0
"""orchestrate debug: a mote of a stored run in gdb, at a simulated time, with its own variables and its
source.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from orchestrator.build import host
from orchestrator.cli.app import main
from orchestrator.cli.debug import DEBUG_BUILD
from orchestrator.cli.show import time_us
from orchestrator.csc.read import read
from orchestrator.engines.embedded.debugger import Session, debug
from orchestrator.engines.model import Job
from orchestrator.engines.protocol import engine, run_one
from orchestrator.errors import NoSuchThing
from orchestrator.execution.library import BuildOptions, library
from tests import needs
from tests.lossy_chain import scenario

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "golden"))
from golden_cases import log_for
from golden_cases import simulation as simulation_of_case

from tests.waiting import HANG_S

needs.a_compiler()
needs.a_program("gdb")

SCENARIO = scenario(
    "halted",
    """\
duration: 10 s
seeds: 1
""",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    where = tmp_path_factory.mktemp("halted place")  # with a blank: gdb and a shell get these paths
    (where / "halted.yaml").write_text(SCENARIO)
    assert main(["run", str(where / "halted.yaml"), "--store", str(where / "store"), "--no-report"]) == 0
    return next((where / "store" / "halted" / "runs").iterdir())


def gdb(folder, *words):
    done = subprocess.run(
        [sys.executable, "-m", "orchestrator.cli.app", "debug", str(folder), "--batch", *words],
        capture_output=True,
        text=True,
        timeout=HANG_S,
        check=False,
        env=dict(os.environ),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def activations(folder, mote):
    """Times at which the mote printed: it was active then."""
    lines = (folder / "COOJA.testlog").read_text().splitlines()
    return [int(line.split("\t")[0]) for line in lines if f"\tID:{mote}\t" in line]


@pytest.mark.parametrize(("name", "mote"), [("P1", 2), ("P3", 4)])
def test_it_stops_that_mote_at_that_time(name, mote, folder):
    """Firmware that shares its text among motes; P1 and P3 are both publishers, of the same code."""
    at = activations(folder, mote)[1]
    out = gdb(
        folder,
        "--mote",
        name,
        "--at",
        f"{at} us",
        "--command",
        "print simMoteID",
        "--command",
        "print simRtimerCurrentTicks",
        "--command",
        "print/d configuration.role",
        "--command",
        "list",
    )
    assert f"mote {mote} at {at} us of simulated time" in out
    assert re.findall(r"^\$\d+ = (-?\d+)$", out, re.MULTILINE) == [str(mote), str(at), "2"], "2: a publisher"
    assert re.search(r"^\d+\s+cooja_tick\(void\)$", out, re.MULTILINE), "the source's lines"


def test_it_says_that_the_mote_sleeps_at_that_time_and_stops_later(folder):
    at = activations(folder, 4)[1]
    assert "sleeps" not in gdb(folder, "--mote", "P3", "--at", f"{at} us")
    out = gdb(folder, "--mote", "P3", "--at", f"{at + 1} us")
    stopped = int(re.search(r"^mote 4 at (\d+) us", out, re.MULTILINE)[1])
    assert stopped > at + 1 and f"It sleeps at {(at + 1) / 1e6:.6f} s" in out


def test_a_breakpoint_in_the_application_stops_this_mote_only(folder):
    out = gdb(
        folder,
        "--mote",
        "P2",
        "--debug-build",
        "--command",
        "break pubsub_publish",
        *(word for _ in range(3) for word in ("--command", "continue", "--command", "print simMoteID")),
        "--command",
        "bt",
    )
    assert re.findall(r"^\$\d+ = (\d+)$", out, re.MULTILINE) == ["3", "3", "3"]
    assert re.search(r"^#0 .*pubsub_publish \(.*pubsub\.c:\d+$", out, re.MULTILINE)
    assert re.search(r"^#1 .* in publish \(unused=0x0\) at .*publisher\.c:\d+$", out, re.MULTILINE)


def test_to_its_end_in_gdb_it_is_the_same_run(folder, tmp_path):
    simulation = read(folder / "simulation.csc")
    firmware = {one.identifier: library(one, simulation.config_dir) for one in simulation.mote_types}
    assert (
        debug(Job(simulation, 1, firmware, tmp_path / "log"), Session(4, 0, (), ["continue"], batch=True))
        == 0
    )
    assert (tmp_path / "log").read_bytes() == (folder / "COOJA.testlog").read_bytes()


def test_a_debug_build_prints_the_same(folder, tmp_path):
    simulation = read(folder / "simulation.csc")
    options = BuildOptions(cflags=DEBUG_BUILD)
    firmware = {one.identifier: library(one, simulation.config_dir, options) for one in simulation.mote_types}
    usual = host.firmware("aggregation", {"MAC": "csma"}).path
    assert all(path.read_bytes() != usual.read_bytes() for path in firmware.values())
    embedded = engine("embedded")
    embedded.prepare()
    run_one(embedded, Job(simulation, 1, firmware, tmp_path / "log"))
    assert (tmp_path / "log").read_bytes() == (folder / "COOJA.testlog").read_bytes()


def test_what_can_t_be_stopped(folder, capfd, monkeypatch):
    assert main(["debug", str(folder), "--mote", "P3", "--at", "2 h", "--batch"]) == 9
    assert "mote 4 is not activated at or after 7200 s: the run is over by then" in capfd.readouterr().err
    assert main(["debug", str(folder), "--mote", "P8", "--batch"]) == 9
    monkeypatch.setenv("PATH", "/nonexistent")
    assert main(["debug", str(folder), "--mote", "P3", "--batch"]) == 5
    assert capfd.readouterr().err.rstrip().splitlines()[-1] == "orchestrate: no gdb here: apt-get install gdb"


def test_a_csc_is_debugged_with_its_script_and_runs_as_without(tmp_path, capfd):
    """A golden case whose JavaScript presses the motes' buttons: it goes on talking to the kernel, which gdb
    runs.
    """
    file = simulation_of_case("buttons")
    run = read(file)
    firmware = {one.identifier: library(one, run.config_dir) for one in run.mote_types}
    assert (
        debug(
            Job(run, run.seed, firmware, tmp_path / "log"),
            Session(run.motes[0].id, 0, (), ["continue"], batch=True),
        )
        == 0
    )
    assert (tmp_path / "log").read_bytes() == log_for("buttons", "5.0").read_bytes()
    capfd.readouterr()
    out = gdb(file, "--mote", str(run.motes[1].id), "--at", "500 ms", "--command", "print *(int *)&simMoteID")
    assert re.search(rf"^\$1 = {run.motes[1].id}$", out, re.MULTILINE)


def test_what_is_of_a_file_and_what_of_a_run(folder, tmp_path, capfd):
    file = simulation_of_case("buttons")
    assert main(["debug", str(file), "--mote", "P3", "--batch"]) == 9
    assert "motes of a .csc have numbers: " in capfd.readouterr().err
    assert main(["debug", str(tmp_path / "none.csc"), "--mote", "1", "--batch"]) == 9
    assert main(["debug", str(folder), "--mote", "P3", "--seed", "2", "--batch"]) == 2
    assert "a stored run has its own" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("words", "fast"), [([], False), (["--compile=fast"], True), (["--compile=as-is"], False)]
)
def test_a_csc_s_firmware_is_compiled_as_it_is_told(words, fast, monkeypatch):
    asked = []

    def built(mote_type, config_dir, options, say):
        asked.append(options)
        raise NoSuchThing("enough")

    monkeypatch.setattr("orchestrator.execution.library.library", built)
    file = simulation_of_case("buttons")
    assert (
        main(["debug", str(file), "--mote", "1", "--batch", "--debug-build", *words]) == NoSuchThing.exit_code
    )
    assert asked == [BuildOptions(None, cflags=DEBUG_BUILD, fast=fast)]


@pytest.mark.parametrize(
    ("text", "us"), [("12.5", 12_500_000), ("15 min", 900_000_000), ("7us", 7), ("0", 0)]
)
def test_times_are_seconds_or_have_a_unit(text, us):
    assert time_us(text) == us
