# SPDX-License-Identifier: Apache-2.0
"""The engine `cooja`: makes runs in a real Cooja without a window, several runs in one JVM.

It runs the same .csc with the same firmware bytes as the embedded engine; only the firmware's folder differs.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache
from itertools import islice
from pathlib import Path

from orchestrator.csc import as_written, deployed
from orchestrator.csc.model import DeclaredMedium, Simulation
from orchestrator.csc.read import read
from orchestrator.durable import sha256, sweep
from orchestrator.engines.cooja import classes, container, find, java
from orchestrator.engines.cooja.batch import Batch
from orchestrator.engines.cooja.command import CRASH_REPORT, HEAP, command
from orchestrator.engines.cooja.container import ContainerProcess
from orchestrator.engines.cooja.launcher import LocalProcess, Running
from orchestrator.engines.cooja.stage import SIMULATION, Stage
from orchestrator.engines.embedded.interpreter import faults
from orchestrator.engines.log import log_limit
from orchestrator.engines.model import Job
from orchestrator.engines.protocol import Done
from orchestrator.errors import MissingTool, StorageFailed, Unsupported, writing
from orchestrator.git import git
from orchestrator.runs.model import Outcome, RunResult
from orchestrator.scenario.model import EngineOptions

LOG_FILE = "COOJA.testlog"  # the name is Cooja's
TOGETHER = 8  # runs of a JVM: they share its start, and not too many wait for each other
_REPORT_BYTES = 1 << 18  # of a JVM's crash report; the frames are at the beginning


class CoojaEngine:
    """A Cooja on this machine or in a container. Thread-safe: every call of `run` has its own JVMs."""

    name = "cooja"

    def __init__(self, options: EngineOptions):
        self._options = options
        self._lock = threading.Lock()
        self._calls: set[_Call] = set()
        self._inside: container.Inside | None = None
        self._found: tuple[find.Place, classes.Classes | None, str] | None = None

    def prepare(self, say: Callable[[str], None] = lambda _: None) -> None:
        """Find Cooja and the Java that it needs; `say` gets the progress of an image's pull.

        Raises MissingTool or BuildFailed.
        """
        with self._lock:
            if self._found is not None:
                return
            place = find.find(self._options.path, self._options.contiki)
            said = None if place.jar is None else classes.read(place.jar)
            if self._options.image is not None:
                self._inside = container.inside(self._options.image, place, say)
                self._found = place, said, container.JAVA
                return
            executable = "" if said is None else str(java.find(said).executable)
            if shutil.which("readelf") is None:
                raise MissingTool(
                    "Cooja needs readelf to load firmware\n    on Debian: apt-get install binutils"
                )
            self._found = place, said, executable

    def version(self) -> str:
        """Return a hash of Cooja's classes, and its git revision if that is known."""
        place, said, _ = self._ready()
        digest = sha256(place.program)[:16] if said is None else said.digest
        revision = None if place.folder is None else _revision(place.folder)
        return digest if revision is None else f"{digest} ({revision})"

    def rules(self, written: str | None) -> str:
        """Return the rules of this Cooja, by its classes, else as the user wrote, else "unknown"."""
        place, said, _ = self._ready()
        known = classes.UNKNOWN if said is None else said.rules
        if known != classes.UNKNOWN and written is not None and written != known:
            raise Unsupported(
                f"the scenario wants the rules {written}; the Cooja at {place} follows {known}\n"
                "    leave `rules` out, or name another Cooja"
            )
        return written or "unknown" if known == classes.UNKNOWN else known

    def described(self) -> dict[str, str]:
        """Return the image that it runs in, if it does."""
        return {} if self._inside is None else {"engine_image": self._inside.image.digest}

    def read(
        self,
        file: Path,
        contiki: Path | None = None,
        cooja: Path | None = None,
        seconds: int | None = None,
    ) -> Simulation:
        """See protocol.Simulator; what only Cooja itself runs of a file stays in it."""
        try:
            found = read(file, contiki, cooja, seconds, faults)
            commands = next((one for one in found.serial_sockets if one.commands), None)
            if self._inside is not None and commands is not None:
                raise Unsupported(
                    f"{file}:{commands.line}: commands of a SerialSocketServer, which an image can't run\n"
                    "    run it without --engine-image"
                )
            if found.emulated and self._inside is not None:
                raise Unsupported(
                    f"{file}: emulated Tmote Skys, whose files an image doesn't see\n"
                    "    run it without --engine-image"
                )
            if self._inside is not None or not (found.serial_sockets or found.emulated):
                return replace(found, serial_sockets=(), speed_limit=None)
        except Unsupported:
            if self._inside is not None:  # an image sees none of the files that the .csc names
                raise
        return as_written.read(file, contiki, cooja, seconds)

    def stop(self) -> None:
        """See protocol.Engine."""
        for call in tuple(self._calls):
            call.stop()

    def run(self, jobs: Iterable[Job], done: Done) -> None:
        """See protocol.Engine; no two logs may be in one folder."""
        waiting = iter(jobs)
        while together := list(islice(waiting, TOGETHER)):
            if self._run(together, done):
                return

    def _run(self, jobs: Sequence[Job], done: Done) -> bool:
        """Run jobs in as few JVMs as possible; return whether `stop` ended that."""
        _refuse(jobs)
        place, said, executable = self._ready()

        def launch(files: list[str], folder: Path) -> Running:
            heap = self._options.heap or HEAP
            words = command(place, executable, said, heap, files)
            if self._inside is not None:
                return ContainerProcess(self._inside, place, words, folder, heap)
            return LocalProcess(words, folder)

        call = _Call(jobs, launch, done)
        self._calls.add(call)
        jobs = [replace(job, log=job.log.with_name(LOG_FILE)) for job in jobs]
        try:
            Batch(call.start, call.finish, call.other_firmware, call.crash_report, log_limit()).run(
                jobs, call.stopped.is_set
            )
        finally:
            self._calls.discard(call)
            call.clean()
        return call.stopped.is_set()

    def _ready(self) -> tuple[find.Place, classes.Classes | None, str]:
        self.prepare()
        assert self._found is not None
        return self._found


class _Call:
    """Some runs, and the folder in which their JVMs work.

    The folder has a link NUMBER to each run's folder, because Cooja takes commas and equals signs in a path
    for settings, and the user's folders may have some.
    """

    def __init__(self, jobs: Sequence[Job], launch: Callable[[list[str], Path], Running], done: Done):
        self.stopped = threading.Event()
        self._jobs, self._launch, self._done = jobs, launch, done
        self._stages: dict[int, Stage] = {}
        self._running: Running | None = None
        self._work = _work_folder()

    def start(self, numbers: Sequence[int]) -> Running:
        """Start a JVM for these runs."""
        files = []
        for number in numbers:
            job = self._jobs[number]
            if number not in self._stages:
                folder = job.log.parent.absolute()
                self._stages[number] = Stage(
                    folder, deployed.simulation(job.deployment), job.seed, job.firmware
                )
                (self._work / str(number)).symlink_to(folder)
            (job.log.parent / LOG_FILE).unlink(missing_ok=True)
            files.append(f"{number}/{self._stages[number].folder.name}/{SIMULATION},logdir={number}")
        self._running = self._launch(files, self._work)
        if self.stopped.is_set():
            self._running.kill()
        return self._running

    def finish(self, number: int, result: RunResult) -> None:
        """Take the result of a run: name source lines, rename the log, clean up."""
        stage = self._stages.pop(number)
        if result.outcome is Outcome.CRASH:
            result = replace(result, evidence=stage.places(result.evidence))
        stage.remove()
        log = self._jobs[number].log
        if log.name != LOG_FILE and log.with_name(LOG_FILE).exists():
            log.with_name(LOG_FILE).replace(log)
        self._done(self._jobs[number], result)

    def other_firmware(self, number: int) -> list[str]:
        """Return a line for each mote type whose firmware Cooja did not load."""
        return self._stages[number].other_firmware()

    def crash_report(self) -> list[str]:
        """Read and remove the crash report; if the JVM's options are not ours, it has the JVM's own name."""
        for path in (self._work / CRASH_REPORT, *sorted(self._work.glob("hs_err_pid*.log"))):
            try:
                with path.open("rb") as stream:
                    text = stream.read(_REPORT_BYTES)
                path.unlink()
            except OSError:
                continue
            return text.decode("utf-8", "replace").splitlines()
        return []

    def stop(self) -> None:
        """End the JVM at work, from another thread."""
        self.stopped.set()
        if self._running is not None:
            self._running.kill()

    def clean(self) -> None:
        """Remove everything but logs."""
        for stage in self._stages.values():
            stage.remove()
        shutil.rmtree(self._work, ignore_errors=True)


def _work_folder() -> Path:
    """Make a new folder, and remove those of processes that are gone."""
    home = Path(tempfile.gettempdir()) / f"orchestrate-cooja-{os.getuid()}"
    with writing(home, "free space, or name another folder with $TMPDIR"):
        home.mkdir(mode=0o700, exist_ok=True)
        if home.stat().st_uid != os.getuid() or home.is_symlink():
            raise StorageFailed(
                f"{home} belongs to another user\n    name another folder for temporary files with $TMPDIR"
            )
        sweep(home)
        return Path(tempfile.mkdtemp(prefix=f".tmp-{os.getpid()}-", dir=home))


def _revision(folder: Path) -> str | None:
    """Return the git revision of Cooja's sources; None if it is no checkout or git is missing."""
    if not (folder / ".git").exists():
        return None
    try:
        done = git(folder, "rev-parse", "--short=12", "HEAD")
    except MissingTool:
        return None
    return done.stdout.strip() or None if done.returncode == 0 else None


def _refuse(jobs: Sequence[Job]) -> None:
    """Raise Unsupported for what only the embedded engine does."""
    partners = [getattr(job.deployment, "partners", None) for job in jobs]
    media = [getattr(job.deployment, "medium", None) for job in jobs]
    ours = [one.name for one in media if isinstance(one, DeclaredMedium)]
    for beside in filter(None, partners):
        what, remedy = beside.why_not
        raise Unsupported(
            f"the engine {CoojaEngine.name} simulates motes alone; this application has {what}\n    {remedy}"
        )
    for asked, what in (
        (any(job.radio is not None for job in jobs), "keeps no record of radios; the embedded engine does"),
        (
            bool(ours),
            f"has no medium {''.join(ours[:1])}: it is none of Cooja's\n"
            "    use `engine: embedded`, or a medium of Cooja's",
        ),
    ):
        if asked:
            raise Unsupported(f"the engine {CoojaEngine.name} {what}")


@cache
def _engine(options: EngineOptions) -> CoojaEngine:
    return CoojaEngine(options)


def engine(options: EngineOptions | None) -> CoojaEngine:
    """Return the engine; equal options give the same one."""
    return _engine(options or EngineOptions())
