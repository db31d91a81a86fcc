# SPDX-License-Identifier: Apache-2.0
"""The embedded engine writes the same bytes as real Cooja."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from golden_cases import CASES, RULES, log_for, simulation

from orchestrator.csc.read import read
from orchestrator.engines.protocol import engine

PROBES = Path(__file__).resolve().parents[2] / "contiki-apps" / "probes"


@pytest.fixture(scope="module")
def probe(tmp_path_factory):
    """Builds a probe by its own Makefile, as Cooja would, in a copy of its folder."""
    folder = tmp_path_factory.mktemp("probes")
    for source in (*PROBES.glob("*.[ch]"), PROBES / "Makefile"):
        shutil.copy(source, folder)

    @cache
    def build(case: str, compiler: str = "gcc", flags: str = "-O2") -> Path:
        library = folder / f"{case}-{compiler}{flags}.cooja"
        subprocess.run(["make", "-s", "-C", str(folder), f"{case}.cooja", f"LIBNAME={library}", f"CC={compiler}",
                        f"CFLAGS={flags}"], check=True, capture_output=True)
        return library

    return build


def log_of(case: str, rules: str, library: Path, log: Path) -> bytes:
    run = read(simulation(case))
    firmware = {mote_type.identifier: library for mote_type in run.mote_types}
    embedded = engine("embedded")
    embedded.prepare()
    embedded.run(run, run.seed, firmware, log, ruleset=rules)
    return log.read_bytes()


def assert_same(case: str, rules: str, log: bytes) -> None:
    golden = log_for(case, rules).read_bytes()
    for number, (ours, theirs) in enumerate(zip(log.splitlines(), golden.splitlines()), 1):
        assert ours == theirs, f"{case} under {rules}: first difference in line {number}"
    assert log == golden


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("case", CASES)
def test_embedded_engine_writes_what_cooja_wrote(case, rules, probe, tmp_path):
    assert_same(case, rules, log_of(case, rules, probe(case), tmp_path / "COOJA.testlog"))


@pytest.mark.parametrize("flags", ["-O0", "-O2"])
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_log_does_not_depend_on_the_compiler(compiler, flags, probe, tmp_path):
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler} on this machine")
    library = probe("radios-off", compiler, flags)
    assert_same("radios-off", "5.0", log_of("radios-off", "5.0", library, tmp_path / "COOJA.testlog"))


def test_the_rule_sets_differ_somewhere():
    assert any(log_for(case, RULES[0]).read_bytes() != log_for(case, RULES[1]).read_bytes() for case in CASES)


@pytest.mark.cooja
@pytest.mark.skipif("COOJA_DIR" not in os.environ, reason="set COOJA_DIR to a built Cooja, COOJA_RULES to its rule set")
def test_real_cooja_still_writes_it():
    record = Path(__file__).with_name("record.py")
    done = subprocess.run([sys.executable, str(record), "--rules", os.environ.get("COOJA_RULES", RULES[0]),
                           os.environ["COOJA_DIR"]], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
