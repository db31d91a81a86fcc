# SPDX-License-Identifier: Apache-2.0
"""Firmware for an emulated Tmote Sky of C code in a test, or of the golden probe with a change."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from orchestrator.build import msp430
from orchestrator.errors import MissingTool

GOLDEN = Path(__file__).parent / "golden" / "sky"


def compiled(program: str, folder: Path, *flags: str) -> Path:
    """Compile and link a program in the folder; return its ELF file. Without clang's parts, skip the test."""
    try:
        gcc = str(msp430.toolchain().folder / "msp430-gcc")
    except MissingTool as missing:
        pytest.skip(str(missing))
    (folder / "a.c").write_text(program)
    subprocess.run([gcc, "-std=gnu11", *flags, "-c", "a.c", "-o", "a.o"], cwd=folder, check=True)
    subprocess.run([gcc, "a.o", "-Wl,--gc-sections", "-o", "a.sky"], cwd=folder, check=True)
    return folder / "a.sky"


def changed_probe(line: str, replacement: str, folder: Path) -> Path:
    """Compile the golden cases' firmware with this line, which stands once in it, replaced."""
    probe = (GOLDEN / "probe.c").read_text()
    assert probe.count(line) == 1
    (folder / "chips.h").write_text((GOLDEN / "chips.h").read_text())
    return compiled(probe.replace(line, replacement), folder)
