# SPDX-License-Identifier: Apache-2.0
"""Reads, builds and runs .csc files, several at a time.

Each has its own log folder, and none stops the others: if one can't run (a fault in the file, a failed
build), that is its result. At Ctrl-C the builds and engines at work are ended; finished simulations are kept.
"""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory

from orchestrator.build.cache import cache_folder
from orchestrator.durable import alone
from orchestrator.engines.model import Job, Outside
from orchestrator.engines.protocol import Simulator, run_one
from orchestrator.errors import StorageFailed
from orchestrator.execution.library import USUAL, BuildOptions, library
from orchestrator.runs.model import RunResult

LOG = "COOJA.testlog"


@dataclass(eq=False)
class Task:
    """A file to simulate. `seed`: None for the file's own. `name`: what messages call it."""

    file: Path
    seed: int | None
    logdir: Path
    name: str = ""


@dataclass(eq=False)
class Way:
    """The settings for all files of a call; the fields are options of `orchestrate simulate`.

    `seconds`: of simulated time, after which a run of a file without a script ends. `outside`: how they meet
    the world outside of the simulation; its file, folders and `say` are chosen for each.
    """

    rules: str
    build: BuildOptions = USUAL
    wall_limit_s: float | None = None
    radio: bool = False
    seconds: int | None = None
    outside: Outside | None = None


@dataclass(eq=False)
class Ended:
    """The end of a task: its run's result and seed, or the error that kept it from running."""

    task: Task
    seed: int | None = None
    result: RunResult | None = None
    error: Exception | None = None


def simulate(task: Task, engine: Simulator, way: Way, say: Callable[[str], None]) -> Ended:
    """Simulate one file. Raises what reading, building and the engine raise."""
    with _prepared(task, engine, way, say) as job:
        return Ended(task, job.seed, run_one(engine, job))


@contextmanager
def log_in(folder: Path) -> Iterator[Path]:
    """Give the file for a log in a folder, which is made if it isn't there; nobody else writes it meanwhile.

    Raises StorageFailed if another simulation writes it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as held:
        try:
            held.enter_context(alone(folder))
        except BlockingIOError:
            raise StorageFailed(
                f"{folder}: another simulation is writing its {LOG}\n"
                "    give each a folder of its own with --logdir, or wait for the other to end"
            ) from None
        yield folder / LOG


@contextmanager
def _prepared(task: Task, engine: Simulator, way: Way, say: Callable[[str], None]) -> Iterator[Job]:
    """Make the engine's job of a file: read it, build its firmware, choose its seed, lock its log folder."""

    simulation = engine.read(task.file, way.build.contiki, way.build.cooja, way.seconds)
    for note in simulation.notes:
        say(f"note: {note}")
    folder = task.file.resolve().parent
    outside = None
    used = task.seed if task.seed is not None else simulation.seed
    if way.outside is not None:
        options = way.build
        outside = replace(way.outside, file=task.file, contiki=options.contiki, cooja=options.cooja, say=say)
        if outside.replay is not None and task.seed is None:
            from orchestrator.engines.embedded import input_record

            used = input_record.read(outside.replay).seed
        elif simulation.serial_sockets:
            from orchestrator.engines.embedded.outside import check

            check(outside, simulation)  # before anything is built
    if used is None:  # "generated"
        import secrets

        used = secrets.randbits(64) - 2**63
    with ExitStack() as held:
        firmware = {}
        for mote_type in simulation.mote_types:
            built = library(mote_type, folder, way.build, say)
            if not built.is_relative_to(cache_folder()):
                built = _copied(built, held)
            firmware[mote_type.identifier] = built
        log = held.enter_context(log_in(task.logdir))
        yield Job(
            simulation,
            used,
            firmware,
            log,
            way.rules,
            way.wall_limit_s,
            _record(task) if way.radio else None,
            outside=outside,
        )


def _copied(built: Path, held: ExitStack) -> Path:
    """Copy a library, for as long as it is held: the next type's commands may remove it.

    (Cooja loads each before it builds the next.)
    """

    return Path(shutil.copy(built, held.enter_context(TemporaryDirectory())))


def _record(task: Task) -> Path:
    """Make the folder for the record of the radios, without an earlier record's files."""
    from orchestrator.execution import again

    folder = task.logdir / again.RADIO
    folder.mkdir(exist_ok=True)
    for name in (again.FRAMES, again.EVENTS, again.STATES, again.CUT_STATES, again.PROCESSORS):
        (folder / name).unlink(missing_ok=True)
    return folder


class Simulations:
    """Runs several tasks, each of which has its own log folder."""

    def __init__(self, tasks: Sequence[Task], engine: Simulator, way: Way, say: Callable[[str], None]):
        self.ended: dict[int, Ended] = {}  # by the task's place in `tasks`
        self._tasks, self._engine, self._way, self._say = tasks, engine, way, say
        self._waiting: Iterator[int] = iter(range(len(tasks)))
        self._postponed: set[int] = set()
        self._stopped = threading.Event()
        self._lock = threading.Lock()

    def run(self, workers: int, done: Callable[[Ended], None], show: Callable[[], None]) -> None:
        """Run all tasks; call `done` with each that has ended, and `show` now and then from this thread.

        At an exception (Ctrl-C is one) the tasks at work are ended without a result, and it is raised again.
        """
        from orchestrator.execution.workers import Workers

        self._share = -(-len(self._tasks) // workers)
        Workers().run(min(workers, len(self._tasks)), lambda: self._work(done), show, self._stop)

    def _stop(self) -> None:
        from orchestrator.build import calls

        self._stopped.set()
        self._engine.stop()
        calls.stop_all()

    def _work(self, done: Callable[[Ended], None]) -> None:
        """Run tasks until none is left; this is what each worker thread does."""
        while not self._stopped.is_set() and (first := self._next()) is not None:
            self._work_from(first, done)

    def _next(self) -> int | None:
        with self._lock:
            return next(self._waiting, None)

    def _postpones(self, number: int, job: Job, held: ExitStack) -> bool:
        """Put a task behind all others, once, if it would only wait for the port of another one."""
        if job.outside is None or not getattr(job.deployment, "serial_sockets", ()):
            return False
        from orchestrator.engines.embedded.outside import release, take

        with self._lock:
            if take(job):
                held.callback(release, job)
                return False
            if number in self._postponed:
                return False
            self._postponed.add(number)
            self._waiting = chain(self._waiting, [number])
            return True

    def _end(self, number: int, ended: Ended, done: Callable[[Ended], None]) -> None:
        with self._lock:
            if not self._stopped.is_set():
                self.ended[number] = ended
                done(ended)

    def _work_from(self, first: int, done: Callable[[Ended], None]) -> None:
        """Run this task and those after it until the engine fails or has this worker's share of all."""
        under_way: dict[Path, tuple[int, Job, ExitStack]] = {}  # by log

        def jobs() -> Iterator[Job]:
            number: int | None = first
            while number is not None and not self._stopped.is_set():
                task, held = self._tasks[number], ExitStack()
                try:
                    job = held.enter_context(
                        _prepared(
                            task,
                            self._engine,
                            self._way,
                            lambda text, name=task.name: self._say(f"{name}: {text}"),
                        )
                    )
                except Exception as error:  # noqa: BLE001 - its result
                    self._end(number, Ended(task, error=error), done)
                else:
                    if self._postpones(number, job, held):
                        held.close()
                    else:
                        under_way[job.log] = number, job, held
                        yield job
                number = self._next() if len(under_way) < self._share else None

        def finished(job: Job, result: RunResult) -> None:
            number, _, held = under_way.pop(job.log)
            with held:
                self._end(number, Ended(self._tasks[number], job.seed, result), done)

        try:
            self._engine.run(jobs(), finished)
        except Exception as error:  # noqa: BLE001 - the result of those that have none yet
            for number, job, _ in under_way.values():
                self._end(number, Ended(self._tasks[number], job.seed, error=error), done)
        finally:
            for _, _, held in under_way.values():
                held.close()
