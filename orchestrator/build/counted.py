# SPDX-License-Identifier: Apache-2.0
"""Executes a program for a Cortex-M3 in QEMU, and counts instructions: the same in every run."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from orchestrator.build.machines import MACHINES
from orchestrator.errors import BuildFailed, MissingTool

MACHINE = MACHINES["cortex-m3"]
EMULATOR = "qemu-system-arm"
_EXECUTED = re.compile(r"^Trace .*?\[[0-9a-f]+/([0-9a-f]+)/")  # an instruction's address
_LONGEST_S = 600  # a program that runs longer never ends
_TOO_LONG = 124  # exit status of timeout(1)


def entries(program: Path, functions: Iterable[str]) -> list[tuple[str, int]]:
    """Run it to its end: (function, instructions executed before), each time that one of these is entered.

    Raises MissingTool, and BuildFailed if the program faults, says something or doesn't end.
    """
    if shutil.which(EMULATOR) is None:
        raise MissingTool(f"no {EMULATOR}, so no counted instructions\n    apt-get install qemu-system-arm")
    wanted = set(functions)
    addresses = {address: name for name, address in _symbols(program).items() if name in wanted}
    command = ["timeout", str(_LONGEST_S), EMULATOR, "-M", "lm3s6965evb", "-nographic", "-semihosting"]
    command += [*_one_at_a_time(), "-d", "exec,nochain", "-kernel", str(program)]
    entries_, executed = [], 0
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True
    ) as process:
        for line in process.stderr:
            match = _EXECUTED.match(line)
            if match:
                name = addresses.get(int(match[1], 16))
                if name is not None:
                    entries_.append((name, executed))
                executed += 1
        output = process.stdout.read()
    if process.returncode == _TOO_LONG:
        raise BuildFailed(f"{program.name} did not end in {_LONGEST_S} s, after {executed} instructions")
    if process.returncode != 0 or output:
        raise BuildFailed(
            f"{program.name} ended with {process.returncode} after {executed} instructions: {output}"
        )
    return entries_


def _one_at_a_time() -> list[str]:
    """Return QEMU's option for translating one instruction at a time; version 8.1 renamed it."""
    output = subprocess.run([EMULATOR, "--version"], capture_output=True, text=True, check=True).stdout
    version = tuple(map(int, re.search(r"version (\d+)\.(\d+)", output).groups()))
    return ["-accel", "tcg,one-insn-per-tb=on"] if version >= (8, 1) else ["-singlestep"]


def _symbols(program: Path) -> dict[str, int]:
    listed = subprocess.run(
        [f"{MACHINE.prefix}nm", str(program)], capture_output=True, text=True, check=True
    ).stdout
    return {
        parts[2]: int(parts[0], 16) & ~1 for parts in map(str.split, listed.splitlines()) if len(parts) == 3
    }
