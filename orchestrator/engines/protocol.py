# SPDX-License-Identifier: Apache-2.0
"""What every engine does, and the table of engines. A new engine is one module and one line here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from orchestrator.errors import WrongUsage
from orchestrator.words import did_you_mean

if TYPE_CHECKING:  # a short run's time is mostly that of its imports
    from orchestrator.csc.model import Simulation
    from orchestrator.runs.model import RunResult
    from orchestrator.scenario.model import EngineOptions

ENGINES = {"embedded": "orchestrator.engines.embedded.engine", "cooja": "orchestrator.engines.cooja.engine"}


@dataclass(frozen=True)
class Job:
    """One run to do: `firmware` by mote type identifier, `log` in a folder of this run's own."""

    simulation: Simulation
    seed: int
    firmware: dict[str, Path]
    log: Path
    ruleset: str = "5.0"
    wall_limit_s: float | None = None


class Engine(Protocol):
    """`version()` names what determines results (kernel sources' hash). `run` writes `log` and returns how it ended.

    `run` never raises for what a mote does: a crash, a hang (`wall_limit_s`) or a failed verdict is a RunResult.
    It may be called from several threads at once. It raises MissingTool, BuildFailed or Unsupported when the engine itself cannot start.
    `batch`: how many runs it does best in one call of `run_all`; such an engine has that method.
    An engine whose attribute `observes` is true takes `radio=FOLDER`, too: there it leaves a record of what radios do.
    """

    name: str
    batch: int
    observes: bool

    def rules(self, written: str | None) -> str:
        """The rule set that its runs follow, given what the user wrote. Raises Unsupported if it can't follow that."""

    def version(self) -> str: ...

    def described(self) -> dict[str, str]:
        """What manifests say of it besides its version, which decides nothing about results."""

    def prepare(self, say: Callable[[str], None] = ...) -> None:
        """Build or find what the engine needs, once per process, before any run. `say` gets what takes long."""

    def stop(self) -> None:
        """End every simulation under way in this process, from another thread; their `run` returns LOST."""

    def run(
        self,
        simulation: Simulation,
        seed: int,
        firmware: dict[str, Path],
        log: Path,
        *,
        ruleset: str = "5.0",
        wall_limit_s: float | None = None,
    ) -> RunResult: ...

    def run_all(self, jobs: Sequence[Job], done: Callable[[int, RunResult], None]) -> None:
        """All of these, `done(number, result)` as each ends; without a call for those that `stop` kept from starting."""


def known(name: str) -> None:
    """Raises WrongUsage if there is no engine of that name."""
    if name not in ENGINES:
        raise WrongUsage(f"no engine named {name!r}; {did_you_mean(name, sorted(ENGINES))}")


def engine(name: str, options: EngineOptions | None = None) -> Engine:
    """The engine of that name, one object for the same options. Raises WrongUsage with the list of names."""
    known(name)
    return import_module(ENGINES[name]).engine(options)
