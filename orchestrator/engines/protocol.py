# SPDX-License-Identifier: Apache-2.0
"""What every engine does. A new engine is one module, and one line in vocabulary/simulators.py."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import TYPE_CHECKING, Protocol

from orchestrator.engines.model import Job
from orchestrator.errors import WrongUsage
from orchestrator.vocabulary.simulators import ENGINES
from orchestrator.words import did_you_mean

if TYPE_CHECKING:  # a short run's time is mostly that of its imports
    from orchestrator.runs.model import RunResult
    from orchestrator.scenario.model import EngineOptions

Done = Callable[[Job, "RunResult"], None]


class Engine(Protocol):
    """`version()` names what determines results (kernel sources' hash)."""

    name: str

    def rules(self, written: str | None) -> str:
        """The rule set that its runs follow, given what the user wrote. Raises Unsupported if it can't follow
        that.
        """

    def version(self) -> str: ...

    def described(self) -> dict[str, str]:
        """What manifests say of it besides its version, which decides nothing about results."""

    def prepare(self, say: Callable[[str], None] = ...) -> None:
        """Build or find what the engine needs, once per process, before any run. `say` gets what takes
        long."""

    def stop(self) -> None:
        """End every simulation under way in this process, from another thread; their outcome, if they get
        one, is LOST.
        """

    def run(self, jobs: Iterable[Job], done: Done) -> None:
        """Take jobs until there are no more, as many at a time as the engine does best; each writes its log.

        `done(job, result)` is called as each ends, but not for those that `stop` kept from starting. What a
        mote does (a crash, a hang beyond `wall_limit_s`, a failed verdict) is a result and never raised. It
        may be called from several threads at once. Raises MissingTool, BuildFailed, StorageFailed, and
        Unsupported (a simulation that this engine can't do; a record of radios, if it keeps none).
        """


def run_one(chosen: Engine, job: Job) -> RunResult:
    """The result of a single job; LOST if the engine was stopped before it began. Raises what `Engine.run`
    raises.
    """
    from orchestrator.runs.model import Outcome, RunResult

    results: list[RunResult] = []
    chosen.run([job], lambda _, result: results.append(result))
    return results[0] if results else RunResult(Outcome.LOST, 0, 0.0, 0, 0, ("the simulator was ended",))


def known(name: str) -> None:
    """Raises WrongUsage if there is no engine of that name."""
    if name not in ENGINES:
        raise WrongUsage(f"no engine named {name!r}; {did_you_mean(name, sorted(ENGINES))}")


def engine(name: str, options: EngineOptions | None = None) -> Engine:
    """The engine of that name, one object for the same options. Raises WrongUsage with the list of names."""
    known(name)
    return import_module(ENGINES[name]).engine(options)
