# SPDX-License-Identifier: Apache-2.0
"""Compiles parts of the kernel, alone with a main() of the test's or as a whole with other flags."""

from __future__ import annotations

import subprocess
from pathlib import Path

from orchestrator.build.host import KERNEL

WARNINGS = ("-std=gnu11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror")
SANITIZED = (
    "-g",
    "-O1",
    "-fsanitize=address,undefined",
    "-fno-sanitize-recover=all",
    "-fno-omit-frame-pointer",
)


def build_harness(folder: Path, source: str, parts: tuple[str, ...]) -> Path:
    """A program of `source` and these .c files of the kernel."""
    (folder / "harness.c").write_text(source)
    program = folder / "harness"
    subprocess.run(
        [
            "gcc",
            *WARNINGS,
            *SANITIZED,
            f"-I{KERNEL}",
            str(folder / "harness.c"),
            *(str(KERNEL / part) for part in parts),
            "-o",
            str(program),
            "-lm",
        ],
        check=True,
    )
    return program


def build_kernel(folder: Path, flags: tuple[str, ...], compiler: str = "gcc") -> Path:
    """The whole kernel."""
    program = folder / "kernel"
    sources = sorted(str(path) for path in KERNEL.glob("*.c"))
    subprocess.run([compiler, *WARNINGS, *flags, *sources, "-o", str(program), "-lm", "-ldl"], check=True)
    return program
