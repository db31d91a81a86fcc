# SPDX-License-Identifier: Apache-2.0
"""A simulation that Python drives step by step, so that other software takes part in it.

One process of the kernel, which stands still between two calls (kernel/run/door.h). The same calls give the
same bytes in the log, and the steps in which a time is reached change nothing.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

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
from orchestrator.engines.embedded.live.process import KernelProcess, LogFile
from orchestrator.engines.embedded.live.values import LiveMote, Output, SimulationEnded, Stage
from orchestrator.engines.embedded.results import last_report, outcome_of, result_of
from orchestrator.engines.log import log_limit
from orchestrator.errors import Unsupported
from orchestrator.runs.model import RunResult
from orchestrator.words import first_of

MOST_ADDED = 4000  # motes that may be added to one simulation; address space is reserved for them
MOST_TYPES = 400  # different libraries
_WRITTEN_AT_ONCE = 4000  # bytes; the kernel takes lines of up to 16 KB


class Live:
    """A simulation under way; a context manager, at whose end it is over. Not thread-safe.

    Its process ends with the thread that made it. Times are simulated, in us from the start.
    """

    def __init__(self, stage: Stage, motes: Iterable[LiveMote] = (), executable: Path | None = None) -> None:
        """Load all firmware and create the motes; nothing happens yet.

        `executable`: a kernel from another build.
        """
        motes = tuple(motes)
        for mote in motes:
            if mote.known_as != mote.id:
                raise ValueError(f"mote {mote.id} is there from the start, and so known by its id")
        libraries = tuple(dict.fromkeys(mote.library for mote in motes))
        self._begin(stage, _simulation(stage, motes, libraries), libraries, motes, executable)

    @classmethod
    def of(
        cls,
        stage: Stage,
        simulation: Simulation,
        firmware: Mapping[str, Path],
        executable: Path | None = None,
        held: object = None,
    ) -> Live:
        """Begin with the motes of a simulation, whose script doesn't run.

        `stage`: its medium and start delay are those of the simulation. `firmware`: by mote type identifier.
        `held`: is kept for as long as this object, such as a temporary folder of the firmware.
        Raises Unsupported for motes that share an id.
        """
        made = cls.__new__(cls)
        made._held = held
        libraries = tuple(firmware[one.identifier] for one in simulation.mote_types)
        motes = tuple(
            LiveMote(
                firmware[one.type_identifier],
                one.id,
                one.x,
                one.y,
                one.z,
                one.eeprom or b"",
                bit_rate=one.bit_rate,
            )
            for one in simulation.motes
        )
        _refuse_repeated(motes)
        made._begin(stage, simulation, libraries, motes, executable)
        return made

    def _begin(
        self,
        stage: Stage,
        simulation: Simulation,
        libraries: tuple[Path, ...],
        motes: tuple[LiveMote, ...],
        executable: Path | None,
    ) -> None:
        self.now_us = 0
        self.fallen: dict[int, tuple[str, ...]] = {}  # motes that crashed or hung, and the evidence
        self._stage = stage
        self._types: dict[Path, int] = {}
        for number, library in enumerate(libraries):  # several types may have the same
            self._types.setdefault(library, number)
        self._type_count = len(libraries)
        self._index: dict[int, int] = {}  # by number, of the motes that are there
        self._made: list[int] = []  # the numbers of all that ever were there, by index
        self._unsaid: list[bytes] = []  # commands that wait for the next step
        self._awaited = False  # the kernel has not answered the latest step yet
        self._kept: list[Output] = []  # what has come of its answer
        self._result: RunResult | None = None
        self._started = time.monotonic()
        for mote in motes:
            self._count(mote.known_as)
        self._log = LogFile(stage.log)
        description = describe(
            simulation,
            stage.seed,
            {one.identifier: library for one, library in zip(simulation.mote_types, libraries)},
            stage.ruleset,
            driven=Driven(MOST_ADDED, MOST_TYPES),
        )
        self._kernel = KernelProcess(self._command(executable or kernel.executable()), self._log, description)

    def _command(self, executable: Path) -> list[str]:
        command = [os.fspath(executable), "--parent", str(os.getpid())]
        command += ["--log-limit", str(log_limit()), "--guards", "1"]
        if self._stage.contain:
            command += ["--contain", "1"]
        if self._stage.step_limit_s is not None:
            command += ["--limit", repr(float(self._stage.step_limit_s))]
        return command

    def __enter__(self) -> Live:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the process if nobody has ended the simulation."""
        self.close()

    @property
    def process(self) -> subprocess.Popen:
        """The kernel's process, for callers that may have to kill it from another thread."""
        return self._kernel.process

    @property
    def seed(self) -> int:
        """The seed of the simulation's random generator."""
        return self._stage.seed

    @property
    def log(self) -> Path:
        """The log's file; if it has no name, this path is for this process, until the object is gone."""
        return self._log.path

    @property
    def motes(self) -> frozenset[int]:
        """The numbers of the motes that are there."""
        return frozenset(self._index)

    def advance(self, until_us: int, stop_on_output: bool = True) -> list[Output]:
        """Let all happen that happens before `until_us`; return what listened motes printed.

        With `stop_on_output`, return after the event in which the first such line came (`now_us` says when),
        so that an answer comes at that very time. Raises SimulationEnded.
        """
        self._answered()
        kept, self._kept = self._kept, []
        if kept and stop_on_output:
            return kept  # of a step that was interrupted
        self._say(f"advance {until_us} {'yes' if stop_on_output else 'no'}".encode())
        self._awaited = True
        self._answered()
        outputs, self._kept = kept + self._kept, []
        return outputs

    def _answered(self) -> None:
        """Take the kernel's answer to the latest step, or what is left of it after an interruption."""
        self._send()
        while self._awaited:
            keyword, time_us, *rest = self._hear().split(b" ", 3)
            if keyword == b"at":
                self.now_us = int(time_us)
                self._awaited = False
            elif keyword == b"fell":
                self._fell(self._made[int(rest[0])], rest[1])
            else:
                text = rest[1] if keyword == b"line" else bytes.fromhex(rest[1].decode())
                self._kept.append(Output(int(time_us), self._made[int(rest[0])], text))

    def _fell(self, mote: int, report: bytes) -> None:
        """Take note that a mote has no power any more."""
        self._index.pop(mote, None)
        self.fallen[mote] = outcome_of(last_report(report), 0, self.log)[1]

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
            if self._type_count >= MOST_TYPES:
                raise Unsupported(
                    f"{MOST_TYPES} different libraries were loaded into this simulation, which is the most"
                    "\n    begin another one"
                )
            number = self._types[mote.library] = self._type_count
            self._type_count += 1
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
        return self._kernel.cpu_s()

    def end(self, ok: bool = True) -> RunResult:
        """End the run now, with this verdict, or return how it has ended already."""
        if self._result is None:
            try:
                self._answered()
                self._say(f"end {'yes' if ok else 'no'}".encode())
                self._send()
                self._finish()
            except SimulationEnded:
                pass  # how, it says
        return self._result

    def close(self) -> None:
        """End the process, whatever it does; the log holds all that was printed by now."""
        self._kernel.close()

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
        unsaid, self._unsaid = self._unsaid, []
        try:
            self._kernel.say(b"".join(unsaid))
        except (BrokenPipeError, ConnectionResetError):
            self._gone()

    def _hear(self) -> bytes:
        line = self._kernel.hear()
        if line is None:
            self._gone()
        return line

    def _gone(self) -> NoReturn:
        self._finish()
        raise SimulationEnded(self._result)

    def _finish(self) -> None:
        """Take the report of the process, which ends."""
        self._awaited = False
        report, status = self._kernel.report()
        outcome, evidence = outcome_of(report, status, self.log)
        took_s = time.monotonic() - self._started
        self._result = result_of(report, outcome, took_s, evidence, self._kernel.printed())


def _simulation(stage: Stage, motes: tuple[LiveMote, ...], libraries: tuple[Path, ...]) -> Simulation:
    """Return the simulation of these motes, each with Cooja's standard interfaces."""
    numbers = {library: number for number, library in enumerate(libraries)}
    return Simulation(
        title="live",
        seed=stage.seed,
        motedelay_us=stage.start_delay_us,
        medium=_among(stage.medium, {mote.id for mote in motes}),
        mote_types=tuple(
            MoteType(str(number), library.name, "", "", STANDARD_INTERFACES)
            for library, number in numbers.items()
        ),
        motes=tuple(_described(mote, numbers[mote.library]) for mote in motes),
        script=EndScript(1),
    )


def _refuse_repeated(motes: tuple[LiveMote, ...]) -> None:
    repeated = sorted(id for id, count in Counter(mote.id for mote in motes).items() if count > 1)
    if repeated:
        raise Unsupported(
            f"several motes have the id {first_of(repeated)}, and calls know a mote by its id\n"
            "    give each mote an id of its own"
        )


def _described(mote: LiveMote, mote_type: int = 0) -> Mote:
    return Mote(str(mote_type), mote.id, mote.x, mote.y, mote.z, mote.image or None, mote.bit_rate)


def _among(medium: Medium, motes: set[int]) -> Medium:
    """Return the medium without its settings for other motes."""
    if isinstance(medium, DirectedGraph):
        edges = tuple(edge for edge in medium.edges if {edge.source, edge.destination} <= motes)
        medium = replace(medium, edges=edges)
    if not hasattr(medium, "own_signals"):
        return medium
    signals = tuple(signal for signal in medium.own_signals if signal.mote in motes)
    return replace(medium, own_signals=signals)
