# SPDX-License-Identifier: Apache-2.0
"""A process of the kernel that is driven by lines of text over a socket (kernel/run/door.h)."""

from __future__ import annotations

import errno
import os
import select
import signal
import socket
import subprocess
import tempfile
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import IO, Protocol

from orchestrator.durable import work_prefix
from orchestrator.engines.embedded.results import last_report, printed_last
from orchestrator.errors import StorageFailed, Unsupported, writing

_GRACE_S = 60.0  # in which the process has to end
_AT_ONCE = 1 << 16  # bytes that are received at once


class LogFile:
    """The file of a log: one with a name, or one that is there for as long as this object.

    `path` reads it in this process; the kernel's process writes to it through a file that it inherits.
    """

    def __init__(self, path: Path | None):
        self.file: IO[bytes] | None = None
        if path is None:
            self.file = tempfile.TemporaryFile(prefix="orchestrate-log-")
            path = Path(f"/proc/self/fd/{self.file.fileno()}")
        self.path = path

    @property
    def passed(self) -> tuple[int, ...]:
        """The files that the kernel's process has to inherit, so that its `path` is the same."""
        return () if self.file is None else (self.file.fileno(),)


class Process(Protocol):
    """What a kernel's process is to its driver, whoever started it."""

    pid: int
    returncode: int | None

    def wait(self, timeout: float | None = None) -> int: ...

    def kill(self) -> None: ...


class _Branch:
    """A process that the kernel has forked, as a child of this one."""

    _left: set[int] = set()  # that nobody has waited for, and whose objects are gone

    def __init__(self, pid: int):
        self.pid, self.returncode = pid, None
        for other in tuple(self._left):
            with suppress(ChildProcessError):
                if os.waitpid(other, os.WNOHANG)[0] == 0:
                    continue
            self._left.discard(other)

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end. Raises subprocess.TimeoutExpired."""
        if self.returncode is None:
            try:
                handle = os.pidfd_open(self.pid)
            except ProcessLookupError:  # somebody else has waited for it
                self.returncode = 0
                return 0
            try:
                ended = select.poll()  # select() knows no file from number 1024 on
                ended.register(handle, select.POLLIN)
                if not ended.poll(None if timeout is None else 1000 * timeout):
                    raise subprocess.TimeoutExpired(f"branch {self.pid}", timeout)
                with suppress(ChildProcessError):
                    self.returncode = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
                self.returncode = self.returncode or 0
            finally:
                os.close(handle)
        return self.returncode

    def kill(self) -> None:
        if self.returncode is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)

    def __del__(self) -> None:
        if self.returncode is None:
            self._left.add(self.pid)


class KernelProcess:
    """The other side of the door: it takes commands, and answers with lines."""

    def __init__(self, process: Process, door: socket.socket, report: IO[bytes], printed: IO[bytes]) -> None:
        """Talk to a process by `door`; its report comes by `report`, what firmware prints is in `printed`."""
        self.process, self.closed = process, False
        self._socket, self._report, self._printed = door, report, printed
        self._received, self._unsent = bytearray(), bytearray()

    @classmethod
    def start(
        cls, command: list[str], log: LogFile, description: bytes, passed: tuple[int, ...] = ()
    ) -> KernelProcess:
        """Start a process, which inherits the files `passed`. What it refuses, it tells by its report."""
        printed = tempfile.TemporaryFile()
        door, kernel_end = socket.socketpair()
        with kernel_end:
            process = subprocess.Popen(
                [*command, "--log", os.fspath(log.path), "--door", str(kernel_end.fileno())],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=printed,
                pass_fds=(kernel_end.fileno(), *log.passed, *passed),
                process_group=0,
            )
        try:
            process.stdin.write(description)
            process.stdin.close()
        except BrokenPipeError:  # it found a fault in the beginning, of which its report tells
            pass
        return cls(process, door, process.stdout, printed)

    def fork(
        self, line: bytes, log: Path | None, answer: Callable[[], list[list[bytes]]]
    ) -> tuple[KernelProcess, LogFile] | str:
        """Copy the process, with a log of its own; return the copy, or why there can be none.

        `line`: the command, to which `answer` returns the answer. Raises StorageFailed if the log can't be
        written, and Unsupported if this program may open no more files.
        """
        with ExitStack() as held:
            try:
                with writing(log or "a log", "free space, or choose another folder"):
                    own_log = LogFile(log)
                    content = own_log.file or held.enter_context(_Unfinished(log)).file
                door, kernel_end = socket.socketpair()
                held.enter_context(kernel_end)
                reading, reported = os.pipe()
                held.callback(os.close, reported)
                report = open(reading, "rb")
                printed = open(os.memfd_create("printed"), "w+b")
            except (OSError, StorageFailed) as error:
                raise _too_many(error) or error from None
            files = [kernel_end.fileno(), reported, printed.fileno(), content.fileno()]
            with suppress(BrokenPipeError, ConnectionResetError):  # it has ended, as the answer says
                socket.send_fds(self._socket, [line + b"\n"], files)
            keyword, *words = answer()[-1]
            if keyword != b"forked":
                for each in (door, report, printed):
                    each.close()
                return b" ".join(words).decode()
            branch = KernelProcess(_Branch(int(words[0])), door, report, printed)
            greeting = branch.hear()  # its log has all of the past by then
            if greeting is not None and log is not None:
                os.rename(content.name, log)
            return branch, own_log

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
        with suppress(OSError):  # it has ended by itself
            self._socket.shutdown(socket.SHUT_WR)
        self._wait()
        return last_report(self._report.read()), self.process.returncode

    def printed(self) -> tuple[str, ...]:
        """Return the last lines that firmware printed through libc."""
        return printed_last(self._printed)

    def cpu_s(self) -> float:
        """Return the processor time that it has used, s."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def close(self) -> None:
        """End it, whatever it does: it sees that nobody drives it."""
        if self.closed:
            return
        self.closed = True
        with suppress(OSError):  # it has ended by itself
            self._socket.shutdown(socket.SHUT_RDWR)  # also if another process has a copy of this end
        self._socket.close()
        self._wait()
        self._report.close()
        self._printed.close()

    def _wait(self) -> None:
        try:
            self.process.wait(_GRACE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def _too_many(error: Exception) -> Unsupported | None:
    """Return the error of a program that may open no more files; None: it is another one."""
    cause = error.__cause__ or error
    if getattr(cause, "errno", None) not in (errno.EMFILE, errno.ENFILE):
        return None
    return Unsupported(
        "there are too many simulations at a time: this program may open no more files\n"
        "    close copies that are not needed any more, or raise the limit: ulimit -n 65536"
    )


class _Unfinished:
    """A file beside a log, which takes its place once it has the past of its branch; else it is removed."""

    def __init__(self, log: Path):
        self._path = log.with_name(work_prefix() + log.name)
        self.file = open(self._path, "w+b")

    def __enter__(self) -> _Unfinished:
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()
        self._path.unlink(missing_ok=True)
