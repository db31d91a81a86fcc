# SPDX-License-Identifier: Apache-2.0
"""The embedded engine writes the same bytes as real Cooja."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from golden_cases import CASES, OPERATED, OTHER_MEDIA, RULES, first_difference, log_for, simulation
from probes import SHARING, compilers, firmware

from orchestrator.build import kernel
from orchestrator.csc.read import read
from orchestrator.engines.embedded.description import describe
from orchestrator.engines.model import Job
from orchestrator.engines.protocol import engine, run_one
from orchestrator.runs.model import Outcome


@pytest.fixture(scope="module")
def probe(tmp_path_factory):
    folder = tmp_path_factory.mktemp("probes")
    return lambda run, compiler="gcc", flags="-O2": firmware(run, folder, compiler, flags)


def log_of(case: str, rules: str, probe, log: Path, *how: str) -> bytes:
    run = read(simulation(case))
    embedded = engine("embedded")
    embedded.prepare()
    run_one(embedded, Job(run, run.seed, probe(run, *how), log, ruleset=rules))
    return log.read_bytes()


def assert_same(case: str, rules: str, log: bytes) -> None:
    golden = log_for(case, rules).read_bytes()
    if log != golden:
        pytest.fail(f"{case} under {rules}: {first_difference(golden, log)}", pytrace=False)


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("case", CASES)
def test_embedded_engine_writes_what_cooja_wrote(case, rules, probe, tmp_path):
    assert_same(case, rules, log_of(case, rules, probe, tmp_path / "COOJA.testlog"))


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("case", OPERATED + OTHER_MEDIA)
def test_operated_motes_and_other_media_write_what_cooja_wrote(case, rules, probe, tmp_path):
    assert_same(case, rules, log_of(case, rules, probe, tmp_path / "COOJA.testlog"))


@pytest.mark.skipif(platform.machine() != "x86_64", reason="code shared by all motes needs an x86-64")
@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("case", CASES)
def test_motes_that_share_shared_code_write_it_too(case, rules, probe, tmp_path):
    flags = "-O0" if case == "collisions" else "-O3" if case == "chain" else "-O2"
    log = log_of(case, rules, probe, tmp_path / "COOJA.testlog", "gcc", f"{flags} {SHARING}")
    assert_same(case, rules, log)


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("case", CASES)
def test_motes_with_a_text_each_write_it_too(case, rules, probe, tmp_path):
    run, log = read(simulation(case)), tmp_path / "COOJA.testlog"
    text = describe(run, run.seed, probe(run), rules)
    subprocess.run(
        [kernel.executable(), "--log", log, "--code-per-mote", "1"],
        input=text,
        capture_output=True,
        check=True,
    )
    assert_same(case, rules, log.read_bytes())


@pytest.mark.parametrize("flags", ["-O0", "-O2"])
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("case", ["several-types", "full-frames"])
def test_log_does_not_depend_on_the_compiler(case, compiler, flags, probe, tmp_path):
    if compiler not in compilers():
        pytest.skip(f"no {compiler} on this machine")
    log = log_of(case, "5.0", probe, tmp_path / "COOJA.testlog", compiler, flags)
    assert_same(case, "5.0", log)


def test_the_rule_sets_differ_somewhere():
    assert any(log_for(case, RULES[0]).read_bytes() != log_for(case, RULES[1]).read_bytes() for case in CASES)


@pytest.mark.cooja
@pytest.mark.skipif("COOJA" not in os.environ, reason="set COOJA to a Cooja, COOJA_RULES to its rule set")
def test_real_cooja_still_writes_it():
    record = Path(__file__).with_name("record.py")
    done = subprocess.run(
        [
            sys.executable,
            str(record),
            "--rules",
            os.environ.get("COOJA_RULES", RULES[0]),
            os.environ["COOJA"],
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("case", CASES)
def test_a_run_that_ends_with_a_line_is_the_golden_log_up_to_it(case, probe, tmp_path):
    """As real Cooja writes it, but for the time in the last line, which is a race there."""
    golden = log_for(case, RULES[0]).read_bytes().splitlines(keepends=True)
    text = golden[len(golden) // 3].rstrip(b"\n").split(b"\t", 2)[2]
    last = next(number for number, line in enumerate(golden) if text in line.split(b"\t", 2)[-1])
    run = read(simulation(case))
    script = replace(run.script, success_line=text.decode(), ends_at_verdict=True)
    log = tmp_path / "COOJA.testlog"
    run_one(engine("embedded"), Job(replace(run, script=script), run.seed, probe(run), log))
    assert log.read_bytes().splitlines(keepends=True) == [
        *golden[: last + 1],
        b"TEST OK\n",
        b"Test ended at simulation time: " + golden[last].split(b"\t")[0] + b"\n",
    ]


def test_a_button_pressed_twice_at_once_is_a_fault_as_in_cooja(probe, tmp_path):
    """Cooja ends there with "Event is already scheduled", an exception, and without a verdict."""
    text = simulation("buttons").read_text()
    (tmp_path / "twice.csc").write_text(
        text.replace("button.clickButton();", "button.pressButton();\n      button.pressButton();")
    )
    run = read(tmp_path / "twice.csc")
    result = run_one(engine("embedded"), Job(run, run.seed, probe(run), tmp_path / "log"))
    assert result.outcome is Outcome.CRASH
    assert "operates its button again" in result.evidence[0] and "304164 us" in result.evidence[0]
