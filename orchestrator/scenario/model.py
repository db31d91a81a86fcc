# SPDX-License-Identifier: Apache-2.0
"""What a scenario file says, after checking: plain frozen values, no I/O. SI units; times in microseconds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from orchestrator.topology.model import Node


@dataclass(frozen=True)
class RadioSpec:
    """UDGM: ranges in metres, success ratios 0..1 (Cooja's UDGM; ratio 1 means no random loss)."""

    medium: str = "udgm"
    range_m: float = 50.0
    interference_m: float = 100.0
    tx_ratio: float = 1.0
    rx_ratio: float = 1.0

    @property
    def reach(self) -> float | tuple[Link, ...]:
        """What determines who hears whom: the range in metres, or links."""
        return self.range_m


@dataclass(frozen=True)
class Link:
    """One direction of a measured link between two nodes, by name; defaults are Cooja's (csc.model.Edge)."""

    source: str
    destination: str
    ratio: float  # of frames received, 0..1
    rssi_dbm: float = -10.0
    lqi: int = 105
    delay_us: int = 0
    channel: int = -1  # any


@dataclass(frozen=True)
class LinkedRadioSpec(RadioSpec):
    """Directed graph medium: the links of a file; ranges and ratios of the unit disk graph mean nothing."""

    medium: str = "directed-graph"
    file: str = ""
    links: tuple[Link, ...] = ()

    @property
    def reach(self) -> float | tuple[Link, ...]:
        return self.links


@dataclass(frozen=True)
class TopologySpec:
    """A shape's name and its checked parameters (metres, counts), as the shape's file in topology/ declares
    them.
    """

    shape: str
    parameters: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class OwnTopologySpec(TopologySpec):
    """The layout of a user's own shape: its nodes, the digest of its source, and its parameters as in the
    scenario.
    """

    source_sha256: str = ""
    nodes: tuple[Node, ...] = ()
    written: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ApplicationSpec:
    """An application and its checked parameters, as its application.yaml declares them.

    `folder` is the absolute path of a user's own application, and "" for those of contiki-apps/apps. It is
    not part of a run's identity (`identity: False`): the same application in another place gives the same
    run.
    """

    name: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    folder: str = field(default="", metadata={"identity": False})

    @property
    def where(self) -> str:
        """What finds it: its folder, or its name."""
        return self.folder or self.name


EMBEDDED, CONTIKI_NG = "embedded", "contiki-ng"  # sources of firmware
HOST, DOCKER = "host", "docker"  # its builders
FAST, AS_IS = (
    "fast",
    "as-is",
)  # how a tree's firmware for Cooja's motes is compiled: our way, or by the tree's own flags
TREE_IN_IMAGE = "image"  # instead of a Contiki-NG tree's folder: the one that the image holds


@dataclass(frozen=True)
class FirmwareOptions:
    """What firmware is made of, and where. It decides about a run only by the firmware's bytes.

    `image` None: the official one. `tree`: a Contiki-NG tree's folder, "image" for the one that the image
    holds, None for $CONTIKI_NG's. `compile`: of a tree's. `memory` (bytes) and `seconds` bound one build in a
    container; None: the builder's own.
    """

    source: str = EMBEDDED
    builder: str = HOST
    image: str | None = None
    tree: str | None = None
    memory: int | None = None
    seconds: float | None = None
    compile: str = FAST


@dataclass(frozen=True)
class Cell:
    """One combination of the matrix: everything but the seed. `name` is unique within the experiment
    ("H10A").

    `source` and `builder` of its firmware if they are axes, else None; they are no part of what a run is,
    firmware's bytes are.
    """

    name: str
    settings: Mapping[str, Any]  # axis path -> value as written, e.g. {"topology.publishers": 10}
    topology: TopologySpec
    radio: RadioSpec
    application: ApplicationSpec
    duration_us: int  # measured time
    drain_us: int  # after it, nothing is published, frames under way still arrive
    start_delay_us: int  # Cooja's motedelay_us: motes boot at a random time in [0, this)
    ruleset: (
        str | None
    )  # of vocabulary.simulators.RULES; None: as the engine has it, known when runs are planned
    engine: str  # "embedded" or "cooja"
    trace: bool  # every event printed, or counters dumped after the run
    source: str | None = field(default=None, metadata={"identity": False})
    builder: str | None = field(default=None, metadata={"identity": False})


@dataclass(frozen=True)
class EngineOptions:
    """Options of an engine. They do not affect results, so they are not part of a cell.

    `path`: where Cooja is; None: $COOJA, otherwise in the Contiki-NG tree `contiki`, otherwise in
    $CONTIKI_NG. `heap`: heap of its JVM in bytes; None: the engine's default. `image`: the image of the
    container in which Cooja runs; None: on this machine. `plain`: run the embedded engine without its
    optimisations. `inventory`: the testbed's file, `layout`: the one of its layouts that takes part (None:
    all of its motes).
    """

    path: str | None = None
    heap: int | None = None
    image: str | None = None
    contiki: str | None = None
    plain: bool = False
    inventory: str | None = None
    layout: str | None = None


@dataclass(frozen=True)
class Scenario:
    """A whole file: its experiment name, cells in matrix order, seeds in order."""

    experiment: str
    cells: tuple[Cell, ...]
    seeds: tuple[int, ...]
    source: str  # the text of the file, kept for provenance
    metrics: tuple[
        str, ...
    ] = ()  # the user's own: paths of files, from the working folder, and names of entry points
    engine: EngineOptions = EngineOptions()
    firmware: FirmwareOptions = FirmwareOptions()

    def firmware_of(self, cell: Cell) -> FirmwareOptions:
        """What a cell's firmware is made of and where, without what that source and builder have no use
        for.
        """
        made = replace(
            self.firmware,
            source=cell.source or self.firmware.source,
            builder=cell.builder or self.firmware.builder,
        )
        made = made if made.source == CONTIKI_NG else replace(made, tree=None, compile=FAST)
        return made if made.builder == DOCKER else replace(made, image=None)
