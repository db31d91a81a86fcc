# SPDX-License-Identifier: Apache-2.0
"""The values that describe how a run has ended."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Outcome(StrEnum):
    """The outcome of a run, in a simulator or on a testbed.

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
    TESTBED = "testbed failed"  # a mote or a gateway failed, so that gaps in the log are no losses by radio


WARNING = "warning: "  # begins what a mote's firmware did wrong in a run that went on nevertheless
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
class PlacedMote:
    """The mote of a testbed that took the part of the mote `mote` of a run."""

    mote: int
    name: str
    gateway: str
    eui64: str


@dataclass(frozen=True)
class OnTestbed:
    """How a run on a testbed was made; all fields are empty for a simulation.

    `clock_error_us`: the largest error between times of different gateways. `boot_spread_us`: the time from
    the first mote's start to the last one's. `replaced`: which mote stood in for which, and why. `missing`:
    sentences about what the log lacks; `notes`: sentences about the rest. `tools`: what flashed the motes,
    with versions.
    """

    lab: str = ""
    layout: str = ""
    motes: tuple[PlacedMote, ...] = ()
    clock_error_us: int = 0
    boot_spread_us: int = 0
    replaced: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()


@dataclass(frozen=True)
class Pace:
    """How well a run kept to real time, or to a multiple of it.

    `speed`: simulated time by real time. Of each millisecond of real time it was measured how late the
    simulation came to it, in us: the median, the 99th percentile and the worst. `moved_us`: by how much all
    later times were put off, because it was too late to catch up.
    """

    speed: float
    late_p50_us: int
    late_p99_us: int
    latest_us: int
    moved_us: int


@dataclass(frozen=True)
class RunResult:
    """An engine's report on a finished run. `sim_us` is simulated time, `wall_s` real time.

    `peak_memory`: peak RSS in bytes. `evidence`: the lines that prove an outcome other than ok (for a crash:
    the mote's id, the signal, its last output), and those that begin with "warning: ", which tell of mistakes
    in firmware that ended no run. `pace`: of a run that was paced.
    """

    outcome: Outcome
    sim_us: int
    wall_s: float
    events: int
    peak_memory: int
    evidence: tuple[str, ...] = ()
    testbed: OnTestbed = OnTestbed()
    pace: Pace | None = None
