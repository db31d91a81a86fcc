# SPDX-License-Identifier: Apache-2.0
"""What an engine is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.vocabulary.simulators import DEFAULT_RULES

if TYPE_CHECKING:  # a short run's time is mostly that of its imports
    from orchestrator.csc.model import EndScript, Medium, Simulation


@dataclass(frozen=True)
class FirmwareSource:
    """What a deployment's motes run: an identifier (a C name), one line about it, its C file and the command
    that builds it.
    """

    identifier: str
    description: str
    source: str
    commands: str


@dataclass(frozen=True)
class DeployedMote:
    """Where a mote stands (m), what it does, and its EEPROM's image (empty: none)."""

    id: int
    name: str
    role: str
    x: float
    y: float
    image: bytes


@dataclass(frozen=True)
class Deployment:
    """What is to run: motes with their firmware in a radio environment, and what shows that it has ended.

    `start_delay_us`: motes boot at a random time in [0, this).
    """

    title: str
    seed: int
    start_delay_us: int
    medium: Medium
    firmware: FirmwareSource
    motes: tuple[DeployedMote, ...]
    ends: EndScript


@dataclass(frozen=True)
class Job:
    """One run to do: a deployment, or the simulation of a .csc, which simulators alone can run (they make one
    of a deployment: csc/deployed.py).

    `firmware`: by mote type identifier. `log`: in a folder of this run's own. `ruleset`: one of
    vocabulary.simulators.RULES. `wall_limit_s`: what it may take of real time, in seconds. `radio`: an empty
    folder for the record of what radios do (kernel/observation/observer.h says which files), None for
    no record.
    """

    deployment: Deployment | Simulation
    seed: int
    firmware: dict[str, Path]
    log: Path
    ruleset: str = DEFAULT_RULES
    wall_limit_s: float | None = None
    radio: Path | None = None
