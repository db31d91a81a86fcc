# SPDX-License-Identifier: Apache-2.0
"""Runs a command on a disk that is full from some operation on, or with a kill -9 at one (faulty_disk.c)."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.waiting import HANG_S

SOURCE = Path(__file__).resolve().with_suffix(".c")
ORCHESTRATE = [sys.executable, "-m", "orchestrator.cli.app"]


@dataclass(frozen=True)
class Ended:
    code: int
    said: str
    journal: tuple[tuple[str, str], ...]  # (operation, path below the folder), in order


class FaultyDisk:
    """Commands that work under `folder` (cache and store, both); `library`: the compiled faulty_disk.c."""

    def __init__(self, library: Path, folder: Path):
        self.library, self.folder = library, folder

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
        counter, journal = (
            self.library.with_name(f"{self.folder.name}-{name}") for name in ("counter", "journal")
        )
        counter.write_bytes(bytes(8))
        journal.unlink(missing_ok=True)
        environment = (
            os.environ
            | {
                "XDG_CACHE_HOME": str(self.folder / "cache"),
                "LD_PRELOAD": str(self.library),
                "FAULTS_UNDER": f"{self.folder}/",
                "FAULTS_COUNTER": str(counter),
                "FAULTS_JOURNAL": str(journal),
            }
            | ({} if at is None else {"FAULTS_AT": str(at), "FAULTS_HOW": how})
        )
        with subprocess.Popen(
            [*ORCHESTRATE, *arguments],
            env=environment,
            start_new_session=True,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        ) as process:
            try:
                said, _ = process.communicate(timeout=HANG_S)
            except BaseException:
                os.killpg(process.pid, signal.SIGKILL)
                raise
        text = journal.read_text(errors="replace") if journal.exists() else ""
        lines = sorted((line.split("\t", 2) for line in text.splitlines()), key=lambda line: int(line[0]))
        return Ended(process.returncode, said, tuple((operation, path) for _, operation, path in lines))


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
