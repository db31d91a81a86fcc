# SPDX-License-Identifier: Apache-2.0
"""Our C executed on a Cortex-M3, every instruction counted: compiled by the sizes' own compiler, run by QEMU.

There is no platform under a program but preemption/board-cortex-m3.c. Counts are exact and the same in every
run.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from orchestrator.build.machines import MACHINES
from orchestrator.build.sizes import FLAGS
from orchestrator.errors import MissingTool
from tests.waiting import HANG_S

MACHINE = MACHINES["cortex-m3"]
EMULATOR = "qemu-system-arm"
BOARD = Path(__file__).parent / "preemption"
LINKED = ("-nostartfiles", f"-T{BOARD / 'board-cortex-m3.ld'}")
_EXECUTED = re.compile(r"^Trace .*?\[[0-9a-f]+/([0-9a-f]+)/")  # an instruction's address


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


def entries(program: Path, functions: Iterable[str]) -> list[tuple[str, int]]:
    """Run it to its end: (function, instructions executed before), each time that one of these is entered.

    A program that faults, or does not end, fails the test.
    """
    wanted = set(functions)
    addresses = {address: name for name, address in _symbols(program).items() if name in wanted}
    command = [
        "timeout",
        str(HANG_S),
        EMULATOR,
        "-M",
        "lm3s6965evb",
        "-nographic",
        "-semihosting",
        *_one_at_a_time(),
        "-d",
        "exec,nochain",
        "-kernel",
        str(program),
    ]
    found, executed = [], 0
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True
    ) as process:
        for line in process.stderr:
            match = _EXECUTED.match(line)
            if match:
                name = addresses.get(int(match[1], 16))
                if name is not None:
                    found.append((name, executed))
                executed += 1
        said = process.stdout.read()
    assert process.returncode == 0 and not said, (
        f"exit {process.returncode} after {executed} instructions: {said}"
    )
    return found


def _one_at_a_time() -> list[str]:
    """QEMU's option for translating instruction by instruction, so that each is told; renamed in version
    8.1."""
    told = subprocess.run([EMULATOR, "--version"], capture_output=True, text=True, check=True).stdout
    version = tuple(map(int, re.search(r"version (\d+)\.(\d+)", told).groups()))
    return ["-accel", "tcg,one-insn-per-tb=on"] if version >= (8, 1) else ["-singlestep"]


def _symbols(program: Path) -> dict[str, int]:
    listed = subprocess.run(
        [f"{MACHINE.prefix}nm", str(program)], capture_output=True, text=True, check=True
    ).stdout
    return {
        parts[2]: int(parts[0], 16) & ~1 for parts in map(str.split, listed.splitlines()) if len(parts) == 3
    }
