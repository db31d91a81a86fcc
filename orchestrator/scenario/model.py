# SPDX-License-Identifier: Apache-2.0
"""The checked content of a scenario file: plain frozen values, no I/O. SI units; times in microseconds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Self

from orchestrator.topology.model import Node

if TYPE_CHECKING:  # the help of a command that names shapes waits for it otherwise
    from orchestrator.csc.model import DeclaredMedium, Simulation


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
        """The range in metres, or the links, which determine who hears whom."""
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
    """Cooja's directed graph medium with the links of a file; ranges and ratios mean nothing to it."""

    medium: str = "directed-graph"
    file: str = ""
    links: tuple[Link, ...] = ()

    @property
    def reach(self) -> float | tuple[Link, ...]:
        return self.links


@dataclass(frozen=True)
class DeclaredRadioSpec(RadioSpec):
    """A medium that declares itself (csc.model.DeclaredMedium); its numbers follow in the medium's order.

    The ranges follow from them: half of the frames arrive at `range_m`, none beyond `interference_m`.
    """

    @classmethod
    def of(cls, model: DeclaredMedium) -> Self:
        """Return the radio settings for a medium."""
        numbers = (getattr(model, name) for name in model.numbers())
        return cls(model.name, model.reach(), model.horizon, 1.0, 1.0, *numbers)

    def numbers(self) -> tuple[float, ...]:
        """Return the medium's numbers, in its order."""
        return tuple(getattr(self, field.name) for field in fields(self)[len(fields(RadioSpec)) :])


@dataclass(frozen=True)
class TopologySpec:
    """A shape's name and checked parameters (metres, counts), as its file in topology/ declares them."""

    shape: str
    parameters: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class OwnTopologySpec(TopologySpec):
    """A user's own shape as laid out: nodes, its source's digest, and parameters as the scenario has them."""

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
        """Its key for lookup: the folder of a user's own application, otherwise the name."""
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
    """The sources of firmware, and the place of its build. Only its bytes are part of a run's identity.

    `image`: None for the official one. `tree`: a Contiki-NG tree's folder, "image" for the tree that the
    image holds, None for $CONTIKI_NG. `compile`: how a tree's firmware is compiled. `memory` (bytes) and
    `seconds` limit one build in a container; None for the builder's own limits.
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
    """One combination of the matrix: everything but the seed.

    `name` is unique within the experiment ("H10A"). `source` and `builder` of the firmware are None unless
    they are axes. They are not part of a run's identity, because the firmware's bytes are.
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
    engine: str  # of vocabulary.simulators.ENGINES
    trace: bool  # every event printed, or counters dumped after the run
    source: str | None = field(default=None, metadata={"identity": False})
    builder: str | None = field(default=None, metadata={"identity": False})
    record: tuple[str, ...] = field(default=(), metadata={"identity": False})  # of settings.RECORDS


@dataclass(frozen=True)
class SimulationCell(Cell):
    """A cell that is a whole simulation, of a .csc or of firmware in a Contiki-NG tree, and no application.

    The run ends as its script says; `duration_us` is the script's time-out, and there is no drain.
    `topology`, `radio` and `application` describe it for tables and reports. `subject`: what it was made of,
    with every setting, in JSON's types; the ids are made of it. `nodes`: its motes. `simulation`: None in a
    cell that was read back from a manifest, whose run has its .csc.
    """

    subject: Mapping[str, Any] = field(default_factory=dict)
    nodes: tuple[Node, ...] = field(default=(), metadata={"identity": False})
    simulation: Simulation | None = field(
        default=None, metadata={"identity": False}, compare=False, repr=False
    )


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
    spark: str | None = None  # what computes tables and metrics (orchestrate_spark.engines)
    extra: Mapping[str, Any] = field(default_factory=dict)  # by key: what features read (scenario_keys)

    def firmware_of(self, cell: Cell) -> FirmwareOptions:
        """Return the options for a cell's firmware, without those that its source and builder don't use."""
        made = replace(
            self.firmware,
            source=cell.source or self.firmware.source,
            builder=cell.builder or self.firmware.builder,
        )
        made = made if made.source == CONTIKI_NG else replace(made, tree=None, compile=FAST)
        return made if made.builder == DOCKER else replace(made, image=None)
