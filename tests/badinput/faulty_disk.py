# SPDX-License-Identifier: Apache-2.0
"""Runs a command on a disk that is full from some operation on, or with a kill -9 at one (faulty_disk.c)."""

from __future__ import annotations

import json
import os
import re
import select
import signal
import struct
import subprocess
import sys
import weakref
from dataclasses import dataclass
from pathlib import Path

from tests.waiting import HANG_S

SOURCE = Path(__file__).resolve().with_suffix(".c")
FORKS = Path(__file__).resolve().with_name("forks.py")


@dataclass(frozen=True)
class Ended:
    code: int
    said: str
    journal: tuple[tuple[str, str], ...]  # (operation, path below the folder), in order


class FaultyDisk:
    """Commands that work under `folder` (cache and store, both); `library`: the compiled faulty_disk.c.

    They are forked from one process that has imported what they need, which takes longer than most of them.
    """

    def __init__(self, library: Path, folder: Path):
        self.folder = folder
        self._control, self._journal, self._said = (
            library.with_name(f"{folder.name}-{name}") for name in ("control", "journal", "said")
        )
        self._prepare(-1, "full")
        environment = os.environ | {
            "XDG_CACHE_HOME": str(folder / "cache"),
            "LD_PRELOAD": str(library),
            "FAULTS_UNDER": f"{folder}/",
            "FAULTS_CONTROL": str(self._control),
            "FAULTS_JOURNAL": str(self._journal),
        }
        self._forks = subprocess.Popen(
            [sys.executable, FORKS, self._control, self._said],
            env=environment,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._end = weakref.finalize(self, _ended, self._forks)

    @staticmethod
    def compiled(folder: Path) -> Path:
        library = folder / "faulty_disk.so"
        subprocess.run(
            ["gcc", "-shared", "-fPIC", "-O1", str(SOURCE), "-o", str(library), "-ldl"], check=True
        )
        return library

    def run(self, *arguments: str, at: int | None = None, how: str = "full") -> Ended:
        """`orchestrate ARGUMENTS`; `at`: the operation from which on the disk is full, or at which all is
        killed.
        """
        self._prepare(-1 if at is None else at, how)
        print(json.dumps(arguments), file=self._forks.stdin, flush=True)
        if not select.select([self._forks.stdout], [], [], HANG_S)[0]:
            os.killpg(struct.unpack("4q", self._control.read_bytes())[3], signal.SIGKILL)
        code = int(self._forks.stdout.readline())
        lines = sorted(
            (line.split("\t", 2) for line in self._journal.read_text(errors="replace").splitlines()),
            key=lambda line: int(line[0]),
        )
        return Ended(
            code,
            self._said.read_text(errors="replace"),
            tuple((operation, path) for _, operation, path in lines),
        )

    def _prepare(self, at: int, how: str) -> None:
        # Written in place: the processes have them open.
        with self._control.open("r+b" if self._control.exists() else "wb") as stream:
            stream.write(struct.pack("4q", 0, at, how == "kill", 0))
        for file in (self._journal, self._said):
            file.open("w").close()


def _ended(process: subprocess.Popen) -> None:
    process.stdin.close()
    process.wait()
    process.stdout.close()


def step(operation: str, path: str) -> str:
    """An operation's kind: the same for all source files of a firmware, for all runs, and for any process
    id."""
    path = re.sub(r"\.tmp-[^/]*", ".tmp", path)
    path = re.sub(
        r"(\.tmp|firmware/[0-9a-f]{20,})/(os|middleware|apps|build|obj)(/.*)?$", r"\1/sources", path
    )
    path = re.sub(r"[0-9a-f]{16,}", "ID", re.sub(r"/kernel/\.tmp/.*", "/kernel/.tmp/sources", path))
    return f"{operation} {path}"


def steps(journal) -> dict[str, int]:
    """Each kind of operation -> the index of its last one."""
    return {step(operation, path): number for number, (operation, path) in enumerate(journal)}
