# SPDX-License-Identifier: Apache-2.0
"""The host's C compiler and make: found, identified, or missing with a remedy."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache

from orchestrator.errors import MissingTool

_CANDIDATES = ("cc", "gcc", "clang")


@dataclass(frozen=True)
class Compiler:
    """`command` as it is called; `version` (the first line it prints) and `machine` identify it in cache keys."""

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
    """The compiler named by `cc`, else by $CC, else cc, gcc or clang. Raises MissingTool."""
    return _find(cc or os.environ.get("CC") or "", os.environ.get("PATH", ""))


@cache
def _find(wanted: str, search_path: str) -> Compiler:  # `search_path` is part of the memory's key
    for candidate in [wanted] if wanted else _CANDIDATES:
        try:
            command = tuple(shlex.split(candidate))
        except ValueError:
            continue
        if not command or shutil.which(command[0]) is None:
            continue
        version = _ask(command, "--version")
        machine = _ask(command, "-dumpmachine")
        if version and machine:
            return Compiler(command, version, machine)
    looked = wanted or ", ".join(_CANDIDATES)
    raise MissingTool(f"no C compiler (looked for {looked})\n    apt-get install build-essential, or set CC to one")


def cross(command: str, what: str, remedy: str) -> Compiler:
    """Another machine's compiler, `command` with its flags. Raises MissingTool, also where it has no C library.

    `what` is then not made; `remedy`: how to get it.
    """
    program = shlex.split(command)[0]
    if shutil.which(program) is None:
        raise MissingTool(f"no {program}, so no {what}\n    {remedy}")
    found = find(command)
    tried = subprocess.run([*found.command, "-E", "-x", "c", "-", "-o", "-"], input="#include <string.h>\n", text=True,
                           capture_output=True, check=False)
    if tried.returncode != 0:
        raise MissingTool(f"{program} has no C library, so no {what}\n    {remedy}")
    return found


def make() -> str:
    """The path of make. Raises MissingTool."""
    found = shutil.which("make")
    if found is None:
        raise MissingTool("no make\n    apt-get install make")
    return found


def _ask(command: tuple[str, ...], option: str) -> str:
    try:
        done = subprocess.run(
            [*command, option], capture_output=True, text=True, errors="replace", timeout=20, check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.split("\n", 1)[0].strip() if done.returncode == 0 else ""
