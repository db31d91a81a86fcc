# SPDX-License-Identifier: Apache-2.0
"""A process of the kernel that is driven by lines of text over a socket (kernel/run/door.h)."""

from __future__ import annotations

import os
import socket
import subprocess
import tempfile
from pathlib import Path
from typing import IO

from orchestrator.engines.embedded.results import last_report, printed_last

_GRACE_S = 60.0  # in which the process has to end
_AT_ONCE = 1 << 16  # bytes that are received at once


class LogFile:
    """The file of a log: one with a name, or one that is there for as long as this object.

    `path` reads it in this process; the kernel's process writes to it through a file that it inherits.
    """

    def __init__(self, path: Path | None):
        self._file: IO[bytes] | None = None
        if path is None:
            self._file = tempfile.TemporaryFile(prefix="orchestrate-log-")
            path = Path(f"/proc/self/fd/{self._file.fileno()}")
        self.path = path

    @property
    def passed(self) -> tuple[int, ...]:
        """The files that the kernel's process has to inherit, so that its `path` is the same."""
        return () if self._file is None else (self._file.fileno(),)


class KernelProcess:
    """The other side of the door: it takes commands, and answers with lines."""

    def __init__(self, command: list[str], log: LogFile, description: bytes) -> None:
        """Start it. Whatever it refuses, it tells by its report."""
        self._printed = tempfile.TemporaryFile()
        self._socket, kernel_end = socket.socketpair()
        self._received, self._unsent = bytearray(), bytearray()
        with kernel_end:
            self.process = subprocess.Popen(
                [*command, "--log", os.fspath(log.path), "--door", str(kernel_end.fileno())],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._printed,
                pass_fds=(kernel_end.fileno(), *log.passed),
                process_group=0,
            )
        try:
            self.process.stdin.write(description)
            self.process.stdin.close()
        except BrokenPipeError:  # it found a fault in the beginning, of which its report tells
            pass

    def say(self, lines: bytes) -> None:
        """Send commands, and what is left of others after an exception of a signal's handler.

        Raises BrokenPipeError or ConnectionResetError if it has ended.
        """
        self._unsent += lines
        while self._unsent:
            sent = self._socket.send(self._unsent)
            del self._unsent[:sent]

    def hear(self) -> bytes | None:
        """Return the next line that it answers, without its end; None: it has ended.

        An exception of a signal's handler, such as KeyboardInterrupt, loses nothing of what comes.
        """
        while (end := self._received.find(b"\n")) < 0:
            try:
                part = self._socket.recv(_AT_ONCE)
            except ConnectionResetError:
                part = b""
            if not part:
                return None
            self._received += part
        line = bytes(self._received[:end])
        del self._received[: end + 1]
        return line

    def report(self) -> tuple[dict, int]:
        """Let it end, and return its report and exit status."""
        try:
            self._socket.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # it has ended by itself
        self._wait()
        return last_report(self.process.stdout.read()), self.process.returncode

    def printed(self) -> tuple[str, ...]:
        """Return the last lines that firmware printed through libc."""
        return printed_last(self._printed)

    def cpu_s(self) -> float:
        """Return the processor time that it has used, s."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def close(self) -> None:
        """End it, whatever it does: it sees that nobody drives it."""
        self._socket.close()
        self._wait()
        self.process.stdout.close()
        self._printed.close()

    def _wait(self) -> None:
        try:
            self.process.wait(_GRACE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
