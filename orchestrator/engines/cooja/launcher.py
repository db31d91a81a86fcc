# SPDX-License-Identifier: Apache-2.0
"""Starts Cooja's JVM as a process of this machine, and ends it with everything that it started.

container.py does the same in a container. Between us and the JVM there is a shell, the leader of a process
group: it ends the group when this process is gone, for whatever reason (its end of a pipe closes).
"""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path
from typing import Protocol

from orchestrator.errors import MissingTool

# "$@" is the command. Descriptor 3 is the pipe that this process holds open as long as it lives.
_SUPERVISOR = """
exec 3<&0
"$@" </dev/null 3<&- & child=$!
( read -r _ <&3; kill -KILL 0 ) >/dev/null 2>&1 & watch=$!
wait "$child"; status=$?
kill -KILL "$watch" 2>/dev/null
exit "$status"
"""
# The user's options for all JVMs would change the run, or print to the console that we read.
_LEFT_OUT = ("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "CLASSPATH")


class Running(Protocol):
    """A started Cooja; `output` is the descriptor of its console, both streams together."""

    output: int

    def wait(self, timeout_s: float | None) -> int | None:
        """Wait for its end; return its exit status (128 + N for signal N), or None if it is still running."""

    def kill(self) -> None:
        """End it and everything that it started; may be called repeatedly and from another thread."""

    def peak_memory(self) -> int:
        """Return its peak resident memory until now in bytes; 0 if it isn't known."""


class LocalProcess:
    """Cooja as a process of this machine, in `folder`."""

    def __init__(self, command: list[str], folder: Path):
        """Start it. Raises MissingTool if the command can't be started."""
        environment = {name: value for name, value in os.environ.items() if name not in _LEFT_OUT}
        try:
            self._process = subprocess.Popen(
                ["/bin/sh", "-c", _SUPERVISOR, "cooja", *command],
                cwd=folder,
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            raise MissingTool(f"{command[0]} does not start: {error.strerror}") from None
        self._ended = False
        self.output = self._process.stdout.fileno()

    def wait(self, timeout_s: float | None) -> int | None:
        """See Running."""
        try:
            status = self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            return None
        self.kill()  # the processes that it left behind
        self._ended = True
        for stream in (self._process.stdin, self._process.stdout):
            stream.close()
        return status if status >= 0 else 128 - status

    def kill(self) -> None:
        """See Running."""
        if self._ended:  # by now the process id may be another process's
            return
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def peak_memory(self) -> int:
        """See Running."""
        return memory_of(self._process.pid)


def memory_of(supervisor: int) -> int:
    """Return the largest peak resident memory of a process's children in bytes; 0 if it isn't known."""
    return max((_peak(process) for process in _children(supervisor)), default=0) if supervisor else 0


def _children(process: int) -> list[int]:
    try:
        listed = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii")
    except OSError:
        return []
    return [int(child) for child in listed.split()]


def _peak(process: int) -> int:
    try:
        status = Path(f"/proc/{process}/status").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return 0
    for line in status.splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return 0
