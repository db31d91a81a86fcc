# SPDX-License-Identifier: Apache-2.0
"""The layers of Figure 28, and what motes spend in each of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from orchestrator.engines.embedded import profiled
from orchestrator.scenario.model import Cell

APPLICATION, POLICIES, MANAGER = "Components", "Policies as C", "Policy manager"
BROKER, DIFFUSION, SYSTEM = "Broker", "Diffusion and delivery", "Contiki"
LAYERS = (APPLICATION, POLICIES, MANAGER, BROKER, DIFFUSION, SYSTEM)
NARROW = (POLICIES, MANAGER)
WIDE = (*NARROW, BROKER, DIFFUSION)
# The first that fits says a file's layer. None: what simulates the hardware, prints, or records the run.
_FILES = (
    ("app/policies-", POLICIES),
    ("app/", APPLICATION),
    ("middleware/policies/", MANAGER),
    ("middleware/policy-update/", MANAGER),
    ("middleware/pubsub/", BROKER),
    ("middleware/policy-log/", None),
    ("middleware/run-log/", None),
    ("middleware/identity/", None),
    ("middleware/", DIFFUSION),
    ("os/platform/main.c", SYSTEM),
    ("os/platform/clock.c", SYSTEM),
    ("os/platform/node-id.c", SYSTEM),
    ("os/platform/rtimer.c", SYSTEM),
    ("os/platform/", None),
    ("os/lib/format.c", None),
    ("os/lib/stdio.c", None),
    ("os/sky/uart.c", None),
    ("os/sky/ds2411.c", None),
    ("os/sky/eeprom.c", None),
    ("os/", SYSTEM),
    (profiled.LIBC, SYSTEM),
)
_NOTHING_US = 1000  # a run that boots, and prints its counters


@dataclass(frozen=True)
class Profile:
    """Instructions or cycles by layer, of all motes together."""

    layers: Mapping[str, int]
    motes: int
    seconds: float

    def each(self, layer: str) -> float:
        """Return those of a mote in a second."""
        return self.layers.get(layer, 0) / self.motes / self.seconds

    def share(self, layers: tuple[str, ...]) -> float:
        """In percent of all layers'."""
        return 100 * sum(self.layers.get(layer, 0) for layer in layers) / sum(self.layers.values())


def layer_of(file: str) -> str | None:
    """Return the layer of a firmware's source file; None if it is part of none. Raises LookupError."""
    for start, layer in _FILES:
        if file.startswith(start):
            return layer
    raise LookupError(file)


def profile(cell: Cell, count: Callable[[Cell], Counter[str]]) -> Profile:
    """Return what a cell's motes spend, by a function that counts it in a run by source file.

    What they spend on their boot and on printing their counters is left out. Raises what `count` raises.
    """
    counted = count(cell)
    counted.subtract(count(replace(cell, duration_us=_NOTHING_US)))
    layers: Counter[str] = Counter()
    for file, spent in counted.items():
        layer = layer_of(file)
        if layer is not None:
            layers[layer] += spent
    motes = cell.topology.parameters["sensors"] + cell.topology.parameters["sprinklers"]
    return Profile(layers, motes, (cell.duration_us - _NOTHING_US) / 1e6)
