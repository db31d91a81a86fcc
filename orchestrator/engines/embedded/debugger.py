# SPDX-License-Identifier: Apache-2.0
"""Runs the kernel in gdb and stops it before a mote's activation (kernel/observation/breakpoint.h).

Our own loader maps the firmware, so gdb is told where it is. Every mote has its own copy of the code: a
breakpoint in this mote's functions stops this mote only, and names of variables are this mote's. No tick is
skipped. Neither changes what the motes do.
"""

from __future__ import annotations

import shlex
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from orchestrator.build import kernel
from orchestrator.csc.model import JavaScript
from orchestrator.engines.embedded import interpreter
from orchestrator.engines.embedded.description import describe
from orchestrator.engines.model import Job
from orchestrator.errors import MissingTool, NoSuchThing, RunFailed

_NEVER = 119  # gdb's exit code if our script has not stopped at the mote
# SIGALRM is the kernel's clock for flushing its log. eval fills in the address. The files are links in a
# folder of ours, because gdb's `directory` takes no path with a blank.
_SCRIPT = """\
set confirm off
set pagination off
set debuginfod enabled off
set print thread-events off
handle SIGALRM nostop noprint pass
directory {sources}
define next-tick
  tbreak *cooja_tick
  continue
end
document next-tick
Run to this mote's next activation.
end
define simulated
  printf "mote %d at %lld us of simulated time\\n", {mote}, *(long long *)&breakpoint_us
end
document simulated
The mote, and the simulated time of its activation.
end
tbreak breakpoint_here
set args {arguments} < {description} > {report}
run
if ! $_isvoid($_exitcode)
  quit {never}
end
eval "add-symbol-file {library} -o 0x%lx", *(unsigned long *)&breakpoint_image
tbreak *cooja_tick
continue
simulated
if {at} > 0 && *(long long *)&breakpoint_us > {at}
  printf "It sleeps at %.6f s: this is its first activation after that time.\\n", {at} / 1e6
end
"""


def find() -> str:
    """Return the path of gdb. Raises MissingTool."""
    found = shutil.which("gdb")
    if found is None:
        raise MissingTool("no gdb here: apt-get install gdb")
    return found


@dataclass(frozen=True)
class Session:
    """What gdb does: it stops at the first activation of a mote at or after `at_us` and runs `commands`.

    `sources`: folders in which gdb looks for source files. With `batch` gdb ends after the commands.
    """

    mote: int
    at_us: int
    sources: Sequence[Path] = ()
    commands: Sequence[str] = ()
    batch: bool = False


def debug(job: Job, session: Session) -> int:
    """Run the simulation of a job in gdb, wait for gdb's end, and return its exit code.

    Raises MissingTool (no gdb) and NoSuchThing (no such mote or activation).
    """
    gdb, simulation, mote = find(), job.deployment, session.mote
    identifier = next((one.type_identifier for one in simulation.motes if one.id == mote), None)
    if identifier is None:
        raise NoSuchThing(f"no mote {mote} in this simulation")
    executable = kernel.executable()
    with tempfile.TemporaryDirectory(prefix="orchestrate-debug-") as folder:
        work = Path(folder)
        (work / "script").write_text(_prepared(work, job, session, identifier))
        command = [
            gdb,
            "-q",
            "-nx",
            *(["-batch"] if session.batch else []),
            "-x",
            str(work / "script"),
            *(word for text in session.commands for word in ("-ex", text)),
            str(executable),
        ]
        code = wait(command)
        said = (work / "report").read_text(errors="replace") if (work / "report").exists() else ""
    if code == _NEVER and '"report":"end"' not in said:
        raise RunFailed(
            f"the simulation ended before gdb could stop it: {said.strip()[:1000] or 'it said nothing'}"
        )
    if code == _NEVER:
        raise NoSuchThing(
            f"mote {mote} is not activated at or after {session.at_us / 1e6:g} s: the run is over by then\n"
            "    name an earlier time with --at"
        )
    return code


def _prepared(work: Path, job: Job, session: Session, identifier: str) -> str:
    """Write what the kernel reads to `work`; return gdb's script."""
    (work / "description").write_bytes(describe(job.deployment, job.seed, job.firmware, job.ruleset))
    arguments = ["--log", str(job.log), "--stop-mote", str(session.mote), "--stop-at", str(session.at_us)]
    arguments += ["--code-per-mote", "1", "--every-tick", "1"]
    arguments += interpreter.arguments() if isinstance(job.deployment.script, JavaScript) else []
    links = [_link(path, work / f"sources{number}") for number, path in enumerate(session.sources)]
    return _SCRIPT.format(
        arguments=shlex.join(arguments),
        sources=":".join(map(str, links)),
        mote=session.mote,
        at=session.at_us,
        never=_NEVER,
        description=shlex.quote(f"{work}/description"),
        report=shlex.quote(f"{work}/report"),
        library=_link(job.firmware[identifier], work / "firmware.cooja"),
    )


def wait(command: list[str]) -> int:
    """Run a debugger, to which Ctrl-C goes, and return its exit code."""
    with subprocess.Popen(command) as process:
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            return process.wait()
        finally:
            signal.signal(signal.SIGINT, before)


def _link(path: Path, link: Path) -> Path:
    link.symlink_to(Path(path).resolve())
    return link
