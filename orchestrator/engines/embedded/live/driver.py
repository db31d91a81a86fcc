# SPDX-License-Identifier: Apache-2.0
"""Drives a process of the kernel through simulated time, and takes what motes print meanwhile."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn, Self

from orchestrator.csc.model import Simulation
from orchestrator.engines.embedded import description
from orchestrator.engines.embedded.description import Driven
from orchestrator.engines.embedded.live.callbacks import LIMIT_S, call
from orchestrator.engines.embedded.live.process import KernelProcess, LogFile, Process
from orchestrator.engines.embedded.live.values import Frame, Output, SimulationEnded, Stage
from orchestrator.engines.embedded.outside import World
from orchestrator.engines.embedded.results import last_report, outcome_of, result_of
from orchestrator.engines.log import log_limit
from orchestrator.engines.model import Job, Outside
from orchestrator.errors import NoSuchThing, WrongUsage
from orchestrator.runs.model import RunResult
from orchestrator.vocabulary.units import NotAQuantity, parse
from orchestrator.words import first_of

_LISTENING = ("lines", "bytes", "nothing")
_LATEST_US = 1 << 53  # of the kernel
AT_ONCE = 4000  # bytes in a command, which has two digits for each


def time_us(value: float | str) -> int:
    """Return a time in us: a whole number is one already, a text has a unit, such as "12.5 s".

    Raises WrongUsage.
    """
    try:
        microseconds = parse(value, "time") if isinstance(value, str) else value
    except NotAQuantity as wrong:
        raise WrongUsage(f"{wrong.what}\n    {wrong.remedy}") from None
    if not 0 <= microseconds <= _LATEST_US or microseconds != int(microseconds):
        raise WrongUsage(f"{value!r} is no simulated time: whole microseconds from 0 to 2^53, or a text")
    return int(microseconds)


class Driver:
    """The part of Live that goes through time; its motes are known by numbers."""

    now_us: int
    fallen: dict[int, tuple[str, ...]]  # motes that crashed or hung, and the evidence

    def _begin(
        self,
        stage: Stage,
        simulation: Simulation,
        firmware: dict[str, Path],
        motes: tuple[int, ...],
        executable: Path,
        most: Driven,
        outside: Outside | None,
    ) -> None:
        self.now_us = 0
        self.fallen = {}
        self._stage = stage
        self._index: dict[int, int] = {}  # by number, of the motes that are there
        self._made: list[int] = []  # the numbers of all that ever were there, by index
        self._unsaid: list[bytes] = []  # commands that wait for the next step
        self._awaited = False  # the kernel has not answered the latest step or question yet
        self._outputs: list[Output] = []  # what motes printed, and nobody has got yet
        self._frames: list[Frame] = []
        self._answer: list[list[bytes]] = []  # the answer to the latest question
        self._result: RunResult | None = None
        self._started = time.monotonic()
        for mote in motes:
            self._count(mote)
        self._log = LogFile(stage.log)
        described = description.described(simulation, driven=most)
        text, command = described.text(stage.seed, firmware, stage.ruleset), _command(executable, stage)
        self._world: World | None = None
        if outside is None or not outside.meets(described):
            self._kernel = KernelProcess.start(command, self._log, text)
        else:
            job = Job(described, stage.seed, firmware, self.log, stage.ruleset, outside=outside)
            self._world = World(job, described).__enter__()
            command += self._world.arguments
            self._kernel = KernelProcess.start(command, self._log, text, self._world.passed)
            self._world.started()
        self._holds: list[str] = []  # why there can be no copy of it

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the process if nobody has ended the simulation."""
        self.close()

    @property
    def process(self) -> Process:
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
        if self._outputs and stop_on_output:
            return self._take_outputs()  # of a step that was interrupted, or of the rest of an event
        self._say(f"advance {until_us} {'yes' if stop_on_output else 'no'}")
        self._await()
        return self._take_outputs()

    def next_line(self, until: int | str) -> Output | None:
        """Go on to the next line of a listened mote, and stand still there, as a script does.

        None: there was none before that time. The event in which the mote printed is under way then. What
        the program does takes effect as for a script: a place, an id and the log change at once, all else
        when the event is over. A mote that is added is there by then, and fork() is refused until then.
        """
        self._answered()
        if not self._outputs:
            self._say(f"advance {time_us(until)} line")
            self._await()
        return self._outputs.pop(0) if self._outputs else None

    def step(self, until: int | str | None = None, *, by: int | str | None = None) -> list[Output]:
        """Go on to a time, or for a time, without a stop; return what listened motes printed.

        Times are in us, or texts such as "12.5 s". A time that has passed changes nothing. Raises WrongUsage
        for what is no time, and SimulationEnded.
        """
        if (until is None) == (by is None):
            raise WrongUsage("step goes until a time or by one: give one of both")
        return self.advance(time_us(until) if by is None else self.now_us + time_us(by), False)

    def run_until(
        self,
        predicate: Callable[[Output], object],
        until: int | str,
        *,
        limit_s: float | None = LIMIT_S,
    ) -> Output | None:
        """Go on until the predicate holds for what a listened mote prints, and return that.

        None: it held for nothing before `until`. The predicate is called with each output in turn; the
        simulation stands still meanwhile, and it may act on it. An exception that it raises leaves the
        simulation where it was. Raises CallbackHung if it doesn't return in `limit_s` seconds of real time.
        """
        end = time_us(until)
        while True:
            self._outputs = self.advance(end)
            if not self._outputs and self.now_us >= end:
                return None
            while self._outputs:
                output = self._outputs.pop(0)  # what is left is for the next call, also after an exception
                try:
                    if call("the predicate of run_until", predicate, output, limit_s=limit_s):
                        return output
                except Exception as error:
                    error.add_note(f"It was called at simulated time {self.now_us} us with {output}.")
                    raise

    def listen(self, mote: int, what: str = "lines") -> None:
        """Choose what calls return of its output: "lines", "bytes" (as they come) or "nothing"."""
        if what not in _LISTENING:
            raise ValueError(f"lines, bytes or nothing, not {what!r}")
        self._say(f"listen {self._of(mote)} {what}")

    def listen_to_frames(self, wanted: bool = True) -> None:
        """Choose whether frames are kept for take_frames() as motes begin to send them."""
        self._say(f"frames {'yes' if wanted else 'no'}")

    def take_frames(self) -> list[Frame]:
        """Return the frames that motes have begun to send since the last call, and forget them."""
        self._answered()
        frames, self._frames = self._frames, []
        return frames

    def remind(self, delay_us: int, text: bytes = b"") -> None:
        """Have an Output without a mote come in so many us, at which advance() may stop.

        It is the GENERATE_MSG of a script: at its time it comes after the events that were due before it was
        asked for, whereas a time that advance() reaches comes before all events of that time.
        """
        if len(text) > AT_ONCE:
            raise ValueError(f"a reminder of {len(text)} bytes; {AT_ONCE} is the most")
        self._say(f"remind {time_us(delay_us)} {text.hex() or '-'}")

    def log_lines(self, wanted: bool) -> None:
        """Choose whether the log gets the lines of all motes (TIME<tab>ID:NUMBER<tab>TEXT); at first, yes."""
        self._say(f"lines {'yes' if wanted else 'no'}")

    def log_text(self, text: str | bytes) -> None:
        """Add this to the log, now, as it is."""
        data = text.encode() if isinstance(text, str) else text
        for at in range(0, len(data), AT_ONCE):
            self._say(f"log {data[at : at + AT_ONCE].hex()}")

    def note(self, source: int, text: str) -> None:
        """Add a line to the log, now, as if a mote with the id `source` had printed it."""
        encoded = text.encode()
        if b"\n" in encoded or b"\0" in encoded:
            raise ValueError(f"a note is one line: {text!r}")
        self._say(f"note {source} {text}")

    def read_log(self) -> str:
        """Return the log as it is now."""
        if self._result is None and not self._kernel.closed:
            self._ask("flush")
        return self.log.read_text(encoding="utf-8", errors="replace")

    def cpu_s(self) -> float:
        """Return the processor time that the simulation has used, s."""
        return self._kernel.cpu_s()

    def end(self, ok: bool = True) -> RunResult:
        """End the run now, with this verdict, or return how it has ended already."""
        if self._result is None:
            try:
                self._answered()
                self._say(f"end {'yes' if ok else 'no'}")
                self._send()
                self._finish()
            except SimulationEnded:
                pass  # the result says how
        return self._result

    def close(self) -> None:
        """End the process, whatever it does; the log holds all that was printed by now."""
        self._kernel.close()
        if self._world is not None:
            self._world.__exit__()
            self._world = None

    def _count(self, mote: int) -> int:
        if mote in self._index:
            raise ValueError(f"mote {mote} is there already")
        self._index[mote] = len(self._made)
        self._made.append(mote)
        return self._index[mote]

    def _of(self, mote: int) -> int:
        """Return the kernel's number of a mote."""
        try:
            return self._index[mote]
        except KeyError:
            there = first_of(sorted(self._index)) or "none"
            raise NoSuchThing(f"no mote {mote!r} is in the simulation; there are: {there}") from None

    def _there(self) -> None:
        """Raise SimulationEnded or WrongUsage if the simulation is over."""
        if self._result is not None:
            raise SimulationEnded(self._result)
        if self._kernel.closed:
            raise WrongUsage("this simulation was closed\n    open it again, or keep it in its `with` block")

    def _say(self, line: str | bytes) -> None:
        self._there()
        self._unsaid.append(line.encode() if isinstance(line, str) else line)

    def _ask(self, line: str) -> list[list[bytes]]:
        """Return the answer to a question, as lines of words."""
        self._answered()
        self._say(line)
        return self._await()

    def _await(self) -> list[list[bytes]]:
        """Wait until the kernel stands still again; return its answer if it was asked something."""
        self._answer = []
        self._awaited = True
        self._answered()
        return self._answer

    def _take_outputs(self) -> list[Output]:
        outputs, self._outputs = self._outputs, []
        return outputs

    def _answered(self) -> None:
        """Take the kernel's answer, or what is left of it after an interruption."""
        if not self._awaited:
            return
        self._send()
        while self._awaited:
            keyword, time_text, *rest = self._hear().split(b" ", 3)
            at = int(time_text)
            if keyword == b"at":
                self.now_us = at
                self._awaited = False
            elif keyword == b"line":
                self._outputs.append(Output(at, self._made[int(rest[0])], rest[1]))
            elif keyword == b"bytes":
                self._outputs.append(Output(at, self._made[int(rest[0])], _bytes(rest[1])))
            elif keyword == b"reminder":
                self._outputs.append(Output(at, None, _bytes(rest[0])))
            elif keyword == b"frame":
                channel, power, content = rest[1].split(b" ")
                mote = self._made[int(rest[0])]
                self._frames.append(Frame(at, mote, int(channel), int(power), _bytes(content)))
            elif keyword == b"fell":
                self._fell(self._made[int(rest[0])], rest[1])
            else:
                self._answer.append([keyword, *rest])

    def _fell(self, mote: int, report: bytes) -> None:
        """Take note that a mote has no power any more."""
        self._index.pop(mote, None)
        self.fallen[mote] = outcome_of(last_report(report), 0, self.log)[1]

    def _send(self) -> None:
        unsaid, self._unsaid = self._unsaid, []
        try:
            self._kernel.say(b"".join(line + b"\n" for line in unsaid))
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
        result = result_of(report, outcome, took_s, evidence, self._kernel.printed())
        self._result = result if self._world is None else self._world.ended(report, result)


def _bytes(text: bytes) -> bytes:
    return bytes.fromhex(text.decode())


def _command(executable: Path, stage: Stage) -> list[str]:
    command = [os.fspath(executable), "--parent", str(os.getpid())]
    command += ["--log-limit", str(log_limit()), "--guards", "1"]
    if stage.contain:
        command += ["--contain", "1"]
    if stage.step_limit_s is not None:
        command += ["--limit", repr(float(stage.step_limit_s))]
    return command
