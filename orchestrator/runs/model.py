# SPDX-License-Identifier: Apache-2.0
"""The values that describe a run before it is made (RunSpec) and after it has ended (RunResult, Outcome)."""

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
    """How a run ended, in a simulator or on a testbed.

    Manifests, tables and JUnit files hold the values. docs/cooja.md says what proves each in the simulators.
    """

    OK = "ok"
    FAILED = "failed verdict"
    NO_VERDICT = "script timeout"  # the time was over, and nothing had given a verdict
    BUILD_ERROR = "build error"
    SETUP_ERROR = "load error"  # the motes could not be set up as the run asks for
    NO_END = "no controller"  # nothing would ever end the run
    TOOL_MISSING = "JVM missing or too old"  # the engine's tools are missing or unsuitable
    OUT_OF_MEMORY = "out of memory"
    CRASH = "crash"  # of a mote's firmware
    SANITIZER = "sanitizer finding"  # in firmware that was compiled with a sanitizer
    WALL_LIMIT = "wall-clock limit"
    TRUNCATED = "truncated log"
    LOST = "lost"  # the engine's process vanished, and the run was not the reason
    TESTBED = "testbed failed"  # a mote or a gateway was dead, or fell silent: no radio lost what they lack


VERDICTS = frozenset({Outcome.FAILED, Outcome.NO_VERDICT})  # the simulated program is to blame for these
# Failures of the machine or the simulator, which say nothing about the run. It is tried again at once.
RETRIED = frozenset({Outcome.LOST})
# At another time, on another machine or with more memory the run may end differently. The next call of the
# scenario makes it again.
UNDECIDED = frozenset(
    {
        Outcome.LOST,
        Outcome.WALL_LIMIT,
        Outcome.TRUNCATED,
        Outcome.OUT_OF_MEMORY,
        Outcome.TOOL_MISSING,
        Outcome.BUILD_ERROR,
        Outcome.TESTBED,
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
    """What a run cost: simulated us, seconds of real time, events of the simulation, peak RSS in bytes."""

    sim_us: int
    wall_s: float
    events: int
    peak_memory: int


@dataclass(frozen=True)
class Built:
    """How a run's firmware was built; "" where a field doesn't apply or the manifest is older than it.

    `tree`: the digest of the Contiki-NG tree. `compile`: how the tree's firmware was compiled. `image`: the
    digest of the image that the build ran in, `engine_image` of the one that the simulator ran in. `flags`:
    compiler flags beyond the usual ones. `description`: the SHA-256 of the application.yaml that the store
    keeps.
    """

    source: str = ""
    tree: str = ""
    compile: str = ""
    builder: str = ""
    image: str = ""
    engine_image: str = ""
    flags: str = ""
    description: str = ""

    def described(self) -> dict[str, str]:
        """Return the fields that apply, by name."""
        return {name: value for name, value in vars(self).items() if value}


@dataclass(frozen=True)
class PlacedMote:
    """Which mote of a testbed was the mote `mote` of a run."""

    mote: int
    name: str
    gateway: str
    eui64: str


@dataclass(frozen=True)
class OnTestbed:
    """What a run on a testbed rests on; of a simulation all is empty.

    `clock_error_us`: the most by which times of different gateways are wrong to each other. `boot_spread_us`:
    between the first mote's start and the last one's. `replaced`: which mote was taken for which, and why.
    `missing`: sentences about what the log lacks.
    """

    lab: str = ""
    layout: str = ""
    motes: tuple[PlacedMote, ...] = ()
    clock_error_us: int = 0
    boot_spread_us: int = 0
    replaced: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


@dataclass(frozen=True)
class RunSpec:
    """A run to be made: everything that determines its result, and where its inputs are.

    `run_id` and `trend_id`: see identity.py. `firmware`: mote type identifier -> built shared object. `motes`
    (the layout's nodes) and `built` are for the manifest.
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
    """What an engine reports of a finished run. `sim_us` is simulated time, `wall_s` real time.

    `peak_memory`: peak RSS in bytes. `evidence`: the lines that prove an outcome other than ok (for a crash:
    the mote's id, the signal, its last output).
    """

    outcome: Outcome
    sim_us: int
    wall_s: float
    events: int
    peak_memory: int
    evidence: tuple[str, ...] = ()
    testbed: OnTestbed = OnTestbed()
