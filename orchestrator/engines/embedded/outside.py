# SPDX-License-Identifier: Apache-2.0
"""What a run has outside of the simulation: pace, sockets at serial lines, and the plugins' commands.

The kernel does what has to be done at simulated times (kernel/outside); here sockets are opened before it
starts, so that a port in use is known by then, and commands run beside it.
"""

from __future__ import annotations

import errno
import os
import re
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING

from orchestrator.csc import needs, paths
from orchestrator.engines.embedded import input_record, machine
from orchestrator.engines.log import OUTSIDE
from orchestrator.engines.model import AS_FILE
from orchestrator.errors import MissingTool, NoSuchThing, Unsupported
from orchestrator.runs.model import VERDICTS, Pace, RunResult

if TYPE_CHECKING:
    from orchestrator.csc.serial_socket import SerialSocket
    from orchestrator.engines.embedded.described import Described
    from orchestrator.engines.model import Job, Outside

STOPPED = f"{OUTSIDE}the run was ended as failed"
OUTPUT = "commands.log"  # of the plugins' commands, beside the log
_CONNECT_S = 10.0
_END_S = 5.0  # in which commands have to end when the simulation is over
_LOOK_EVERY_S = 0.02
_NICE = -20  # the most: of 60 s that a border router has, its build takes those that others leave it
_TAIL = 2000  # bytes of their output that are evidence
_TOKEN = re.compile(r"\[(?:CONFIG|CONTIKI|COOJA)_DIR\]")
_LOOPBACK = ("127.0.0.1", "::1")

_taken = threading.Condition()
_ports: dict[object, Path] = {}  # of runs of this process, by their logs; they wait for each other
_COMMANDS = "commands"  # as a port: they change the machine's network
_stops = 0  # how often all runs of this process were ended


class Stopped(Exception):
    """The run was ended before it began."""


def stop_waiting() -> None:
    """End the runs that wait for another one's port; they raise Stopped."""
    global _stops
    with _taken:
        _stops += 1
        _taken.notify_all()


def check(options: Outside, described: Described) -> None:
    """Check that commands can run here. Raises MissingTool and NoSuchThing, with the plugin's line."""
    for one in _with_commands(options, described):
        where = f"{options.file}:{one.line}"
        try:
            for command in one.commands:
                _resolved(command, options)
        except NoSuchThing as error:
            raise NoSuchThing(f"{where}: {error}") from None
        machine.check(needs.of_commands(one.commands, lambda text: _path(text, options)), where)


def _opened(options: Outside, described: Described) -> tuple[SerialSocket, ...]:
    return described.serial_sockets if options.sockets and options.replay is None else ()


def _with_commands(options: Outside, described: Described) -> tuple[SerialSocket, ...]:
    return tuple(one for one in _opened(options, described) if one.commands) if options.commands else ()


def _claims(options: Outside, described: Described) -> set[object]:
    """Return what no two runs can have at a time: ports, and commands."""
    ports: set[object] = {one.port for one in _opened(options, described) if not one.host and one.port}
    return ports | ({_COMMANDS} if _with_commands(options, described) else set())


def take(job: Job) -> bool:
    """Take a run's ports for it, if no other run of this process has one of them; release() ends that."""
    with _taken:
        return _take(_claims(job.outside, job.deployment), job.log)


def release(job: Job) -> None:
    """Give a run's ports back, if it has any."""
    with _taken:
        for one in [one for one, log in _ports.items() if log == job.log]:
            del _ports[one]
        _taken.notify_all()


def _take(claims: set[object], log: Path) -> bool:
    if any(_ports.get(one, log) != log for one in claims):
        return False
    _ports.update(dict.fromkeys(claims, log))
    return True


class World:
    """What is outside of one run; a context manager, in which the kernel runs."""

    def __init__(self, job: Job, described: Described) -> None:
        self._job, self._described = job, described
        self._options: Outside = job.outside
        self._live = _opened(self._options, described)
        self._commands = _with_commands(self._options, described)
        self._held = ExitStack()
        self._lines: list[str] = []
        self._passed: list[int] = []
        self._commands_run: list[subprocess.Popen] = []
        self._lock = threading.Lock()
        self._over = False
        self._stops = _stops
        self._threads: list[threading.Thread] = []
        self._failure: tuple[str, ...] = ()  # of a command

    def __enter__(self) -> World:
        """Open all sockets and begin the record.

        Raises MissingTool (a port is in use), Stopped, and what check() and input_record raise.
        """
        with self._held:
            self._held.callback(self._close_passed)
            self._held.enter_context(self._alone())
            self._pace()
            self._replay()
            check(self._options, self._described)
            for one in self._live:
                self._open(one)
            if self._live:
                self._begin_record()
            self._settings = self._held.enter_context(tempfile.TemporaryFile())
            self._settings.write("".join(f"{line}\n" for line in [*self._lines, "begin"]).encode())
            self._settings.seek(0)
            self._control, self._kernel_end = socket.socketpair()
            self._held.callback(self._control.close)
            self._held.callback(self._kernel_end.close)
            self._held = self._held.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._over = True
        if self._commands_run:
            self._end_commands()
        for thread in self._threads:
            thread.join(_END_S)
        for process in self._commands_run:
            process.wait()
        self._held.close()

    @property
    def stopped(self) -> bool:
        """Whether all runs of this process were ended since this one began."""
        return self._stops < _stops

    @property
    def passed(self) -> tuple[int, ...]:
        """The files that the kernel's process inherits."""
        return (*self._passed, self._settings.fileno(), self._kernel_end.fileno())

    @property
    def arguments(self) -> list[str]:
        """The kernel's arguments."""
        return ["--outside", str(self._settings.fileno()), "--control", str(self._kernel_end.fileno())]

    def started(self) -> None:
        """Begin to listen to the kernel, and run the commands; the kernel has started."""
        self._kernel_end.close()
        self._close_passed()
        self._thread(self._hear)
        if self._commands:
            self._thread(self._run_commands)

    def _close_passed(self) -> None:
        while self._passed:
            os.close(self._passed.pop())

    def ended(self, report: dict, result: RunResult) -> RunResult:
        """Return the result with what the kernel's report says about the world outside."""
        if report.get("stopped") and result.outcome in VERDICTS:
            result = replace(result, evidence=self._failure or (STOPPED,))
        if not report.get("beats"):
            return result
        pace = Pace(
            report["speed_millionths"] / 1e6,
            report["late_p50_us"],
            report["late_p99_us"],
            report["latest_us"],
            report["moved_us"],
        )
        return replace(result, pace=pace)

    def _thread(self, target: Callable[[], None]) -> None:
        self._threads.append(threading.Thread(target=target, daemon=True))
        self._threads[-1].start()

    def _pace(self) -> None:
        speed = self._options.speed
        if speed is None:
            speed = AS_FILE if self._live else 0.0
        follows = speed == AS_FILE
        limit = self._described.speed_limit if follows else speed
        self._lines += [f"speed {limit or 0.0!r}", f"follow {'yes' if follows else 'no'}"]
        self._lines.append(f"patience {max(1, round(self._options.patience_s * 1000))}")

    def _replay(self) -> None:
        if self._options.replay is None:
            return
        record = input_record.read(self._options.replay)
        job = self._job
        for note in input_record.check(record, self._described, job.ruleset, job.seed, job.firmware):
            self._options.say(f"note: {note}")
        self._lines += [f"input {time_us} {mote} {data}" for time_us, mote, data in record.inputs]
        if record.stop is not None:
            time_us, ok = record.stop
            self._lines.append(f"stop {time_us} {'yes' if ok else 'no'}")

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Wait until no other run of this process has one of its ports, or commands. Raises Stopped."""
        mine = _claims(self._options, self._described)
        with _taken:
            _taken.wait_for(lambda: self.stopped or _take(mine, self._job.log))
        try:
            if self.stopped:
                raise Stopped
            yield
        finally:
            release(self._job)

    def _open(self, one: SerialSocket) -> None:
        where = f"{self._options.file}:{one.line}"
        if one.host:
            self._connect(one, where)
            return
        listening = self._listen(one, where)
        port = listening[0].getsockname()[1]
        files = [self._keep(each) for each in listening]
        self._lines.append(" ".join(map(str, ["server", one.mote, port, *files])))
        mote = self._described.mote_ids()[one.mote]
        self._options.say(f"{where}: port {port} is the serial line of mote {mote}")

    def _listen(self, one: SerialSocket, where: str) -> list[socket.socket]:
        """Listen at a port; by default only programs of this machine reach it."""
        listening: list[socket.socket] = []
        port = one.port
        for address in [self._options.address] if self._options.address else _LOOPBACK:
            family = socket.AF_INET6 if ":" in address else socket.AF_INET
            try:
                opened = socket.socket(family, socket.SOCK_STREAM)
                self._held.callback(opened.close)
                opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                opened.bind((address, port))
                opened.listen(8)
            except OSError as error:
                if listening and error.errno in (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT):
                    break  # this machine has no IPv6
                raise _unopened(error, where, address, port) from None
            port = opened.getsockname()[1]  # of those that are free, where the file says 0
            listening.append(opened)
        return listening

    def _connect(self, one: SerialSocket, where: str) -> None:
        """Connect to a server; without one the run goes on, as in Cooja."""
        try:
            connected = socket.create_connection((one.host, one.port), _CONNECT_S)
        except (OSError, UnicodeError) as error:
            what = getattr(error, "strerror", None) or error
            self._options.say(
                f"note: {where}: nobody answers at {one.host}:{one.port} ({what}); the run goes on without, "
                "as in Cooja"
            )
            return
        self._held.callback(connected.close)
        connected.setblocking(False)
        self._lines.append(f"client {one.mote} {one.port} {self._keep(connected)}")
        mote = self._described.mote_ids()[one.mote]
        self._options.say(f"{where}: {one.host}:{one.port} is the serial line of mote {mote}")

    def _keep(self, opened: socket.socket) -> int:
        """Return a copy of a socket's file for the kernel."""
        self._passed.append(os.dup(opened.fileno()))
        opened.close()
        return self._passed[-1]

    def _begin_record(self) -> None:
        job = self._job
        first = input_record.head(self._options.file, self._described, job.seed, job.ruleset, job.firmware)
        self._passed.append(input_record.begin(job.log.with_name(input_record.NAME), first))
        self._lines.append(f"record {self._passed[-1]}")

    def _hear(self) -> None:
        """Say what the kernel tells about connections, until it has ended."""
        with suppress(OSError), self._control.makefile("r", errors="replace") as lines:
            for line in lines:
                what, port, time_us, *reason = line.rstrip("\n").split(" ", 3)
                why = f": {reason[0]}" if reason and reason[0] else ""
                self._options.say(f"port {port}: {what} at {int(time_us) / 1e6:.6f} s{why}")

    def _run_commands(self) -> None:
        """Run the commands one after the other, then end the simulation; a failed one is the last."""
        ok = True
        output = self._job.log.with_name(OUTPUT)
        with output.open("wb") as stream:
            for command in [line for one in self._commands for line in one.commands]:
                status = self._run(_resolved(command, self._options), stream)
                if status is None:
                    return
                if status != 0:
                    ok = False
                    self._failure = _failure(command, status, output)
                    break
        with suppress(OSError):  # the simulation has ended meanwhile
            self._control.send(b"1" if ok else b"0")

    def _run(self, command: str, stream: IO[bytes]) -> int | None:
        """Run a command as Cooja does; return its status, None when the simulation is over."""
        with self._lock:
            if self._over:
                return None
            self._options.say(f"runs beside the simulation: {command}")
            process = subprocess.Popen(
                ["/bin/sh", "-c", command],
                cwd=self._options.file.resolve().parent,
                stdin=subprocess.DEVNULL,
                stdout=stream,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            self._commands_run.append(process)
            _prefer(process)
        # It is not reaped before the simulation's end, so that its number stays that of all it has started.
        ended = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        return ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status

    def _end_commands(self) -> None:
        """End what commands have left running."""
        groups = {process.pid for process in self._commands_run}
        for number in (signal.SIGTERM, signal.SIGKILL):
            for group in groups:
                with suppress(PermissionError):  # nothing but root's is left of it
                    os.killpg(group, number)
            until = time.monotonic() + _END_S
            while groups & _living_groups() and time.monotonic() < until:
                time.sleep(_LOOK_EVERY_S)


def _living_groups() -> set[int]:
    """Return the numbers of all groups of processes that have not ended."""
    groups = set()
    for status in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, _, group, *_ = status.read_text(errors="replace").rpartition(")")[2].split()
            if state not in ("Z", "X"):
                groups.add(int(group))
    return groups


def _path(text: str, options: Outside) -> Path:
    return paths.resolve(text, options.file.resolve().parent, options.contiki, options.cooja)


def _resolved(command: str, options: Outside) -> str:
    """Return a command with its path tokens replaced, as in Cooja: wherever they stand."""
    return _TOKEN.sub(lambda found: os.fspath(_path(found[0], options)), command)


def _unopened(error: OSError, where: str, address: str, port: int) -> Exception:
    if error.errno == errno.EADDRINUSE:
        return MissingTool(
            f"{where}: port {port} is in use by another program\n"
            f"    end that program (`ss -ltnp 'sport = :{port}'` names it), or change <port>"
        )
    if error.errno == errno.EACCES:
        return MissingTool(
            f"{where}: port {port} may not be opened: {error.strerror}\n    choose one above 1023"
        )
    return Unsupported(
        f"{where}: can't listen at {address} port {port}: {error.strerror}\n"
        "    choose another --serial-address"
    )


def _failure(command: str, status: int, output: Path) -> tuple[str, ...]:
    ended = f"signal {-status}" if status < 0 else f"exit code {status}"
    with output.open("rb") as stream:
        stream.seek(max(0, stream.seek(0, os.SEEK_END) - _TAIL))
        lines = stream.read().decode("utf-8", "replace").splitlines()
    return (
        f"{OUTSIDE}a command of the .csc ended with {ended}: {command.strip()}",
        *(f"it printed: {line}" for line in lines[-5:] if line.strip()),
    )


def _prefer(process: subprocess.Popen) -> None:
    """Let a command compute ahead of other programs, where the system lets us: it shares a clock with motes.

    Linux first shares the processors among sessions, then among a session's processes.
    """
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, process.pid, _NICE)
        Path(f"/proc/{process.pid}/autogroup").write_text(f"{_NICE}\n")
