# SPDX-License-Identifier: Apache-2.0
"""A copy of the repository in which sources are changed and tests run. It goes when the process goes, however
that ends.
"""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.mutants import reach

_PACKAGES_IN = ("", "spark", "testbed")
_MEASURED = ("orchestrator", "spark", "testbed")
_TESTED_WITH = ("-m", "pytest", "-x", "--tb=short")
# Told to a process of its own, which outlives a kill: the tests' session ends and the copy goes when the pipe
# closes.
_WATCH = """
import os, shutil, signal, sys
running = 0
for line in sys.stdin:
    running = int(line)
if running:
    try:
        os.killpg(running, signal.SIGKILL)
    except ProcessLookupError:
        pass
shutil.rmtree(sys.argv[1], ignore_errors=True)
"""
# How much more than the unchanged tree's tests a change may use until it is one that never ends. A
# processor's time counts for each process, so a busy machine changes nothing; waiting for what never comes
# uses none, and a machine's time has to do.
_CPU_TIMES, _CPU_S = 10, 60
_WAIT_TIMES, _WAIT_S = 20, 120


@dataclass(frozen=True)
class Ran:
    """`status` None: it never ended."""

    status: int | None
    output: str
    took_s: float


class Replica:
    """`with Replica(root) as replica:`. Only what git knows or would add is copied, without its history."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def __enter__(self) -> Replica:
        folder = Path(tempfile.mkdtemp(prefix="mutants-"))
        self._watch = subprocess.Popen(
            [sys.executable, "-c", _WATCH, folder], stdin=subprocess.PIPE, text=True, start_new_session=True
        )
        self.root = folder / "tree"
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=self._root,
            check=True,
            capture_output=True,
        ).stdout.decode()
        for name in filter(None, listed.split("\0")):
            if (self._root / name).is_file():
                (self.root / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(self._root / name, self.root / name)
        (folder / "tmp").mkdir()
        self._folder = folder
        # CI: Hypothesis' examples are always the same, so that what one run noticed the next one does.
        self._environment = {
            name: value
            for name, value in os.environ.items()
            if name not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")
        } | {
            # Or its packages would be those of the repository, which is installed in place.
            "PYTHONPATH": os.pathsep.join(str(self.root / part) for part in _PACKAGES_IN),
            "PYTHONDONTWRITEBYTECODE": "1",
            "CI": "1",
            "TMPDIR": str(folder / "tmp"),
            "XDG_CACHE_HOME": str(folder / "cache"),
        }
        return self

    def __exit__(self, *_) -> None:
        self._watch.stdin.close()
        self._watch.wait()

    def learn(self, tests: list[str]) -> Ran:
        """The tests on the unchanged tree, and which of them run which lines (`nearest`)."""
        return self.run(tests, more=reach.learning(self._folder, [self.root / one for one in _MEASURED]))

    def nearest(self, file: str, line: int) -> list[str]:
        """The tests that were seen to run a line."""
        return reach.nearest(self._folder, self.root / file, line)

    def run(self, tests: list[str], usual: Ran | None = None, more: Sequence[str] = ()) -> Ran:
        """The tests, up to the first that fails. `usual`: how they ran on the unchanged tree."""
        output = self._folder / "output"
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        with output.open("wb") as stream:
            process = subprocess.Popen(
                [sys.executable, *_TESTED_WITH, *more, *tests],
                cwd=self.root,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=stream,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=None if usual is None else lambda: _limit(usual.took_s),
            )
            print(process.pid, file=self._watch.stdin, flush=True)
            try:
                status = process.wait(None if usual is None else _WAIT_S + _WAIT_TIMES * usual.took_s)
            except subprocess.TimeoutExpired:
                status = None
            finally:
                _end(process)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        took = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        for left in (self._folder / "tmp").iterdir():
            shutil.rmtree(left, ignore_errors=True)
        return Ran(
            None if status == -signal.SIGXCPU else status,
            output.read_text(encoding="utf-8", errors="replace"),
            took,
        )


def _limit(usual_s: float) -> None:
    most = int(_CPU_S + _CPU_TIMES * usual_s)
    resource.setrlimit(resource.RLIMIT_CPU, (most, most + 5))


def _end(process: subprocess.Popen) -> None:
    """With all that it started and left."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
