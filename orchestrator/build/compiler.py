# SPDX-License-Identifier: Apache-2.0
"""The host's C compiler and make: found, identified, or missing with a remedy."""

from __future__ import annotations

import functools
import os
import re
import shlex
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from orchestrator.build import cache
from orchestrator.durable import SETTLED_NS, mark
from orchestrator.errors import MissingTool, StorageFailed

_CANDIDATES = ("cc", "gcc", "clang")
_PLAIN = re.compile(r"([\w.]+-)*(gcc|clang)(-[\d.]+)?")
_ELF = b"\x7fELF"


@dataclass(frozen=True)
class Compiler:
    """A compiler, called by `command`; `version` (its first line) and `machine` identify it in cache keys."""

    command: tuple[str, ...]
    version: str
    machine: str

    @property
    def shell(self) -> str:
        """The command as a make variable."""
        return shlex.join(self.command)

    def identity(self) -> dict[str, str]:
        return {"version": self.version, "machine": self.machine}


def find(cc: str | None = None) -> Compiler:
    """Return the compiler named by `cc`, else by $CC, else cc, gcc or clang. Raises MissingTool."""
    return _find(cc or os.environ.get("CC") or "", os.environ.get("PATH", ""))


@functools.cache
def _find(wanted: str, search_path: str) -> Compiler:  # `search_path` is part of the memory's key
    for candidate in [wanted] if wanted else _CANDIDATES:
        try:
            command = tuple(shlex.split(candidate))
        except ValueError:
            continue
        if not command or shutil.which(command[0]) is None:
            continue
        if (answer := _remembered(command)) is not None:
            return Compiler(command, *answer)
    looked = wanted or ", ".join(_CANDIDATES)
    raise MissingTool(
        f"no C compiler (looked for {looked})\n    apt-get install build-essential, or set CC to one"
    )


def cross(command: str, what: str, remedy: str) -> Compiler:
    """Another machine's compiler, `command` with its flags.

    Raises MissingTool, also where it has no C library.

    `what` can't be made then; `remedy` says how to get the compiler.
    """
    program = shlex.split(command)[0]
    if shutil.which(program) is None:
        raise MissingTool(f"no {program}, so no {what}\n    {remedy}")
    compiler = find(command)
    tried = subprocess.run(
        [*compiler.command, "-E", "-x", "c", "-", "-o", "-"],
        input="#include <string.h>\n",
        text=True,
        capture_output=True,
        check=False,
    )
    if tried.returncode != 0:
        raise MissingTool(f"{program} has no C library, so no {what}\n    {remedy}")
    return compiler


def make() -> str:
    """Return the path of make. Raises MissingTool."""
    path = shutil.which("make")
    if path is None:
        raise MissingTool("no make\n    apt-get install make")
    return path


def _remembered(command: tuple[str, ...]) -> tuple[str, str] | None:
    """Return the compiler's version and machine, None if it says none.

    Those of a plain compiler are kept in the cache by its file's size and times, because asking takes as long
    as a short run; a script or ccache may call another compiler every time.
    """
    program = os.path.realpath(shutil.which(command[0]) or command[0])
    try:
        status = os.stat(program)
        with open(program, "rb") as file:
            plain = file.read(len(_ELF)) == _ELF
    except OSError:
        return _asked(command)
    settled = time.time_ns() - max(status.st_mtime_ns, status.st_ctime_ns) > SETTLED_NS
    if len(command) > 1 or not (settled and plain and _PLAIN.fullmatch(os.path.basename(program))):
        return _asked(command)

    def make(work: Path) -> Path:
        answer = _asked(command)
        if answer is None:
            raise NoCompiler
        (work / "said").write_text("\n".join(answer))
        return work / "said"

    key = cache.key(
        {
            "compiler": program,
            "status": mark(status),
        }
    )
    try:
        version, machine = cache.get("compilers", key, make).path.read_text().split("\n")
    except NoCompiler:
        return None
    except StorageFailed:
        return _asked(command)
    return version, machine


class NoCompiler(Exception):
    """A program that has a compiler's name, and does not answer like one."""


def _asked(command: tuple[str, ...]) -> tuple[str, str] | None:
    version, machine = _ask(command, "--version"), _ask(command, "-dumpmachine")
    return (version, machine) if version and machine else None


def _ask(command: tuple[str, ...], option: str) -> str:
    try:
        done = subprocess.run(
            [*command, option],
            capture_output=True,
            errors="replace",
            timeout=300,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.split("\n", 1)[0].strip() if done.returncode == 0 else ""
