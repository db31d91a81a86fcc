# SPDX-License-Identifier: Apache-2.0
"""The embedded engine: runs the C kernel in `kernel/` in a process for each run.

The kernel reads the simulation as plain text (kernel/run/description.h) from its standard input, writes the
log during the run, and ends with a line of JSON (kernel/base/report.h).
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.build import kernel
from orchestrator.engines.embedded.described import Described
from orchestrator.engines.embedded.results import last_report, outcome_of, printed_last, result_of
from orchestrator.engines.log import SCRIPT_ERROR, last_line, log_limit, why_failed
from orchestrator.engines.model import Job
from orchestrator.errors import FaultyInput, MissingTool, Unsupported
from orchestrator.runs.model import VERDICTS, RunResult
from orchestrator.vocabulary.simulators import DEFAULT_RULES

if TYPE_CHECKING:  # a short run's time is mostly that of its imports
    from orchestrator.csc.model import Simulation
    from orchestrator.engines.embedded.outside import World
    from orchestrator.engines.protocol import Done
    from orchestrator.scenario.model import EngineOptions

_GRACE_S = 60.0  # the kernel ends itself at its limit; it is killed so much later
_PLAIN = ["--every-tick", "1", "--every-slice", "1", "--code-per-mote", "1"]


class EmbeddedEngine:
    """Cooja's rules without Cooja. Thread-safe: every run is a process of its own."""

    name = "embedded"

    def __init__(self, kernel: Path | None = None, plain: bool = False) -> None:
        """Make an engine.

        `kernel`: an executable from another build (another compiler, sanitizers); None builds the usual one.
        `plain`: every tick runs, and every mote has its own copy of the code and guards around its data. The
        bytes are the same, and runs are slower.
        """
        self._kernel = kernel
        self._plain = plain
        self._running: set[subprocess.Popen] = set()

    @property
    def kernel(self) -> Path:
        """The engine's executable."""
        self.prepare()
        return self._kernel

    @property
    def plain(self) -> bool:
        """Whether it does without everything that only makes it fast."""
        return self._plain

    def version(self) -> str:
        """Return a hash of the kernel's sources."""
        return kernel.version()

    def described(self) -> dict[str, str]:
        """Return nothing: everything about it determines results."""
        return {}

    def rules(self, written: str | None) -> str:
        """Return the rules that the user wrote; by default those of Contiki-NG 5.0's Cooja."""
        return written or DEFAULT_RULES

    def prepare(self, say: Callable[[str], None] = lambda _: None) -> None:  # noqa: ARG002 - it takes a second
        """Build the kernel, or find it in the cache."""
        self._kernel = self._kernel or kernel.executable()

    def read(
        self,
        file: Path,
        contiki: Path | None = None,
        cooja: Path | None = None,
        seconds: int | None = None,
    ) -> Described:
        """See protocol.Simulator; an unchanged file is not read again."""
        from orchestrator.engines.embedded import remembered

        return remembered.read(file, contiki, cooja, seconds)

    def stop(self) -> None:
        """See protocol.Engine."""
        from orchestrator.engines.embedded import outside

        outside.stop_waiting()
        for process in tuple(self._running):
            process.kill()

    def run(self, jobs: Iterable[Job], done: Done) -> None:
        """See protocol.Engine; the jobs run one after the other."""
        if self._kernel is None:
            self.prepare()
        for job in jobs:
            if (result := self._run(job)) is not None:
                done(job, result)

    def _run(self, job: Job) -> RunResult | None:
        """Run one job; None if it was ended while it waited for another run's port."""
        if getattr(job.deployment, "partners", None) is not None:
            from orchestrator.engines.embedded import with_partners

            return with_partners.run(job, self.kernel, self._running)
        described = self._described(job)
        command = self._command(job, described)
        text = described.text(job.seed, job.firmware, job.ruleset)
        if job.outside is not None and job.outside.meets(described):
            from orchestrator.engines.embedded import outside

            try:
                with outside.World(job, described) as world:
                    return self._run_in(world, job, command, described, text)
            except outside.Stopped:
                return None
        return self._named(job, described, *self._processes(job, command, text))

    def _run_in(
        self, world: World, job: Job, command: list[str], described: Described, text: bytes
    ) -> RunResult:
        """Run a job that meets the world outside. It is run once, as the world can't be asked to repeat."""
        command = command if self._plain else [*command, "--guards", "1"]
        report, status, wall_s, evidence = self._simulate(job, command, text, world)
        return world.ended(report, self._named(job, described, report, status, wall_s, evidence))

    @staticmethod
    def _named(
        job: Job, described: Described, report: dict, status: int, wall_s: float, evidence: tuple[str, ...]
    ) -> RunResult:
        """Return the result of a report, which names mote types and places as the user's file does."""
        from orchestrator.csc.mote_type import file_of

        for mote_type in described.mote_types:  # the kernel knows only the path of the library, maybe a copy
            if mote_type.identifier in job.firmware and "message" in report:
                library = os.path.abspath(job.firmware[mote_type.identifier])
                report["message"] = str(report["message"]).replace(
                    library, f"the firmware of mote type {mote_type.identifier} ({file_of(mote_type)})"
                )
        if job.radio is not None and "sim_us" in report:
            from orchestrator.engines.embedded import cut_states

            cut_states.keep(job.radio, int(report["sim_us"]))
        if report.get("kind") == "description":
            report["message"] = _place(described.simulation(), report["message"]) + report["message"]
        return _result(report, status, wall_s, evidence, job.log, described)

    def _command(self, job: Job, described: Described) -> list[str]:
        command = [os.fspath(self._kernel), "--log", os.fspath(job.log)]
        command += ["--log-limit", str(log_limit())]
        if job.wall_limit_s is not None:
            command += ["--limit", repr(float(job.wall_limit_s))]
        if job.radio is not None:
            command += ["--radio", os.fspath(job.radio)]
        if described.javascript:
            from orchestrator.engines.embedded import interpreter

            command += interpreter.arguments()
        if job.air is not None:
            command += ["--air", os.fspath(job.air)]
        return command + (_PLAIN if self._plain else [])

    def _described(self, job: Job) -> Described:
        """Return what the kernel reads of a job's simulation."""
        known = job.deployment
        if isinstance(known, Described):
            return known
        from orchestrator.csc import deployed
        from orchestrator.engines.embedded import description

        return description.described(deployed.simulation(known))

    def _processes(
        self, job: Job, command: list[str], text: bytes
    ) -> tuple[dict, int, float, tuple[str, ...]]:
        """Run one process, and another if the first can't tell what went wrong."""
        # A run whose radios are recorded isn't repeated, so its motes have guards from the start.
        guarded = self._plain or job.radio is not None
        guards = ["--guards", "1"]
        report, status, wall_s, evidence = self._simulate(job, command + guards * guarded, text)
        if not guarded and report.get("report") in ("crash", "overrun"):
            # The motes' data lay side by side. With guard pages around them the same run stops at the faulty
            # instruction.
            rest = replace(job, wall_limit_s=_left(job.wall_limit_s, wall_s))
            report, status, again_s, evidence = self._simulate(rest, command + guards, text)
            wall_s += again_s
        return report, status, wall_s, evidence

    def _simulate(
        self, job: Job, command: list[str], text: bytes, world: World | None = None
    ) -> tuple[dict, int, float, tuple[str, ...]]:
        """Run one process of the kernel.

        Returns its report, exit status, wall time (s), and what firmware printed through libc.
        """
        started = time.monotonic()
        with (
            tempfile.TemporaryFile() as printed,
            subprocess.Popen(
                [*command, "--parent", str(os.getpid()), *(world.arguments if world else [])],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=printed,
                pass_fds=world.passed if world else (),
                process_group=0,  # Ctrl-C in a terminal is for us to act on: it may let runs end
            ) as process,
        ):
            if world:
                world.started()
            output, killed = self._ended(process, text, job.wall_limit_s, world)
            wall_s = time.monotonic() - started
            return _reported(output, killed), process.returncode, wall_s, printed_last(printed)

    def _ended(
        self, process: subprocess.Popen, text: bytes, limit_s: float | None, world: World | None = None
    ) -> tuple[bytes, bool]:
        """Wait for a kernel's process, which reads `text`; return what it wrote, and whether it was killed.

        It is killed when its time is over.
        """
        self._running.add(process)
        if world and world.stopped:  # before it was there to be killed
            process.kill()
        try:
            return process.communicate(text, None if limit_s is None else limit_s + _GRACE_S)[0], False
        except subprocess.TimeoutExpired:
            process.kill()
            return process.communicate()[0], True
        except BaseException:
            process.kill()
            raise
        finally:
            self._running.discard(process)


def _reported(output: bytes, killed: bool) -> dict:
    report = last_report(output)
    if killed:
        report = report or {"report": "time", "reason": "wall-clock limit; the process had to be killed"}
    return report


def _place(simulation: Simulation, message: str) -> str:
    """Return the beginning of a refusal by the kernel: file and line of the setting or call that it names."""
    from orchestrator.csc.model import JavaScript

    place = simulation.medium.varies_at if "enable_time_variation" in message else ""
    script = simulation.script
    for call in ("addMote", "generateMote") if isinstance(script, JavaScript) and not place else ():
        if f"{call}()" in message:
            lines = [at for line, at in zip(script.code.split("\n"), script.lines) if f"{call}(" in line]
            place = place or (lines[0] if lines else "")
    return f"{place}: not supported: " if place else "the embedded engine can't run this simulation: "


def _left(limit_s: float | None, used_s: float) -> float | None:
    return None if limit_s is None else max(0.1, limit_s - used_s)


def _script_end(report: dict, simulation: Simulation) -> None:
    """Raise what a script's own end means.

    Raises Unsupported for what the script has and we don't, FaultyInput for one that is no JavaScript, and
    MissingTool without a fitting interpreter.
    """
    from orchestrator.engines.embedded import interpreter

    kind, message, line = report.get("kind"), str(report.get("message")), int(report.get("line", 0))
    if kind == "unsupported":
        raise Unsupported(
            f"{interpreter.place(simulation.script, line)}: {message}: the embedded engine doesn't have this "
            "of Cooja's scripts\n    leave it out, or run the file with Cooja"
        )
    if kind == "faulty":
        raise FaultyInput([interpreter.fault(simulation.script, message, line)])
    raise MissingTool(f"{message}\n    pip install --upgrade quickjs-ng")


def _result(
    report: dict,
    status: int,
    wall_s: float,
    printed: tuple[str, ...],
    log: Path,
    described: Described,
) -> RunResult:
    if report.get("kind") in ("unsupported", "faulty", "interpreter"):
        _script_end(report, described.simulation())
    outcome, evidence = outcome_of(report, status, log)
    if outcome in VERDICTS:
        if report.get("script"):
            from orchestrator.engines.embedded import interpreter

            where = interpreter.place(described.simulation().script, int(report["line"]))
            evidence += (f"{SCRIPT_ERROR}{where}: {report['script']}",)
        elif described.javascript:
            evidence += last_line(log)
        else:
            evidence += why_failed(described.simulation().script, log)
    return result_of(report, outcome, wall_s, evidence, printed)


_ENGINES = {plain: EmbeddedEngine(plain=plain) for plain in (False, True)}


def engine(options: EngineOptions | None) -> EmbeddedEngine:
    """Return the engine, plain if the options say so."""
    return _ENGINES[options is not None and options.plain]
