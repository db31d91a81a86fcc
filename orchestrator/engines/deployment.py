# SPDX-License-Identifier: Apache-2.0
"""The values that describe a cell's run, for simulators and testbeds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:  # a short run's time is mostly that of its imports
    from orchestrator.csc.model import EndScript, Medium


@dataclass(frozen=True)
class FirmwareSource:
    """The firmware of a deployment: identifier (a C name), description, C file and build command.

    `target`: of make; cooja, or the platform of emulated motes.
    """

    identifier: str
    description: str
    source: str
    commands: str
    target: str = "cooja"


@dataclass(frozen=True)
class DeployedMote:
    """A mote: its position in m, its role, and the image of its EEPROM (empty: none)."""

    id: int
    name: str
    role: str
    x: float
    y: float
    image: bytes


class Partners:
    """The partners of the motes in a run; a feature's value class derives from it.

    `simulated_by`: reference to a class that is called with (Live, these partners, seed) and whose run()
    returns why the run ended. `runs_on_gateways`: whether a testbed's gateways can play the part. `why_not`:
    what they are, for engines that run motes alone, and a remedy.
    """

    simulated_by: ClassVar[str]
    runs_on_gateways: ClassVar[bool] = True
    why_not: ClassVar[tuple[str, str]]

    def of_seed(self, seed: int) -> Partners:
        """Return the partners of one seed, for those of which something is drawn."""
        return self


@dataclass(frozen=True)
class Deployment:
    """The deployment of a run: motes with their firmware in a radio environment, and the end of the run.

    `start_delay_us`: motes boot at random times in [0, start_delay_us). `partners`: what takes part
    beside the motes, None for nothing.
    """

    title: str
    seed: int
    start_delay_us: int
    medium: Medium
    firmware: FirmwareSource
    motes: tuple[DeployedMote, ...]
    ends: EndScript
    partners: Partners | None = None
