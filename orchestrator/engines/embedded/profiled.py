# SPDX-License-Identifier: Apache-2.0
"""Counts what the motes of a run executed, by the source code that it was compiled from.

Of Cooja's motes: instructions of this machine, by file. valgrind's callgrind executes the kernel and counts
(a format of its manual's, "Callgrind Format Specification"); addr2line of binutils tells source files. The
simulator's own instructions are left out. All motes need the same firmware, whose code they share
(kernel/loader/code_sharing.h).

Of emulated Tmote Skys: cycles of their processor, by function. The kernel counts them by address
(kernel/msp430/profile.h), LLVM's addr2line tells functions.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from orchestrator.build import msp430
from orchestrator.csc import deployed
from orchestrator.engines.embedded.engine import EmbeddedEngine
from orchestrator.engines.model import Job
from orchestrator.engines.protocol import run_one
from orchestrator.errors import MissingTool, RunFailed, Unsupported
from orchestrator.runs.model import Outcome

_TOOLS = {"valgrind": "valgrind", "addr2line": "binutils", "nm": "binutils"}  # and their packages
_ENTERED = ("cooja_init", "cooja_tick")  # what the kernel calls in every firmware
_PAGE = 4096
_UNNAMED = "???"  # callgrind's word for code that it has no file of: it was put there by the kernel
# What the firmware calls in the host's libc, itself or because its compiler makes calls of assignments.
_LIBC = re.compile(r"(__)?(mem|str)[a-z]")
_NAMED = re.compile(r"\((\d+)\)(?: (.*))?")
LIBC = "libc"  # stands for the file of what libc does with memory and text for the firmware


@dataclass
class _Code:
    """Instructions executed by address, and where the kernel's file, or libc's, entered such code."""

    executed: Counter[int] = field(default_factory=Counter)
    entered: set[int] = field(default_factory=set)


def instructions(job: Job) -> Counter[str]:
    """Run a job under callgrind; return how many instructions its motes executed, by source file.

    Files are named as the firmware's build has them: `app/world.c`, `middleware/...`, `os/...`, or LIBC. The
    firmware should have been built without optimisation across files (-fno-lto), of which gcc doesn't always
    tell the file. Raises MissingTool, RunFailed if the run didn't end well or the firmware's code can't be
    found in it, and Unsupported for emulated motes, whose instructions aren't the processor's.
    """
    for tool, package in _TOOLS.items():
        if shutil.which(tool) is None:
            raise MissingTool(f"no {tool}, so no counted instructions\n    apt-get install {package}")
    if deployed.simulation(job.deployment).emulated:
        raise Unsupported("counted instructions of emulated motes\n    count those of Cooja motes, or cycles")
    (library,) = set(job.firmware.values())
    with tempfile.TemporaryDirectory(prefix="orchestrate-profile-") as name:
        counts = Path(name) / "callgrind"
        kernel = _under_callgrind(Path(name), counts)
        _run(job, kernel, "under callgrind")
        with counts.open(encoding="utf-8", errors="replace") as lines:
            code = _read(lines)
    return _by_file(code, library)


def cycles_by_function(job: Job) -> Counter[tuple[str, str]]:
    """Run a job of Tmote Skys; return how many cycles they were awake, by source file and function.

    They are those of all motes together. Code that was inlined counts to the function that it was written
    in. Of a function in assembly the file is "". Raises MissingTool, and RunFailed if the run didn't end
    well.
    """
    addr2line = msp430.addr2line()
    (program,) = set(job.firmware.values())
    with tempfile.TemporaryDirectory(prefix="orchestrate-profile-") as name:
        counts = Path(name) / "cycles"
        kernel = _program(Path(name), [str(EmbeddedEngine().kernel), "--cycles", str(counts)])
        _run(job, kernel, "while cycles were counted")
        by_address: Counter[int] = Counter()
        for _, address, count in map(str.split, counts.read_text().splitlines()):
            by_address[int(address, 16)] += int(count)
    asked = "".join(f"{address:#x}\n" for address in by_address)
    told = _told([addr2line, "-a", "-f", "-i", "-e", str(program)], asked).splitlines()
    found: Counter[tuple[str, str]] = Counter()
    for number, line in enumerate(told):
        if line.startswith("0x"):
            file = _file(told[number + 2])
            found["" if file == LIBC else file, told[number + 1]] += by_address[int(line, 16)]
    return found


def cycles(job: Job) -> Counter[str]:
    """Return the same by source file; LIBC stands for that of functions in assembly."""
    files: Counter[str] = Counter()
    for (file, _), count in cycles_by_function(job).items():
        files[file or LIBC] += count
    return files


def _run(job: Job, kernel: Path, when: str) -> None:
    result = run_one(EmbeddedEngine(kernel), replace(job, radio=None))
    if result.outcome is not Outcome.OK:
        raise RunFailed(f"{when}, the run ended as {result.outcome.value}")


def _program(folder: Path, command: list[str]) -> Path:
    """Write a program that calls the kernel in this way, with the arguments that it gets."""
    program = folder / "kernel"
    program.write_text(f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n')
    program.chmod(0o700)
    return program


def _under_callgrind(folder: Path, counts: Path) -> Path:
    """Write a program that is the kernel under callgrind."""
    command = ["valgrind", "--tool=callgrind", "--dump-instr=yes", "--dump-line=no"]
    command += [f"--callgrind-out-file={counts}", f"--log-file={folder / 'messages'}"]
    command.append(str(EmbeddedEngine().kernel))
    return _program(folder, command)


class _Names:
    """Names that callgrind writes once, and then by their number."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def __call__(self, written: str) -> str:
        number, name = _NAMED.fullmatch(written).groups()
        if name is not None:
            self._known[number] = name
        return self._known[number]


def _read(lines: Iterable[str]) -> _Code:
    """Read callgrind's file: costs by address of one object after the other, and costs of calls."""
    objects, functions, code = _Names(), _Names(), _Code()
    mine = called = function = ""
    address, is_call = 0, False
    for line in map(str.rstrip, lines):
        key, _, value = line.partition("=")
        if key == "ob":
            mine = called = objects(value)
        elif key == "cob":
            called = objects(value)
        elif key in ("fn", "cfn"):
            function = functions(value)
        elif key == "calls":
            is_call = True
            if called == _UNNAMED != mine:
                code.entered.add(int(value.split()[1], 16))
        elif line[:1] in ("0", "+", "-", "*") and line:
            place, cost = line.split()
            address = _address(place, address)
            if mine == _UNNAMED and (not is_call or (called != mine and _LIBC.match(function))):
                code.executed[address] += int(cost)
            if is_call:
                is_call, called = False, mine
    return code


def _address(written: str, before: int) -> int:
    if written.startswith("0x"):
        return int(written, 16)
    return before if written == "*" else before + int(written)


def _by_file(code: _Code, library: Path) -> Counter[str]:
    """Sum by the source file of the innermost function, if functions are inlined into each other."""
    symbols = _symbols(library)
    size = library.stat().st_size  # beyond the code, which stands before the data
    first, second = (symbols[name] for name in _ENTERED)
    bases = {at - first for at in code.entered if at - first + second in code.entered}
    bases = {base for base in bases if base % _PAGE == 0}
    if len(bases) != 1:
        raise RunFailed("under callgrind, the firmware's code was not found: its motes don't share it")
    (base,) = bases
    offsets = {at - base: count for at, count in code.executed.items() if 0 <= at - base < size}
    found: Counter[str] = Counter()
    for offset, file in _files(library, sorted(offsets)).items():
        found[file] += offsets[offset]
    return found


def _symbols(library: Path) -> dict[str, int]:
    listed = _told(["nm", "-D", "--defined-only", str(library)])
    return {parts[2]: int(parts[0], 16) for parts in map(str.split, listed.splitlines()) if len(parts) == 3}


def _files(library: Path, offsets: list[int]) -> dict[int, str]:
    asked = "".join(f"{offset:#x}\n" for offset in offsets)
    told = _told(["addr2line", "-a", "-i", "-e", str(library)], asked).splitlines()
    # After an address comes the innermost function's place, then those that it is inlined into.
    starts = [number for number, line in enumerate(told) if line.startswith("0x")]
    return {int(told[number], 16): _file(told[number + 1]) for number in starts}


def _file(place: str) -> str:
    """Return the file of `./app/./os/lib/list.c:12 (discriminator 3)`, whose folders the build made relative.

    Only the table of calls to libc has no file.
    """
    name = place.rsplit("./", 1)[-1].rpartition(":")[0]
    if not name.endswith((".c", ".h")):
        return LIBC
    return name if "/" in name else f"app/{name}"  # ./app/./file.h, found by -I.


def _told(command: list[str], asked: str | None = None) -> str:
    return subprocess.run(command, input=asked, capture_output=True, text=True, check=True).stdout
