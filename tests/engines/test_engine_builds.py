# SPDX-License-Identifier: Apache-2.0
"""The kernel compiles without a warning, and its results depend on no compiler and no level of
optimisation."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from engine_harness import WARNINGS, build_kernel, whole_kernel

from orchestrator.csc.read import read
from orchestrator.engines.embedded.description import describe

sys.path.append(str(Path(__file__).resolve().parents[1] / "golden"))
import golden_cases
import probes

FULL = pytest.mark.full(instead="the two builds that are least alike")
BUILDS = [
    ("gcc", "-O3 -march=native"),
    ("clang", "-O0"),
    *(pytest.param(*build, marks=FULL) for build in (("gcc", "-O0"), ("gcc", "-O3"), ("clang", "-O2"))),
]


@pytest.mark.parametrize(("compiler", "flags"), BUILDS)
def test_every_build_writes_the_same_logs(compiler, flags, tmp_path):
    """-march=native has fused multiply-add, which must not change a distance or a probability. A warning is
    an error in each.
    """
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler} on this machine")
    kernel = build_kernel(tuple(flags.split()), compiler)
    for case in ("lossy-grid", "two-channels"):
        simulated = read(golden_cases.simulation(case))
        description = describe(simulated, simulated.seed, probes.firmware(simulated, tmp_path), "2026.07")
        log = tmp_path / "COOJA.testlog"
        subprocess.run([kernel, "--log", log], input=description, check=True, capture_output=True)
        assert log.read_bytes() == golden_cases.log_for(case, "2026.07").read_bytes()


def test_no_warning_for_another_processor():
    compiler = "aarch64-linux-gnu-gcc"
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler} on this machine")
    done = subprocess.run(
        [compiler, *WARNINGS, "-fsyntax-only", *whole_kernel()], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[:3000]
