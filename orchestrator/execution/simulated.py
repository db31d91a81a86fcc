# SPDX-License-Identifier: Apache-2.0
"""The runs of cells that are whole simulations: a .csc, or mote types of a Contiki-NG tree (SimulationCell).

Their firmware is built as the .csc says (library.py), once for all cells that have the same mote type. A
stored .csc names a source in the Contiki-NG tree by [CONTIKI_DIR], and any other in a copy of its folder that
the store keeps by content, so that a .csc has the same bytes on every machine. The store also keeps a copy of
firmware for Tmote Skys that was compiled before.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.applications import folder as folders
from orchestrator.applications.simulated import PlacedSimulation
from orchestrator.build import contiki_ng, stage
from orchestrator.build.content import Sources
from orchestrator.build.contiki_ng import Tree
from orchestrator.build.firmware import Builder
from orchestrator.csc import mobility
from orchestrator.csc.mote_type import MoteType, MspType, file_of
from orchestrator.csc.paths import resolve
from orchestrator.csc.write import write
from orchestrator.durable import sha256
from orchestrator.errors import BuildFailed, Fault, FaultyInput, NoSuchThing, Unsupported
from orchestrator.execution.library import BuildOptions, library, prebuilt
from orchestrator.runs import identity
from orchestrator.runs.spec import Built as RunBuilt
from orchestrator.runs.spec import RunSpec
from orchestrator.scenario.model import (
    CONTIKI_NG,
    DOCKER,
    FAST,
    HOST,
    FirmwareOptions,
    Scenario,
    SimulationCell,
)

if TYPE_CHECKING:
    from orchestrator.engines.protocol import Engine

_SEED = re.compile(rb"<randomseed>[^<]*</randomseed>")
_IN_STORE = "[CONFIG_DIR]/../../../firmware"  # as a run's folder names it
_REDEFINED = re.compile(r"""["'](\w+)["'] (?:macro )?redefined""")


@dataclass(frozen=True)
class Type:
    """A mote type to build: as a cell has it, the folder to which its paths are relative, and options.

    `of_tree`: the Contiki-NG tree takes the place of the one that the folder's Makefile names. `own_macros`:
    see BuildOptions.
    """

    options: FirmwareOptions
    cflags: str
    written: MoteType | MspType
    folder: Path
    of_tree: bool
    own_macros: bool = False


@dataclass(frozen=True)
class Library:
    """A mote type's firmware: the file with its SHA-256, and the type as a stored .csc has it."""

    path: Path
    sha256: str
    stored: MoteType | MspType


def types(scenario: Scenario, cell: SimulationCell, cflags: str) -> list[Type]:
    """Return what has to be built for a cell."""
    simulation, options = cell.simulation, scenario.firmware_of(cell)
    return [
        Type(
            options,
            cflags,
            one,
            simulation.config_dir,
            of_tree(cell),
            isinstance(one, MspType) and one.must_build,
        )
        for one in simulation.mote_types
    ]


def of_tree(cell: SimulationCell) -> bool:
    """Whether the named Contiki-NG tree takes the place of the one that a folder's Makefile names."""
    return "csc" not in cell.subject


def builder(options: FirmwareOptions) -> Builder:
    """Return what builds mote types; without a Contiki-NG tree if none is named.

    Raises NoSuchThing for a tree that is none, and Unsupported for a builder of our applications alone.
    """
    if options.builder == DOCKER:
        raise Unsupported(
            "the firmware of a .csc or of a Contiki-NG project is built on the host, not in a container\n"
            "    leave the builder out (--builder, `firmware: {builder: ...}`)"
        )
    return Builder(contiki_ng.tree(options.tree), None, fast=options.compile == FAST)


def build(one: Type, builder: Builder, home: Path, say: Callable[[str], None]) -> Library:
    """Build a mote type, or find it built; `home`: of the store's copies of sources.

    Raises NoSuchThing and what builds raise.
    """
    file = file_of(one.written)
    if builder.tree is None and file.startswith("[CONTIKI_DIR]"):
        raise NoSuchThing(
            f"mote type {one.written.identifier}: {file} is in a Contiki-NG tree, and none was "
            "named\n    name its folder with --contiki-ng, `firmware: {tree: ...}` or $CONTIKI_NG"
        )
    found = compiled(one, builder.tree, say)
    contiki = builder.tree and builder.tree.folder
    if isinstance(one.written, MspType) and found in prebuilt(
        one.written, one.folder, BuildOptions(contiki=contiki)
    ):
        return _as_it_is(one.written, found, home)
    source = resolve(one.written.source, one.folder, contiki)
    return Library(found, sha256(found), _stored(one.written, source, builder.tree, home))


def compiled(one: Type, tree: Tree | None, say: Callable[[str], None]) -> Path:
    """Build a mote type; its bytes are the same wherever tree and source are. Raises what builds raise."""
    places, written = [], one.written
    if written.source:  # which firmware for Tmote Skys may lack
        source = resolve(written.source, one.folder, tree and tree.folder)
        places.append((str(source.parent), source.parent.name))
    if tree is not None:
        places.append((str(tree.folder), "contiki-ng"))
        if one.of_tree and written.source and not source.is_relative_to(tree.folder):
            written = written._replace(commands=_with(written.commands, f"CONTIKI={tree.folder}"))
    how = BuildOptions(
        contiki=None if tree is None else tree.folder,
        cflags=one.cflags,
        fast=one.options.compile == FAST,
        places=tuple(places),
        own_macros=one.own_macros,
    )
    try:
        return library(written, one.folder, how, say)
    except BuildFailed as failed:
        raise _explained(failed, one.written) from None


def _with(commands: str, word: str) -> str:
    """Return build commands with another word for each make that builds a library."""
    made = []
    for line in commands.split("\n"):
        first = line.split()[:1]
        if first and first[0] in ("$(MAKE)", "make", "gmake") and "clean" not in line.split():
            line = f"{line.rstrip()} {word}"
        made.append(line)
    return "\n".join(made)


def _explained(failed: BuildFailed, written: MoteType) -> BuildFailed:
    """Return the failure in the words of a scenario, which has the build's macros and make variables."""
    kept = [line for line in str(failed).split("\n") if "a warning counts as an error" not in line]
    text = "\n".join(kept).replace(
        "the .csc's build command", f"mote type {written.identifier}: the build command"
    )
    if (found := _REDEFINED.search(failed.output or "")) is not None:
        text += (
            f"\n    the source defines {found[1]} in any case; write `#ifndef {found[1]}` and `#endif` round "
            "that line"
        )
    elif len(kept) < len(str(failed).split("\n")):
        text += "\n    a warning counts as an error here; `make: {WERROR: 0}` of the mote type lets it pass"
    return BuildFailed(text, failed.output)


def _as_it_is(written: MspType, firmware: Path, home: Path) -> Library:
    """Return firmware that was there, of which the store keeps a copy, since its owner may build it anew."""
    file = f"apps/firmware/firmware.{written.target}"
    key = stage.keep(Sources("study", {}, {file: firmware.read_bytes()}), home)
    kept = home / key / file
    return Library(
        kept,
        sha256(kept),
        written._replace(source="", commands="", firmware=f"{_IN_STORE}/{key}/{file}"),
    )


def _stored(written: MoteType | MspType, source: Path, tree: Tree | None, home: Path) -> MoteType | MspType:
    if isinstance(written, MspType):
        written = written._replace(firmware="")
    if tree is not None and source.is_relative_to(tree.folder):
        return written._replace(source=f"[CONTIKI_DIR]/{source.relative_to(tree.folder).as_posix()}")
    folder = source.parent
    files = folders.files(folder)
    size = sum(path.stat().st_size for path in files.values())
    if len(files) > folders.MOST_FILES or size > folders.MOST_BYTES:
        raise FaultyInput(
            [
                Fault(
                    str(folder),
                    0,
                    f"more than {folders.MOST_FILES} files or {folders.MOST_BYTES >> 20} MiB beside a source",
                    "put the firmware's sources into a folder of their own; the store keeps a copy of it",
                )
            ]
        )
    kept = Sources("study", {f"apps/{folder.name}/{path}": place for path, place in files.items()})
    key = stage.keep(kept, home)
    return written._replace(source=f"{_IN_STORE}/{key}/apps/{folder.name}/{source.name}")


@dataclass(frozen=True)
class Making:
    """What the runs of a cell need of its scenario; `home`: of the store's copies of sources."""

    experiment: str
    engine: Engine
    version: str
    builder: Builder
    cflags: str
    home: Path


class SimulationRuns:
    """The runs of one cell; what plan.CellRuns is for a cell with an application."""

    def __init__(self, making: Making, placed: PlacedSimulation, built: Sequence[Library]):
        self._making, self._placed = making, placed
        self.cell, self.engine = placed.cell, making.engine
        self._types = tuple(one.stored for one in built)
        self._paths = {one.stored.identifier: one.path for one in built}
        self.firmware = {one.stored.identifier: one.sha256 for one in built}
        self._named = identity.Named(self.cell, self.firmware, self.cell.engine, making.version)

    @cached_property
    def _form(self) -> bytes:
        simulation = self._placed.simulation(0, self._types)
        moves = [mobility.write(one) for one in simulation.mobility]
        names = ()
        if moves:
            files = {f"positions-{number}.dat": data for number, data in enumerate(moves, 1)}
            made = {f"apps/positions/{name}": data for name, data in files.items()}
            key = stage.keep(Sources("study", {}, made), self._making.home)
            names = tuple(f"{_IN_STORE}/{key}/apps/positions/{name}" for name in files)
        return write(simulation, names)

    def _text(self, seed: int) -> bytes:
        return _SEED.sub(b"<randomseed>%d</randomseed>" % seed, self._form, count=1)

    @property
    def made_of(self) -> str:
        """A digest of everything that determines these runs but the seed: that of a run with seed 0."""
        return self.ids(0)[0]

    def ids(self, seed: int) -> tuple[str, str]:
        """Return a run's id and trend id."""
        digest = hashlib.sha256(self._text(seed)).hexdigest()
        return self._named.run_id(seed, digest), self._named.trend_id(seed)

    def spec(self, seed: int) -> RunSpec:
        """All of a run."""
        text, making = self._text(seed), self._making
        run_id, trend_id = self.ids(seed)
        return RunSpec(
            run_id=run_id,
            trend_id=trend_id,
            experiment=making.experiment,
            cell=self.cell,
            seed=seed,
            deployment=self._placed.simulation(seed, self._types),
            csc_text=text,
            firmware=self._paths,
            firmware_sha256=self.firmware,
            engine=self.cell.engine,
            engine_version=making.version,
            motes=self._placed.acting.nodes,
            built=RunBuilt(
                source=CONTIKI_NG,
                tree="" if making.builder.tree is None else making.builder.tree.digest,
                compile=FAST if making.builder.fast else "",
                builder=HOST,
                flags=making.cflags,
                **self.engine.described(),
            ),
        )
