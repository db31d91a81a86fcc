# SPDX-License-Identifier: Apache-2.0
"""Where the embedded Contiki is, and how its tests call make and the compiler."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

from tests import tier

HERE = Path(__file__).resolve().parent
APPS = HERE.parents[1] / "contiki-apps"
OS = APPS / "os"
# What logs must not depend on: one of each, of all four with ORCHESTRATE_TESTS=all.
BUILDS = [("gcc", "-O0"), ("clang", "-O2"), *([("gcc", "-O2"), ("clang", "-O0")] if tier.ALL else [])]
DEFAULT = next((compiler for compiler in ("gcc", "clang") if shutil.which(compiler)), "cc")
CLEAN = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ}


class Line(NamedTuple):
    """A line of a mote: time in us, mote id (0: a frame on the air), text."""

    time: int
    mote: int
    text: str


def make(folder: Path, *arguments: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess:
    return subprocess.run(
        ["make", "-C", str(folder), *arguments],
        check=False,
        env=CLEAN | (env or {}),
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )


def compile_host(source: Path, program: Path, *more: str | Path) -> Path:
    subprocess.run(
        [
            "cc",
            "-g",
            "-O1",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-Wno-unused-parameter",
            f"-I{OS}",
            "-o",
            str(program),
            str(source),
            *map(str, more),
        ],
        check=True,
    )
    return program
