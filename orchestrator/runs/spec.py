# SPDX-License-Identifier: Apache-2.0
"""The values that describe a run before it is made (RunSpec), and how it was made."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # a short run's time is mostly that of its imports
    from orchestrator.csc.model import Simulation
    from orchestrator.engines.deployment import Deployment
    from orchestrator.scenario.model import Cell
    from orchestrator.topology.model import Node


@dataclass(frozen=True)
class EngineUsed:
    """The engine of a run: its name, the identity of its version, and the rule set that it followed."""

    name: str
    version: str
    rules: str


@dataclass(frozen=True)
class Statistics:
    """The cost of a run: simulated us, seconds of real time, events of the simulation, peak RSS in bytes."""

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
    deployment: Deployment | Simulation
    csc_text: bytes
    firmware: dict[str, Path]
    firmware_sha256: dict[str, str]
    engine: str
    engine_version: str
    motes: tuple[Node, ...] = ()
    built: Built = Built()

    @property
    def longest_us(self) -> int:
        """The simulated time at which the run ends at the latest."""
        ends = getattr(self.deployment, "ends", None) or self.deployment.script
        return ends.timeout_us
