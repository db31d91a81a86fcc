# SPDX-License-Identifier: Apache-2.0
"""Runs on a Spark cluster: an engine like any other, whose simulations are tasks on executors.

The code that takes jobs from the plan, repeats them and commits them doesn't know this: a job's log appears
at its path, wherever it was made. Engine and firmware go to each executor once. Each task gets so many runs
that scheduling is a small part of its time, and two lists of tasks are under way at once, so that no core
waits for the last task of a list.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from orchestrator.durable import sha256
from orchestrator.engines.model import Job
from orchestrator.errors import Unsupported
from orchestrator.execution.remote import Answer, Sent, contents, worker
from orchestrator.execution.results import SharedFolder, results
from orchestrator.runs.model import Outcome, RunResult

if TYPE_CHECKING:
    from orchestrator.engines.protocol import Done, Engine

FOLDER = ".cluster"  # of a store: results on their way
TASK_S = 2.0  # a task's runs take about so long: starting it takes some 0.03 s, and so much is lost with one
MOST = 500  # runs of a task, however short
TASKS_A_CORE = 3  # of a list
LISTS = 2


class Cluster:
    """A Spark cluster that makes runs.

    `through`: the object store for its results; None: the run store, which all its machines see.
    """

    def __init__(self, master: str, through: str | None = None):
        self.master, self.through = master, through
        self._executors: Any = None
        self._lock = threading.Lock()
        self._engines: dict[int, ClusterEngine] = {}  # by the identity of the one of this machine

    @property
    def spark(self) -> str | None:
        """The master that does the work of Spark as well: its machines see the tables."""
        return self.master if self.through is None else None

    def engines(self, engines: Mapping[str, Engine], store: Path) -> dict[str, Engine]:
        """Return the same engines, but this cluster makes their runs.

        Raises Unsupported for one that can't be sent.
        """
        return {name: self.engine(engine, store) for name, engine in engines.items()}

    def engine(self, engine: Engine, store: Path) -> ClusterEngine:
        """One of them; the same again for the same engine."""
        if id(engine) in self._engines:
            return self._engines[id(engine)]
        if engine.name != "embedded":
            raise Unsupported(
                f"--on: runs of the engine {engine.name} can't be made on a cluster, only those of the "
                "embedded one\n    leave out --on, or choose --engine embedded"
            )
        place = self.through
        if place is None:
            folder = (Path(store) / FOLDER).absolute()
            folder.mkdir(parents=True, exist_ok=True)
            SharedFolder(folder).sweep()
            place = str(folder)
        results(place)  # what is missing for it is said before the cluster is asked for
        return self._engines.setdefault(id(engine), ClusterEngine(engine, self.executors, place))

    def executors(self) -> Any:
        """Return the cluster's executors (orchestrate_spark.executors); the first call starts the session."""
        from orchestrate_spark.executors import Executors
        from orchestrate_spark.session import session

        with self._lock:
            if self._executors is None:
                self._executors = Executors(session(master=self.master), contents())
        return self._executors

    def close(self) -> None:
        """End the session, if there is one, so that another one can begin."""
        if self._executors is not None:
            self._executors.close()
            self._executors = None


class ClusterEngine:
    """An engine of this machine, its simulations made elsewhere; see engines.protocol.Engine."""

    def __init__(self, engine: Engine, executors: Callable[[], Any], place: str):
        self._engine, self._made, self._place = engine, executors, place
        self._results = results(place)
        self._files: dict[str, Any] = {}  # digest -> what the executors get of it
        self._digests: dict[Path, str] = {}
        self._stopped = threading.Event()
        self._run_s = TASK_S  # until it is known: one run a task
        self.name = engine.name

    def rules(self, written: str | None) -> str:
        return self._engine.rules(written)

    def version(self) -> str:
        return self._engine.version()

    def described(self) -> dict[str, str]:
        return self._engine.described()

    def prepare(self, say: Callable[[str], None] = lambda _: None) -> None:
        self._engine.prepare(say)

    def stop(self) -> None:
        """End all tasks; their runs have no result."""
        self._stopped.set()
        self._made().stop()

    def run(self, jobs: Iterable[Job], done: Done) -> None:
        """Send jobs to the executors until there are no more; see engines.protocol.Engine."""

        self._stopped.clear()
        executors = self._made()
        self._engine.prepare()
        kernel = self._shared(self._engine.kernel)
        todo = iter(jobs)
        with ThreadPoolExecutor(LISTS) as pool:
            under_way: list[tuple[Future, dict[str, Job]]] = []
            more = True
            while more or under_way:
                while more and len(under_way) < LISTS and not self._stopped.is_set():
                    groups, by_key = self._next(todo, executors.cores)
                    more = bool(groups)
                    if groups:
                        work = worker(kernel, self._engine.plain, self._place, executors.code)
                        files = dict(self._files)
                        under_way.append((pool.submit(executors.run, work, groups, files), by_key))
                if not under_way:
                    return
                future, by_key = under_way.pop(0)
                try:
                    answers = future.result()
                except Exception:
                    if self._stopped.is_set():
                        return
                    executors.stop()  # the other list's tasks, which nobody would hear of
                    raise
                self._answered(answers, by_key, done)

    def _next(self, jobs: Iterator[Job], cores: int) -> tuple[list[list[Sent]], dict[str, Job]]:
        """Group the next runs, as many as make a list of tasks, and their jobs by key."""
        size = max(1, min(MOST, int(TASK_S / max(self._run_s, 1e-6))))
        by_key: dict[str, Job] = {}
        sent: list[Sent] = []
        while len(sent) < size * TASKS_A_CORE * cores and (job := next(jobs, None)) is not None:
            firmware = {name: Path(self._shared(path)) for name, path in job.firmware.items()}
            job_there = replace(job, firmware=firmware, log=Path(job.log.name), air=None)  # made afterwards
            key = self._key(job_there)
            by_key[key] = job
            sent.append(Sent(key, job_there))
        size = max(1, min(size, -(-len(sent) // cores)))  # of the last runs each core gets some
        return [sent[at : at + size] for at in range(0, len(sent), size)], by_key

    def _key(self, job: Job) -> str:
        """Return the digest of all that decides a run's log."""
        decides = (job.deployment, job.seed, job.firmware, job.ruleset, self._engine.version())
        return hashlib.sha256(repr(decides).encode()).hexdigest()[:32]

    def _shared(self, path: Path) -> str:
        """Return the digest of a file, which the executors have from now on."""
        if path not in self._digests:
            digest = sha256(path)
            if digest not in self._files:
                self._files[digest] = self._made().share(path.read_bytes())
            self._digests[path] = digest
        return self._digests[path]

    def _answered(self, answers: list[Answer], by_key: dict[str, Job], done: Done) -> None:
        seconds = [answer.seconds for answer in answers if answer.seconds]
        if seconds:
            self._run_s = sum(seconds) / len(seconds)
        for answer in answers:
            if answer.error is not None:
                raise answer.error
            job = by_key[answer.key]
            result = self._results.take(answer.key, job.log) if answer.kept else answer.result
            why = "the cluster's storage no longer has its whole result"
            done(job, result or RunResult(Outcome.LOST, 0, 0.0, 0, 0, (why,)))
