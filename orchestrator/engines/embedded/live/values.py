# SPDX-License-Identifier: Apache-2.0
"""The plain values with which a driven simulation is described, and those that it returns."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from orchestrator.csc.model import BIT_RATE, Medium
from orchestrator.runs.model import RunResult
from orchestrator.vocabulary.simulators import DEFAULT_RULES


@dataclass(frozen=True)
class Stage:
    """What a simulation has apart from its motes.

    `medium`: of a directed graph, edges may name motes that are not there yet. `log`: the file for the log,
    in a folder that exists; None: a file without a name, which is there for as long as the simulation's
    object (Live.log). `start_delay_us`: motes start at random times in [0, start_delay_us) after they were
    added. `step_limit_s`: seconds of processor time that one step may take (of real time, 60 times as many);
    a mote whose code doesn't return by then ends the simulation. `contain`: such a mote, and one that
    crashes, ends alone (Live.fallen).
    """

    medium: Medium
    seed: int
    log: Path | None
    start_delay_us: int = 0
    ruleset: str = DEFAULT_RULES
    step_limit_s: float | None = None
    contain: bool = False


@dataclass(frozen=True)
class LiveMote:
    """A mote: the file of its firmware (which must stay as it is), its place in m, its EEPROM's image.

    `library`: a Cooja mote's shared object, or the ELF file of an emulated Tmote Sky.

    `id`: what the firmware sees. `number`: by which calls, outputs and the medium's edges know the mote, each
    once; None: its id. `bit_rate` of a Cooja mote's radio, kbit/s. `deviation`: the speed of a Tmote Sky's
    clock by that of the simulation, above 0 and up to 1.
    """

    library: Path
    id: int
    x: float = 0.0
    y: float = 0.0
    z: float = 0.0
    image: bytes = b""
    number: int | None = None
    bit_rate: float = BIT_RATE
    deviation: float = 1.0

    @property
    def known_as(self) -> int:
        """The number that is in force."""
        return self.id if self.number is None else self.number


@dataclass(frozen=True)
class Output:
    """What a mote printed: a line without its end, as the log has it, or bytes as they came.

    `mote` None: a reminder (Live.remind).
    """

    time_us: int
    mote: int | None
    text: bytes


@dataclass(frozen=True)
class Frame:
    """A frame that a mote began to send: its bytes with the FCS, the radio's channel and power.

    `power`: 0..100 %, of a Tmote Sky the CC2420's PA_LEVEL (0..31).
    """

    time_us: int
    mote: int
    channel: int
    power: int
    content: bytes


@dataclass(frozen=True)
class MoteState:
    """A mote at a moment: its place in m, and its radio.

    `radio`: off, listening, receiving, interfered or transmitting; None: its type has no radio. `signal_dbm`:
    the strength of what it hears.
    """

    mote: int
    id: int
    x: float
    y: float
    z: float
    radio: str | None
    channel: int | None = None
    power: int | None = None
    signal_dbm: int | None = None


class SimulationEnded(Exception):
    """The simulation ended by itself: a mote crashed or hung, or the machine lacks something."""

    def __init__(self, result: RunResult):
        self.result = result
        super().__init__(f"{result.outcome.value}: " + "; ".join(result.evidence))
