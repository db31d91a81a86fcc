# SPDX-License-Identifier: Apache-2.0
"""What a run is, before (RunSpec) and after (Outcome, RunStatistics): plain values, no I/O."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # a short run's time is mostly that of its imports
    from orchestrator.engines.model import Deployment
    from orchestrator.scenario.model import Cell
    from orchestrator.topology.model import Node


class Outcome(StrEnum):
    """How a run ended, in a simulator or on a testbed. The values are what manifests, tables and JUnit's XML
    hold; what proves each on the simulators is in docs/cooja.md.
    """

    OK = "ok"
    FAILED = "failed verdict"
    NO_VERDICT = "script timeout"  # the run's time was over, and nothing says what that means
    BUILD_ERROR = "build error"
    SETUP_ERROR = "load error"  # motes could not be set up as the run asks for
    NO_END = "no controller"  # nothing would ever end the run
    TOOL_MISSING = "JVM missing or too old"  # what makes the runs is not here as it has to be
    OUT_OF_MEMORY = "out of memory"
    CRASH = "crash"  # of a mote's firmware
    SANITIZER = "sanitizer finding"  # of firmware that was compiled to check itself
    WALL_LIMIT = "wall-clock limit"
    TRUNCATED = "truncated log"
    LOST = "lost"  # the engine vanished, for no reason of the run's own


VERDICTS = frozenset({Outcome.FAILED, Outcome.NO_VERDICT})  # what the simulated program is to blame for
# Failures of the machine or the simulator, which say nothing about the run: tried again at once.
RETRIED = frozenset({Outcome.LOST})
# The same runs may come out otherwise at another time, on another machine or with more room: done again by
# the next call.
UNDECIDED = frozenset(
    {
        Outcome.LOST,
        Outcome.WALL_LIMIT,
        Outcome.TRUNCATED,
        Outcome.OUT_OF_MEMORY,
        Outcome.TOOL_MISSING,
        Outcome.BUILD_ERROR,
    }
)


@dataclass(frozen=True)
class EngineUsed:
    """What made a run: an engine's name, what identifies its version, and the rule set that it followed."""

    name: str
    version: str
    rules: str


@dataclass(frozen=True)
class Statistics:
    """What a run took: simulated time, real time, events of the simulation, peak RSS in bytes."""

    sim_us: int
    wall_s: float
    events: int
    peak_memory: int


@dataclass(frozen=True)
class Built:
    """Of what and where a run's firmware was built; "" is what does not apply, or an older manifest lacks.

    `tree`: the digest of the Contiki-NG tree. `compile`: how a tree's firmware was compiled. `image`: the
    digest of the container's image; `engine_image`: of the one that the simulator ran in. `flags`: more of
    the compiler's than usual.
    """

    source: str = ""
    tree: str = ""
    compile: str = ""
    builder: str = ""
    image: str = ""
    engine_image: str = ""
    flags: str = ""

    def described(self) -> dict[str, str]:
        """What applies, by name."""
        return {name: value for name, value in vars(self).items() if value}


@dataclass(frozen=True)
class RunSpec:
    """Everything that determines a run's result, and where its inputs are.

    `run_id`: hex digest of cell, seed, .csc, firmware, engine, version and rule set.
    `trend_id`: the same without firmware and engine, so that a trend survives a rebuild.
    `firmware`: mote type identifier -> built shared object. `motes`: the layout's nodes, and `built`:
    of what and where firmware was built, for the manifest.
    """

    run_id: str
    trend_id: str
    experiment: str
    cell: Cell
    seed: int
    deployment: Deployment
    csc_text: bytes
    firmware: dict[str, Path]
    firmware_sha256: dict[str, str]
    engine: str
    engine_version: str
    motes: tuple[Node, ...] = ()
    built: Built = Built()


@dataclass(frozen=True)
class RunResult:
    """What an engine says of a finished run. Times: `sim_us` simulated, `wall_s` real. Memory: peak RSS in
    bytes.

    `evidence` are the lines that prove an outcome other than ok (a crash: mote id, signal, what it last
    printed).
    """

    outcome: Outcome
    sim_us: int
    wall_s: float
    events: int
    peak_memory: int
    evidence: tuple[str, ...] = ()
