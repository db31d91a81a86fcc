# SPDX-License-Identifier: Apache-2.0
"""A simulation that Python drives step by step, so that other software takes part in it.

One process of the kernel, which stands still between two calls (kernel/run/door.h). The same calls give the
same bytes in the log, and the steps in which a time is reached change nothing.
"""

from __future__ import annotations

import os
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from orchestrator.build import kernel
from orchestrator.csc.interfaces import STANDARD_INTERFACES
from orchestrator.csc.model import DirectedGraph, EndScript, Medium, Mote, MoteType, Simulation
from orchestrator.engines.embedded.described import type_lines
from orchestrator.engines.embedded.description import (
    Driven,
    describe,
    edge_line,
    mote_words,
    signal_line,
)
from orchestrator.engines.embedded.results import last_report, outcome_of, printed_last, result_of
from orchestrator.engines.log import log_limit
from orchestrator.errors import Unsupported
from orchestrator.runs.model import RunResult
from orchestrator.vocabulary.simulators import DEFAULT_RULES

MOST_ADDED = 4000  # motes that may be added to one simulation; address space is reserved for them
MOST_TYPES = 400  # different libraries
_WRITTEN_AT_ONCE = 4000  # bytes; the kernel takes lines of up to 16 KB
_GRACE_S = 60.0  # in which the kernel's process has to end


@dataclass(frozen=True)
class Stage:
    """What a simulation has apart from its motes.

    `medium`: of a directed graph, edges may name motes that are not there yet. `log`: the file for the log,
    in a folder that exists. `start_delay_us`: motes start at random times in [0, start_delay_us) after they
    were added. `step_limit_s`: seconds of processor time that one step may take (of real time, 60 times as
    many); a mote whose code doesn't return by then ends the simulation. `contain`: such a mote, and one that
    crashes, ends alone (Live.fallen).
    """

    medium: Medium
    seed: int
    log: Path
    start_delay_us: int = 0
    ruleset: str = DEFAULT_RULES
    step_limit_s: float | None = None
    contain: bool = False


@dataclass(frozen=True)
class LiveMote:
    """A mote: the library of its firmware (the file must stay as it is), its place in m, its EEPROM's image.

    `id`: what the firmware sees. `number`: by which calls, outputs and the medium's edges know the mote, each
    once; None: its id.
    """

    library: Path
    id: int
    x: float = 0.0
    y: float = 0.0
    z: float = 0.0
    image: bytes = b""
    number: int | None = None

    @property
    def known_as(self) -> int:
        """The number that is in force."""
        return self.id if self.number is None else self.number


@dataclass(frozen=True)
class Output:
    """What a mote printed: a line without its end, as the log has it, or bytes as they came."""

    time_us: int
    mote: int
    text: bytes


class SimulationEnded(Exception):
    """The simulation ended by itself: a mote crashed or hung, or the machine lacks something."""

    def __init__(self, result: RunResult):
        self.result = result
        super().__init__(f"{result.outcome.value}: " + "; ".join(result.evidence))


class Live:
    """A simulation under way; a context manager, at whose end it is over. Not thread-safe.

    Its process ends with the thread that made it. Times are simulated, in us from the start.
    """

    def __init__(self, stage: Stage, motes: Iterable[LiveMote] = (), executable: Path | None = None) -> None:
        """Load all firmware and create the motes; nothing happens yet.

        `executable`: a kernel from another build.
        """
        motes = tuple(motes)
        self.now_us = 0
        self.fallen: dict[int, tuple[str, ...]] = {}  # motes that crashed or hung, and the evidence
        self._stage = stage
        self._types: dict[Path, int] = {}
        self._index: dict[int, int] = {}  # by number, of the motes that are there
        self._made: list[int] = []  # the numbers of all that ever were there, by index
        self._unsaid: list[bytes] = []  # commands that wait for the next step
        self._result: RunResult | None = None
        self._started = time.monotonic()
        for mote in motes:
            if mote.known_as != mote.id:
                raise ValueError(f"mote {mote.id} is there from the start, and so known by its id")
            self._types.setdefault(mote.library, len(self._types))
            self._count(mote.known_as)
        self._start(executable or kernel.executable(), self._description(motes))

    def __enter__(self) -> Live:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the process if nobody has ended the simulation."""
        self.close()

    @property
    def process(self) -> subprocess.Popen:
        """The kernel's process, for callers that may have to kill it from another thread."""
        return self._process

    @property
    def motes(self) -> frozenset[int]:
        """The numbers of the motes that are there."""
        return frozenset(self._index)

    def advance(self, until_us: int, stop_on_output: bool = True) -> list[Output]:
        """Let all happen that happens before `until_us`; return what listened motes printed.

        With `stop_on_output`, return after the event in which the first such line came (`now_us` says when),
        so that an answer comes at that very time. Raises SimulationEnded.
        """
        self._say(f"advance {until_us} {'yes' if stop_on_output else 'no'}".encode())
        outputs = []
        while True:
            line = self._hear()
            keyword, time_us, *rest = line.split(b" ", 3)
            if keyword == b"at":
                self.now_us = int(time_us)
                return outputs
            if keyword == b"fell":
                self._fell(self._made[int(rest[0])], rest[1])
                continue
            text = rest[1] if keyword == b"line" else bytes.fromhex(rest[1].decode())
            outputs.append(Output(int(time_us), self._made[int(rest[0])], text))

    def _fell(self, mote: int, report: bytes) -> None:
        """Take note that a mote has no power any more."""
        self._index.pop(mote, None)
        self.fallen[mote] = outcome_of(last_report(report), 0, self._stage.log)[1]

    def listen(self, mote: int, what: str = "lines") -> None:
        """Choose what advance() returns of its output: "lines", "bytes" (as they come) or "nothing"."""
        if what not in ("lines", "bytes", "nothing"):
            raise ValueError(f"lines, bytes or nothing, not {what!r}")
        self._say(f"listen {self._index[mote]} {what}".encode())

    def write(self, mote: int, data: bytes) -> None:
        """Pass bytes to the mote's serial port, now."""
        index = self._index[mote]
        for at in range(0, len(data), _WRITTEN_AT_ONCE):
            self._say(f"write {index} {data[at : at + _WRITTEN_AT_ONCE].hex()}".encode())

    def note(self, source: int, text: str) -> None:
        """Add a line to the log, now, as if a mote with the id `source` had printed it."""
        encoded = text.encode()
        if b"\n" in encoded or b"\0" in encoded:
            raise ValueError(f"a note is one line: {text!r}")
        self._say(f"note {source} ".encode() + encoded)

    def add(self, mote: LiveMote) -> None:
        """Give a new mote power, now: a new board, or one with new firmware after remove()."""
        if len(self._made) >= MOST_ADDED:
            raise Unsupported(
                f"{MOST_ADDED} motes were added to this simulation, which is the most\n    begin another one"
            )
        number = self._types.get(mote.library)
        if number is None:
            if len(self._types) >= MOST_TYPES:
                raise Unsupported(
                    f"{MOST_TYPES} different libraries were loaded into this simulation, which is the most"
                    "\n    begin another one"
                )
            number = self._types[mote.library] = len(self._types)
            for line in type_lines(mote.library, STANDARD_INTERFACES):
                self._say(line)
        index = self._count(mote.known_as)
        self._say(b"add " + mote_words(_described(mote), number))
        for signal in getattr(self._stage.medium, "own_signals", ()):
            if signal.mote == mote.known_as:
                self._say(signal_line(signal, index))
        for edge in getattr(self._stage.medium, "edges", ()):
            ends = (edge.source, edge.destination)
            if mote.known_as in ends and self._index.keys() >= {*ends}:
                self._say(edge_line(edge, self._index[edge.source], self._index[edge.destination]))

    def remove(self, mote: int) -> None:
        """Pull the mote's plug, now: its code doesn't run again, a frame that it is sending is lost."""
        self._say(f"remove {self._index.pop(mote)}".encode())

    def move(self, mote: int, x: float, y: float) -> None:
        """Move the mote, now; the effect on signals comes with the next event of the medium, as in Cooja."""
        self._say(f"move {self._index[mote]} {x!r} {y!r} 0.0".encode())

    def cpu_s(self) -> float:
        """Return the processor time that the simulation has used, s."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def end(self, ok: bool = True) -> RunResult:
        """End the run now, with this verdict, or return how it has ended already."""
        if self._result is None:
            self._say(f"end {'yes' if ok else 'no'}".encode())
            self._finish()
        return self._result

    def close(self) -> None:
        """End the process, whatever it does; the log holds all that was printed by now."""
        self._socket.close()
        self._answers.close()  # both: the kernel sees that nobody drives it, and ends
        self._wait()
        self._process.stdout.close()
        self._printed.close()

    def _wait(self) -> None:
        try:
            self._process.wait(_GRACE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _description(self, motes: tuple[LiveMote, ...]) -> bytes:
        here = {mote.id for mote in motes}
        types = tuple(
            MoteType(str(number), library.name, "", "", STANDARD_INTERFACES)
            for library, number in self._types.items()
        )
        simulation = Simulation(
            title="live",
            seed=self._stage.seed,
            motedelay_us=self._stage.start_delay_us,
            medium=_among(self._stage.medium, here),
            mote_types=types,
            motes=tuple(_described(mote, self._types[mote.library]) for mote in motes),
            script=EndScript(1),
        )
        libraries = {str(number): library for library, number in self._types.items()}
        return describe(
            simulation,
            self._stage.seed,
            libraries,
            self._stage.ruleset,
            driven=Driven(MOST_ADDED, MOST_TYPES),
        )

    def _start(self, executable: Path, description: bytes) -> None:
        command = [os.fspath(executable), "--log", os.fspath(self._stage.log), "--parent", str(os.getpid())]
        command += ["--log-limit", str(log_limit()), "--guards", "1"]
        if self._stage.contain:
            command += ["--contain", "1"]
        if self._stage.step_limit_s is not None:
            command += ["--limit", repr(float(self._stage.step_limit_s))]
        self._printed = tempfile.TemporaryFile()
        self._socket, kernel_end = socket.socketpair()
        with kernel_end:
            self._process = subprocess.Popen(
                [*command, "--door", str(kernel_end.fileno())],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._printed,
                pass_fds=(kernel_end.fileno(),),
                process_group=0,
            )
        self._answers = self._socket.makefile("rb")
        try:
            self._process.stdin.write(description)
            self._process.stdin.close()
        except BrokenPipeError:  # it found a fault in the beginning; advance() or end() tells
            pass

    def _count(self, mote: int) -> int:
        if mote in self._index:
            raise ValueError(f"mote {mote} is there already")
        self._index[mote] = len(self._made)
        self._made.append(mote)
        return self._index[mote]

    def _say(self, line: bytes) -> None:
        if self._result is not None:
            raise SimulationEnded(self._result)
        self._unsaid.append(line + b"\n")

    def _send(self) -> None:
        if self._unsaid:
            self._socket.sendall(b"".join(self._unsaid))
            self._unsaid.clear()

    def _hear(self) -> bytes:
        try:
            self._send()
            line = self._answers.readline()
        except (BrokenPipeError, ConnectionResetError):
            line = b""
        if not line.endswith(b"\n"):
            self._finish()
            raise SimulationEnded(self._result)
        return line[:-1]

    def _finish(self) -> None:
        """Take the report of the process, which ends."""
        try:
            self._send()
            self._socket.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # it has ended by itself
        self._wait()
        output = self._process.stdout.read()
        report, status = last_report(output), self._process.returncode
        outcome, evidence = outcome_of(report, status, self._stage.log)
        took_s = time.monotonic() - self._started
        self._result = result_of(report, outcome, took_s, evidence, printed_last(self._printed))


def _described(mote: LiveMote, mote_type: int = 0) -> Mote:
    return Mote(str(mote_type), mote.id, mote.x, mote.y, mote.z, mote.image or None)


def _among(medium: Medium, motes: set[int]) -> Medium:
    """Return the medium without its settings for other motes."""
    if isinstance(medium, DirectedGraph):
        edges = tuple(edge for edge in medium.edges if {edge.source, edge.destination} <= motes)
        medium = replace(medium, edges=edges)
    if not hasattr(medium, "own_signals"):
        return medium
    signals = tuple(signal for signal in medium.own_signals if signal.mote in motes)
    return replace(medium, own_signals=signals)
