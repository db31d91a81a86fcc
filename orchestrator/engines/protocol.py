# SPDX-License-Identifier: Apache-2.0
"""The protocol of engines. To add an engine, write a module and add a line in vocabulary/simulators.py."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Protocol

from orchestrator import feature
from orchestrator.engines.model import Job
from orchestrator.errors import WrongUsage
from orchestrator.vocabulary.simulators import engines
from orchestrator.words import did_you_mean

if TYPE_CHECKING:  # a short run's time is mostly that of its imports
    from pathlib import Path

    from orchestrator.csc.model import Simulation
    from orchestrator.engines.embedded.described import Described
    from orchestrator.runs.model import RunResult
    from orchestrator.scenario.model import EngineOptions

Done = Callable[[Job, "RunResult"], None]


class Engine(Protocol):
    """Makes runs: a simulator or a testbed."""

    name: str

    def rules(self, written: str | None) -> str:
        """Return the rule set that its runs follow, given what the user wrote. Raises Unsupported."""

    def version(self) -> str:
        """Return a name for everything in the engine that determines results (a hash of its sources, say)."""

    def described(self) -> dict[str, str]:
        """Return what manifests say about it that does not determine results."""

    def prepare(self, say: Callable[[str], None] = ...) -> None:
        """Build or find what the engine needs, before any run; `say` gets a message before long steps."""

    def stop(self) -> None:
        """End every run of this process, from another thread; runs that get an outcome are LOST."""

    def run(self, jobs: Iterable[Job], done: Done) -> None:
        """Run jobs until there are no more, as many at a time as suits the engine; each writes its log.

        `done(job, result)` is called for each as it ends, but not for those that `stop` kept from starting.
        What a mote does (a crash, a hang beyond `wall_limit_s`, a failed verdict) is a result and is never
        raised. Several threads may call this at once. Raises MissingTool, BuildFailed, StorageFailed, and
        Unsupported (for a simulation that this engine can't run, or a record of radios if it makes none).
        """


class Simulator(Engine, Protocol):
    """An engine that runs .csc files."""

    def read(
        self,
        file: Path,
        contiki: Path | None = None,
        cooja: Path | None = None,
        seconds: int | None = None,
    ) -> Simulation | Described:
        """Return what its jobs need of a .csc; arguments and errors are those of csc.read.read."""


def run_one(chosen: Engine, job: Job) -> RunResult:
    """Run one job; the result is LOST if the engine was stopped before it began. Raises as `Engine.run`."""
    from orchestrator.runs.model import Outcome, RunResult

    results: list[RunResult] = []
    chosen.run([job], lambda _, result: results.append(result))
    return results[0] if results else RunResult(Outcome.LOST, 0, 0.0, 0, 0, ("the simulator was ended",))


def known(name: str) -> str:
    """Return the module of an engine. Raises WrongUsage if there is no engine with this name."""
    module = feature.find("engines", name)
    if module is None:
        raise WrongUsage(f"no engine named {name!r}; {did_you_mean(name, sorted(engines()))}")
    return module


def engine(name: str, options: EngineOptions | None = None) -> Engine:
    """Return the engine with this name, one object for equal options. Raises WrongUsage."""
    return feature.resolve(known(name)).engine(options)
