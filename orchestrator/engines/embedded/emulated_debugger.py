# SPDX-License-Identifier: Apache-2.0
"""Stops an emulated mote in a debugger: one for the MSP430 if it is here, else a prompt of our own.

The kernel is the server of gdb's remote serial protocol (kernel/sky/debugger.h). It runs each mote us by us,
as Cooja does; while the mote is stopped the simulation stands still. Neither changes what motes do.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from orchestrator.build import kernel
from orchestrator.csc.model import JavaScript
from orchestrator.engines.embedded import interpreter
from orchestrator.engines.embedded.description import describe
from orchestrator.engines.embedded.results import last_report, outcome_of, result_of
from orchestrator.engines.model import Job
from orchestrator.errors import MissingTool, NoSuchThing, RunFailed
from orchestrator.runs.model import Outcome

_GDBS = ("msp430-elf-gdb", "msp430-gdb", "gdb-multiarch", "gdb")
_LLDBS = ("lldb", *(f"lldb-{version}" for version in range(40, 16, -1)))  # 17 was the first with an MSP430
_GDB_SCRIPT = """\
set confirm off
set pagination off
set remotetimeout 1000000
directory {sources}
define simulated
  monitor simulated
end
define next-tick
  monitor next-tick
  continue
end
target remote {socket}
simulated
"""
_LLDB_SCRIPT = """\
settings set auto-confirm true
settings set use-color false
settings set plugin.process.gdb-remote.packet-timeout 1000000
command regex simulated 's/^$/process plugin packet monitor simulated/'
command regex next-tick 's/^$/process plugin packet monitor next-tick/'
{source_map}
process connect unix-connect://{socket}
simulated
"""


@dataclass(frozen=True)
class Session:
    """What the debugger does: it stops at the first instruction of a mote at or after `at_us`.

    Then it runs `commands`, in its own language. With `batch` it ends after them. `program`: which debugger;
    "" takes the first that can debug this firmware, "prompt" is ours.
    """

    mote: int
    at_us: int
    sources: Sequence[Path] = ()
    commands: Sequence[str] = ()
    batch: bool = False
    program: str = ""


@dataclass(frozen=True)
class Stopped:
    """A simulation that stands still at `sim_us`, and the socket at which it waits for a debugger.

    `woke`: the mote slept just before.
    """

    socket: Path
    firmware: Path
    sim_us: int
    woke: bool


def find(firmware: Path) -> str:
    """Return the path of a debugger that knows the MSP430, or "prompt" if none is here."""
    for name in _GDBS:
        if (path := shutil.which(name)) and '"msp430' in _output(
            [path, "-nx", "-batch", "-ex", "set architecture msp430", "-ex", "show architecture"]
        ):
            return path
    for name in _LLDBS:
        if (path := shutil.which(name)) and "(msp430)" in _output(
            [path, "--no-lldbinit", "--batch", "-o", f"target create '{firmware}'"]
        ):
            return path
    return "prompt"


def _program(named: str) -> str:
    """Return the path of the debugger that the user named. Raises MissingTool."""
    if named in ("", "prompt"):
        return named
    if (path := shutil.which(named)) is None:
        raise MissingTool(f"no {named} here\n    leave --debugger out, or write `--debugger prompt`")
    return path


def _output(command: list[str]) -> str:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=60, check=False, input=""
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout


def debug(job: Job, session: Session) -> int:
    """Run the simulation of a job, stop it in a debugger, wait for its end and return its exit code.

    Raises NoSuchThing (no such mote, or it does nothing at or after that time) and RunFailed.
    """
    with stopped(job, session) as simulation:
        program = _program(session.program) or find(simulation.firmware)
        late = (
            f"It sleeps at {session.at_us / 1e6:.6f} s: this is its first activation after that time."
            if simulation.woke and simulation.sim_us > session.at_us > 0
            else ""
        )
        if program == "prompt":
            from orchestrator.engines.embedded.emulated_prompt import Prompt

            with Prompt(simulation.socket, simulation.firmware, session.sources) as prompt:
                return prompt.run(session.commands, session.batch, late)
        if late:
            print(late, flush=True)
        from orchestrator.engines.embedded.debugger import wait

        return wait(_command(program, simulation, session))


def _command(program: str, simulation: Stopped, session: Session) -> list[str]:
    folder = simulation.socket.parent
    script, firmware = folder / "script", folder / "firmware.sky"
    firmware.symlink_to(simulation.firmware.resolve())  # the debugger's own commands get no path with a blank
    sources = []
    for number, path in enumerate(session.sources):
        (link := folder / f"sources{number}").symlink_to(path.resolve())
        sources.append(str(link))
    if Path(program).name.startswith("lldb"):
        # Our own applications are compiled in ./app, in a tree called `.` (contiki-apps/os/Makefile.os); lldb
        # takes the first place that has the file.
        roots = [f"settings append target.source-map app {link}" for link in sources]
        begins = _LLDB_SCRIPT.format(source_map="\n".join(roots), socket=simulation.socket)
        commands = [*session.commands, *(["quit"] if session.batch else [])]
        script.write_text(begins + "".join(f"{text}\n" for text in commands))
        go_on = "settings set interpreter.stop-command-source-on-error false"
        return [program, "--no-lldbinit", "-O", go_on, str(firmware), "-s", str(script)]
    script.write_text(_GDB_SCRIPT.format(sources=":".join(sources), socket=simulation.socket))
    commands = [word for text in session.commands for word in ("-ex", text)]
    batch = ["-batch"] if session.batch else []
    return [program, "-q", "-nx", *batch, str(firmware), "-x", str(script), *commands]


@contextmanager
def stopped(job: Job, session: Session) -> Iterator[Stopped]:
    """Run the simulation up to where the mote is to stop. At the end of the context it is ended, too.

    Raises NoSuchThing and RunFailed.
    """
    mote = next((one for one in job.deployment.motes if one.id == session.mote), None)
    if mote is None:
        raise NoSuchThing(f"no mote {session.mote} in this simulation")
    text = describe(job.deployment, job.seed, job.firmware, job.ruleset)
    with (
        tempfile.TemporaryDirectory(prefix="orchestrate-debug-") as folder,
        socket.socket(socket.AF_UNIX) as server,
    ):
        path = Path(folder) / "socket"
        server.bind(str(path))
        server.listen(1)
        (Path(folder) / "description").write_bytes(text)
        with (
            (Path(folder) / "description").open("rb") as description,
            subprocess.Popen(
                [*_kernel(job, session), "--debugger", str(server.fileno())],
                stdin=description,
                stdout=subprocess.PIPE,
                pass_fds=[server.fileno()],
                process_group=0,  # Ctrl-C is for the debugger
            ) as process,
        ):
            try:
                report = _wait_for_stop(process, job, session)
                firmware = Path(job.firmware[mote.type_identifier])
                yield Stopped(path, firmware, int(report["sim_us"]), bool(report["woke"]))
                server.close()
                _report_end(process.stdout, process, job)
            finally:
                process.kill()


def _kernel(job: Job, session: Session) -> list[str]:
    command = [os.fspath(kernel.executable()), "--log", os.fspath(job.log), "--parent", str(os.getpid())]
    command += ["--stop-mote", str(session.mote), "--stop-at", str(session.at_us)]
    return [*command, *(interpreter.arguments() if isinstance(job.deployment.script, JavaScript) else ())]


def _wait_for_stop(process: subprocess.Popen, job: Job, session: Session) -> dict:
    """Return the kernel's report that the mote has stopped."""
    lines = []
    for line in process.stdout:
        lines.append(line)
        report = last_report(line)
        if report.get("report") == "stopped":
            return report
    status = process.wait()
    report = last_report(b"".join(lines))
    if report.get("report") == "end":
        raise NoSuchThing(
            f"mote {session.mote} is not activated at or after {session.at_us / 1e6:g} s: the run is over by "
            "then\n    name an earlier time with --at"
        )
    _, evidence = outcome_of(report, status, job.log)
    raise RunFailed("the simulation ended before the mote stopped: " + "; ".join(evidence))


def _report_end(output: IO[bytes], process: subprocess.Popen, job: Job) -> None:
    """Say how the simulation ended, if it has done so and not only the debugger."""
    try:
        process.wait(1)
    except subprocess.TimeoutExpired:  # the debugger let it go on without itself
        return
    report = last_report(output.read())
    if report.get("report") == "crash" or "warnings" in report:
        outcome = Outcome.CRASH if report.get("report") == "crash" else Outcome.OK
        evidence = outcome_of(report, 0, job.log)[1] if outcome is Outcome.CRASH else ()
        for line in result_of(report, outcome, 0, evidence, ()).evidence:
            print(line, flush=True)
