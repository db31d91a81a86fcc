# SPDX-License-Identifier: Apache-2.0
"""What a study simulates before its settings are applied: plain values."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from orchestrator.csc.model import Simulation
from orchestrator.csc.mote_type import MoteType, MspType, file_of


@dataclass(frozen=True)
class Kind:
    """A mote type: its name in the scenario, and how it is built without further settings.

    `count`: how many motes it has; None if the scenario leaves that to the topology. `line`: where a .csc has
    its source or firmware, 0 without a .csc.
    """

    name: str
    type: MoteType | MspType
    count: int | None
    line: int = 0

    @property
    def file(self) -> str:
        """Its source, or its firmware if that is not built."""
        return file_of(self.type)


@dataclass(frozen=True)
class Base:
    """What the settings are applied to.

    `simulation`: of a .csc; None for mote types of a scenario. `file`: that .csc, as messages call it.
    `folder`: to which sources are relative. `sha256`: of the .csc, "" without one. `scripted`: whether it has
    a script, without which `simulation` has one that ends it.
    """

    name: str
    kinds: tuple[Kind, ...]
    folder: Path
    simulation: Simulation | None = None
    file: str = ""
    sha256: str = ""
    scripted: bool = True
