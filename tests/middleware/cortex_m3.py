# SPDX-License-Identifier: Apache-2.0
"""Our C executed on a Cortex-M3, every instruction counted: compiled by the sizes' own compiler, run by QEMU.

There is no platform under a program but preemption/board-cortex-m3.c. Counts are exact and the same in every
run.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from orchestrator.build import counted
from orchestrator.build.counted import MACHINE
from orchestrator.build.sizes import FLAGS
from orchestrator.errors import MissingTool
from tests.waiting import HANG_S

EMULATOR = counted.EMULATOR
entries = counted.entries
BOARD = Path(__file__).parent / "preemption"
LINKED = ("-nostartfiles", f"-T{BOARD / 'board-cortex-m3.ld'}")


def build(folder: Path, files: Iterable[Path], includes: Iterable[Path], defines: Mapping[str, str]) -> Path:
    """An executable of C sources and the board, with the flags of `make sizes`. Skips the test without the
    compiler.
    """
    try:
        compiler = MACHINE.compiler()
    except MissingTool as missing:
        pytest.skip(str(missing))
    program = folder / "program.elf"
    subprocess.run(
        [
            *compiler.command,
            *FLAGS,
            "-std=gnu11",
            "-Wall",
            "-Wextra",
            "-Wno-unused-parameter",
            *(f"-I{path}" for path in (BOARD, *includes)),
            *(f"-D{name}={value}" for name, value in defines.items()),
            *map(str, files),
            str(BOARD / "board-cortex-m3.c"),
            *LINKED,
            "-o",
            str(program),
        ],
        check=True,
        timeout=HANG_S,
    )
    return program
