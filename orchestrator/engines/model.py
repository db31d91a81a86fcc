# SPDX-License-Identifier: Apache-2.0
"""The run that an engine is asked to make."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.vocabulary.simulators import DEFAULT_RULES

if TYPE_CHECKING:  # a short run's time is mostly that of its imports
    from orchestrator.csc.model import Simulation
    from orchestrator.engines.deployment import Deployment
    from orchestrator.engines.embedded.described import Described


AS_FILE = "file"  # a speed: as the .csc says


def _silent(_: str) -> None:
    """Say nothing."""


@dataclass(frozen=True)
class Outside:
    """How a simulation meets the world outside of it.

    `speed`: simulated time by real time, 0 for no limit, AS_FILE for what the .csc and its script say; None:
    AS_FILE if it opens sockets, else no limit. `sockets`: those of the .csc are opened, where `address` names
    the interface that servers listen at. `commands`: those of its plugins run. `replay`: a record of input to
    use in place of sockets and commands. `file`: the .csc. `contiki` and `cooja` are its path tokens'
    folders. `say` gets what a user wants to know meanwhile. `patience_s`: of real time, after which a client
    that doesn't read is cut off.
    """

    speed: float | str | None = None
    sockets: bool = True
    address: str = ""
    commands: bool = True
    replay: Path | None = None
    file: Path = Path()
    contiki: Path | None = None
    cooja: Path | None = None
    say: Callable[[str], None] = _silent
    patience_s: float = 10.0

    def meets(self, simulation: Simulation | Described) -> bool:
        """Say whether a run of this simulation has to do with anything outside of it."""
        paced = self.speed is not None or self.replay is not None
        return paced or (self.sockets and bool(simulation.serial_sockets))


@dataclass(frozen=True)
class Job:
    """A run to make: a deployment, or the simulation of a .csc, which only simulators can run.

    (Simulators turn a deployment into a simulation: csc/deployed.py.) The simulation is as the engine itself
    has read the .csc. `firmware`: by mote type identifier; that of a microcontroller by `on_platform`.
    `log`: in a folder of this run's own. `ruleset`: one of vocabulary.simulators.RULES. `wall_limit_s`:
    seconds of real time that it may take. `radio`: an empty folder for the record of the radios
    (kernel/observation/observer.h lists its files); None for no record. `air`: the file for the compact
    record of what was on the air. `outside`: None if the simulation meets nothing outside of it, whatever its
    .csc says.
    """

    deployment: Deployment | Simulation | Described
    seed: int
    firmware: dict[str, Path]
    log: Path
    ruleset: str = DEFAULT_RULES
    wall_limit_s: float | None = None
    radio: Path | None = None
    air: Path | None = None
    outside: Outside | None = None


def on_platform(identifier: str, platform: str) -> str:
    """Return the name of the firmware of a mote type that is built for a microcontroller's platform."""
    return f"{identifier}@{platform}"
