# SPDX-License-Identifier: Apache-2.0
"""The values that describe what an engine is asked to run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.vocabulary.simulators import DEFAULT_RULES

if TYPE_CHECKING:  # a short run's time is mostly that of its imports
    from orchestrator.csc.model import EndScript, Medium, Simulation
    from orchestrator.gateways.model import Gateways


@dataclass(frozen=True)
class FirmwareSource:
    """The firmware of a deployment: identifier (a C name), description, C file and build command."""

    identifier: str
    description: str
    source: str
    commands: str


@dataclass(frozen=True)
class DeployedMote:
    """A mote: its position in m, its role, and the image of its EEPROM (empty: none)."""

    id: int
    name: str
    role: str
    x: float
    y: float
    image: bytes


@dataclass(frozen=True)
class Deployment:
    """What is to run: motes with their firmware in a radio environment, and what ends the run.

    `start_delay_us`: motes boot at random times in [0, start_delay_us). `gateways`: those that take part
    beside the motes, None for none.
    """

    title: str
    seed: int
    start_delay_us: int
    medium: Medium
    firmware: FirmwareSource
    motes: tuple[DeployedMote, ...]
    ends: EndScript
    gateways: Gateways | None = None


@dataclass(frozen=True)
class Job:
    """A run to make: a deployment, or the simulation of a .csc, which only simulators can run.

    (Simulators turn a deployment into a simulation: csc/deployed.py.) `firmware`: by mote type identifier.
    `log`: in a folder of this run's own. `ruleset`: one of vocabulary.simulators.RULES. `wall_limit_s`:
    seconds of real time that it may take. `radio`: an empty folder for the record of the radios
    (kernel/observation/observer.h lists its files); None for no record.
    """

    deployment: Deployment | Simulation
    seed: int
    firmware: dict[str, Path]
    log: Path
    ruleset: str = DEFAULT_RULES
    wall_limit_s: float | None = None
    radio: Path | None = None
