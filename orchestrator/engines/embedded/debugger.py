# SPDX-License-Identifier: Apache-2.0
"""A mote's firmware under gdb: the kernel runs in it, stops before the mote's activation
(kernel/observation/breakpoint.h), and gdb learns where the firmware is, which our own loader has mapped.

Every mote gets a copy of the code there, so a breakpoint in this mote's functions stops this mote only, and
names of variables are this mote's. No tick is skipped. Neither changes what the motes do.
"""

from __future__ import annotations

import shlex
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path

from orchestrator.build import kernel
from orchestrator.csc.model import JavaScript, Simulation
from orchestrator.engines.embedded.description import describe
from orchestrator.engines.embedded.script.process import ScriptProcess
from orchestrator.errors import MissingTool, NoSuchThing, RunFailed

_NEVER = 119  # gdb's exit code, of our script
# SIGALRM is the kernel's clock for flushing its log. eval fills in the address. The files are links in a
# folder of ours: gdb's `directory` takes no path with a blank.
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
"""


def find() -> str:
    """gdb's path. Raises MissingTool."""
    found = shutil.which("gdb")
    if found is None:
        raise MissingTool("no gdb here: apt-get install gdb")
    return found


def debug(
    simulation: Simulation,
    seed: int,
    firmware: dict[str, Path],
    ruleset: str,
    mote: int,
    at_us: int,
    *,
    sources: Sequence[Path] = (),
    commands: Sequence[str] = (),
    batch: bool = False,
    log: Path | None = None,
) -> int:
    """Starts gdb at the mote's first activation at or after `at_us` and waits for its end: gdb's exit code.

    `sources`: folders where gdb looks for source files. `commands`: run there; with `batch` gdb ends after
    them. `log`: where the run's log goes (else nowhere). Raises MissingTool (no gdb), NoSuchThing (no such
    mote or activation).
    """
    gdb = find()
    identifier = next((one.type_identifier for one in simulation.motes if one.id == mote), None)
    if identifier is None:
        raise NoSuchThing(f"no mote {mote} in this simulation")
    executable = kernel.executable()
    javascript = isinstance(simulation.script, JavaScript)
    with (
        tempfile.TemporaryDirectory(prefix="orchestrate-debug-") as folder,
        ScriptProcess(simulation.script, simulation, seed) if javascript else nullcontext() as script,
    ):
        work = Path(folder)
        (work / "description").write_bytes(describe(simulation, seed, firmware, ruleset))
        (work / "script").write_text(
            _SCRIPT.format(
                arguments=shlex.join(
                    [
                        "--log",
                        str(log or work / "log"),
                        "--stop-mote",
                        str(mote),
                        "--stop-at",
                        str(at_us),
                        "--code-per-mote",
                        "1",
                        "--every-tick",
                        "1",
                        *(["--script", str(script.kernel_end.fileno())] if script else []),
                    ]
                ),
                sources=":".join(
                    str(_link(path, work / f"sources{number}")) for number, path in enumerate(sources)
                ),
                mote=mote,
                never=_NEVER,
                description=shlex.quote(f"{work}/description"),
                report=shlex.quote(f"{work}/report"),
                library=_link(firmware[identifier], work / "firmware.cooja"),
            )
        )
        command = [
            gdb,
            "-q",
            "-nx",
            *(["-batch"] if batch else []),
            "-x",
            str(work / "script"),
            *(word for text in commands for word in ("-ex", text)),
            str(executable),
        ]
        code = _wait(command, script)
        said = (work / "report").read_text(errors="replace") if (work / "report").exists() else ""
    if code == _NEVER and '"report":"end"' not in said:
        raise RunFailed(
            f"the simulation ended before gdb could stop it: {said.strip()[:1000] or 'it said nothing'}"
        )
    if code == _NEVER:
        raise NoSuchThing(
            f"mote {mote} is not activated at or after {at_us / 1e6:g} s: the run is over by then\n"
            "    name an earlier time with --at"
        )
    return code


def _wait(command: list[str], script: ScriptProcess | None) -> int:
    """Ctrl-C is gdb's. The kernel has the script's socket from gdb, and gdb from here."""
    with subprocess.Popen(command, pass_fds=(script.kernel_end.fileno(),) if script else ()) as process:
        if script:
            script.connected()
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            return process.wait()
        finally:
            signal.signal(signal.SIGINT, before)


def _link(path: Path, link: Path) -> Path:
    link.symlink_to(Path(path).resolve())
    return link
