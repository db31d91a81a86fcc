# SPDX-License-Identifier: Apache-2.0
"""Starts the process in which a script runs (host.py), and reports how it ended."""

from __future__ import annotations

import importlib.util
import json
import re
import signal
import socket
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from orchestrator.csc import javascript, macros
from orchestrator.csc.javascript import Part
from orchestrator.csc.model import JavaScript, Simulation, Udgm
from orchestrator.engines.embedded.script.host import STEP_LIMIT_S
from orchestrator.errors import Fault, FaultyInput, MissingTool

_HOST = Path(__file__).resolve().with_name("host.py")
_PRELUDE = tuple(
    _HOST.with_name(name) for name in ("java.js", "map.js", "prelude.js", "random.js", "nashorn.js")
)
_INTERPRETER = "_quickjs"
# Words that lead to motes, files or lines generated later, and words that could hide them. The names that
# csc/nashorn.py inserts are excepted.
_ACTS = re.compile(
    r"\b(?:sim|mote|node|write|GENERATE_MSG|generateMsg|append|writeFile|this|globalThis|eval|Function|constructor|with)\b"
    r"|\\[ux]|\b(?!(?:caught|each|keys|plain|kept|add|length)_\()\w+_\b"
)
_END_S = 60.0  # the process notices that the kernel is gone; it is killed so much later


@dataclass(frozen=True)
class Ended:
    """How a script's process ended: its last report ({} if none), and why it was stopped, if it was."""

    report: dict
    stopped: str = ""

    @property
    def unsupported(self) -> str:
        """What the script called that the engine doesn't have, with its place; "" if nothing."""
        return (
            f"{self.report['where']}: {self.report['what']}"
            if self.report.get("kind") == "unsupported"
            else ""
        )

    @property
    def error(self) -> str:
        """The error that ended the script, with its place; "" if none did."""
        return f"{self.report['where']}: {self.report['what']}" if self.report.get("kind") == "error" else ""


def _job(script: JavaScript, simulation: Simulation, seed: int, aside: bool) -> dict[str, Any]:
    """Return what the process needs to run the script (host.py)."""
    types = [
        {"identifier": one.identifier, "description": one.description, "interfaces": one.interfaces}
        for one in simulation.mote_types
    ]
    return {
        "prelude": "".join(part.read_text(encoding="utf-8") for part in _PRELUDE),
        "code": script.code,
        "timeout_code": script.timeout_code,
        "seed": str(seed),
        "title": simulation.title,
        "aside": aside,
        "calls": dict(script.calls),
        "types": types,
    }


class ScriptProcess:
    """A context manager that runs the process; `kernel_end` is the socket for the kernel."""

    def __init__(
        self,
        script: JavaScript,
        simulation: Simulation,
        seed: int,
        printed: IO[bytes] | int = subprocess.DEVNULL,
        aside: bool = False,
    ):
        """Start the process and check that the script can run. Raises FaultyInput and MissingTool.

        `printed`: gets its output. `aside`: the kernel treats the script so (stands_aside).
        """
        self._script = script
        self._ended: Ended | None = None
        found = importlib.util.find_spec(_INTERPRETER)
        if found is None or found.origin is None:
            raise MissingTool(
                "scripts need the JavaScript interpreter of the package quickjs-ng: pip install quickjs-ng"
            )
        self.kernel_end, own = socket.socketpair()
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(_HOST), str(own.fileno()), str(Path(found.origin).parent)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=printed,
            pass_fds=(own.fileno(),),
        )
        own.close()
        self._write(json.dumps(_job(script, simulation, seed, aside)))
        report = self._report(self._process.stdout.readline())
        if report.get("kind") != "ready":
            ended = self.end()
            file, _, line = report.get("where", script.lines[0]).rpartition(":")
            what = f"script: {report.get('what') or ended.stopped}"
            raise FaultyInput([Fault(file, int(line), what, "correct the script")])

    def _write(self, job: str) -> None:
        try:
            self._process.stdin.write(job.encode("ascii"))
            self._process.stdin.close()
        except BrokenPipeError:
            pass  # it has ended, and end() says how
        self._process.stdin = None

    def __enter__(self) -> ScriptProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def connected(self) -> None:
        """Close our copy of the kernel's end, so that the conversation ends with the kernel's process."""
        self.kernel_end.close()

    def end(self, *, at_once: bool = False) -> Ended:
        """Wait for the process's end, or end it; return how it ended."""
        self.kernel_end.close()
        if self._ended is None:
            if at_once:
                self._process.kill()
            try:
                output, _ = self._process.communicate(timeout=_END_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
                output, _ = self._process.communicate()
            lines = output.splitlines()
            self._ended = Ended(self._report(lines[-1]) if lines else {}, _stopped(self._process.returncode))
        return self._ended

    def _report(self, line: bytes) -> dict:
        """Return a report with `where`: file and line in the .csc."""
        try:
            report = json.loads(line)
        except ValueError:
            return {}
        number, lines = int(report.get("line") or 0), self._script.lines
        return report | {"where": lines[min(number, len(lines) - 1)]}


def stands_aside(script: JavaScript) -> bool:
    """Say whether a script only logs and decides.

    Its text then has none of the words by which a script acts on the simulation or looks at it, not even in a
    string. The simulation need not wait at every line for such a script: a verdict counts from the line that
    led to it.
    """
    return not _ACTS.search(f"{script.code}\n{script.timeout_code}")


def faults(parts: list[Part]) -> list[Fault]:
    """Return the faults of a ScriptRunner's text; it is compiled, not run. Raises MissingTool."""
    try:
        script = javascript.spelled(parts)
    except macros.Misread as misread:
        return [
            Fault(
                parts[0].file,
                parts[0].line + misread.line - 1,
                f"script: {misread.what}",
                misread.remedy,
            )
        ]
    except javascript.Refused as refused:
        return [
            Fault(one.file, one.line, f"script: {one.what}", "write it in another way")
            for one in refused.found
        ]
    try:
        with ScriptProcess(script, Simulation("", 0, 0, Udgm(), (), (), script), 0):
            return []
    except FaultyInput as faulty:
        return list(faulty.faults)


def _stopped(status: int) -> str:
    if status == -signal.SIGPROF:
        return f"the script computed for {STEP_LIMIT_S:g} s without waiting for a line (YIELD, WAIT_UNTIL)"
    if status < 0:
        return f"the script's process ended with {signal.Signals(-status).name}"
    return f"the script's process ended with exit code {status}" if status else ""
