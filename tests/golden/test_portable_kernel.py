# SPDX-License-Identifier: Apache-2.0
"""The engine without assembly and rewritten code writes the same bytes: on this machine, and as a program for
arm64.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest
from golden_cases import ALL, RULES, first_difference, log_for, simulation
from probes import firmware

from orchestrator.build.kernel import KERNEL, KERNEL_CFLAGS, KERNEL_LDFLAGS
from orchestrator.csc.model import JavaScript
from orchestrator.csc.read import read
from orchestrator.engines.embedded import interpreter
from orchestrator.engines.embedded.description import describe

ARM64_GCC, ARM64_RUN = "aarch64-linux-gnu-gcc", "qemu-aarch64"
ARM64_LIBRARIES = Path("/usr/aarch64-linux-gnu")  # where Debian's cross compiler keeps them
HERE = ("gcc", ())
ARM64 = (ARM64_GCC, (ARM64_RUN, "-L", str(ARM64_LIBRARIES)))
needs_arm64 = pytest.mark.skipif(
    not (shutil.which(ARM64_GCC) and shutil.which(ARM64_RUN) and ARM64_LIBRARIES.is_dir()),
    reason=f"needs {ARM64_GCC} and {ARM64_RUN} (apt-get install gcc-aarch64-linux-gnu qemu-user)",
)


@pytest.fixture(scope="module")
def portable(tmp_path_factory):
    """The kernel for a compiler's machine, and the folder for its firmware."""
    folder = tmp_path_factory.mktemp("portable")

    @cache
    def kernel(compiler: str) -> Path:
        program = folder / f"kernel-{compiler}"
        units = sorted(map(str, KERNEL.rglob("*.c")))
        subprocess.run(
            [
                compiler,
                *KERNEL_CFLAGS,
                f"-I{KERNEL}",
                "-Werror",
                "-DPORTABLE",
                "-O1",  # compiled in half the time
                *units,
                "-o",
                program,
                *KERNEL_LDFLAGS,
            ],
            check=True,
        )
        return program

    return kernel, folder


@pytest.mark.parametrize(("case", "rules"), [(case, RULES[number % 2]) for number, case in enumerate(ALL)])
@pytest.mark.parametrize(
    "machine", [pytest.param(HERE, id="here"), pytest.param(ARM64, id="arm64", marks=needs_arm64)]
)
def test_it_writes_what_cooja_wrote(machine, case, rules, portable, tmp_path):
    compiler, start = machine
    run, log = read(simulation(case)), tmp_path / "COOJA.testlog"
    kernel, folder = portable
    description = describe(run, run.seed, firmware(run, folder, compiler), rules)
    javascript = isinstance(run.script, JavaScript)
    if javascript and start:
        pytest.skip("the interpreter that is installed here is this machine's")
    call = [*start, kernel(compiler), "--log", log, *(interpreter.arguments() if javascript else [])]
    done = subprocess.run(call, input=description, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    copies = json.loads(done.stdout.splitlines()[-1])["code_copies"]
    assert copies == len(run.motes) or (javascript and run.script.adds_motes and copies > len(run.motes))
    golden = log_for(case, rules).read_bytes()
    if log.read_bytes() != golden:
        pytest.fail(f"{case} under {rules}: {first_difference(golden, log.read_bytes())}", pytrace=False)
