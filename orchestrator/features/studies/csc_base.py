# SPDX-License-Identifier: Apache-2.0
"""Reads a .csc as the base of an experiment, and writes the scenario that stands for a .csc alone."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from pathlib import Path

from orchestrator.build.contiki_ng import Tree
from orchestrator.csc import document, makefiles, read, survey
from orchestrator.csc.classes import SCRIPT_RUNNER
from orchestrator.csc.document import MoteType as WrittenType
from orchestrator.csc.fixing import DEFAULT_SECONDS
from orchestrator.csc.model import Simulation
from orchestrator.csc.mote_type import MspType, file_of
from orchestrator.csc.paths import resolve
from orchestrator.engines.embedded.interpreter import faults as syntax
from orchestrator.errors import Fault, FaultyInput, NoSuchThing, Unsupported
from orchestrator.execution.library import BuildOptions, prebuilt
from orchestrator.features.studies.model import Base, Kind
from orchestrator.scenario import settings

_ENDING = re.compile(r"\.csc(\.gz)?$")


def stem(path: Path) -> str:
    """Return a .csc's name without its ending."""
    return _ENDING.sub("", path.name)


def experiment(path: Path) -> str:
    """Return the name under which the runs of a .csc are stored."""
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", stem(path)).strip("-._")[:64]
    return name if re.fullmatch(settings.EXPERIMENT, name) else f"csc-{name}"[:64].rstrip("-")


def scenario(path: Path) -> str:
    """Return the text of the scenario that simulates a .csc with its own seed.

    Raises NoSuchThing, and FaultyInput for what is no XML.
    """
    seed_text = survey.survey(path).settings["seed"]
    seed = int(seed_text) if re.fullmatch("[0-9]{1,10}", seed_text) else 1
    seed = seed if seed <= settings.MOST_SEED else 1
    return (
        f"experiment: {json.dumps(experiment(path))}\nsimulation: {{csc: {json.dumps(path.name)}}}\n"
        f"seeds: {seed}\n"
    )


def base(path: Path, named: str, tree: Tree | None) -> Base:
    """Read a .csc; `named` is what messages call it.

    Raises NoSuchThing, Unsupported, and FaultyInput with every fault, missing sources among them.
    """
    data = path.read_bytes() if path.is_file() else b""
    folder = None if tree is None else tree.folder
    try:
        simulation = read.read(path, folder, None, DEFAULT_SECONDS, syntax)
    except Unsupported as refused:  # an experiment is what the embedded engine can run, whichever runs it
        cooja = "`orchestrate simulate --engine cooja`"
        raise Unsupported(str(refused).replace("--engine cooja", cooja)) from None
    written = document.read(path)
    lines = _source_lines(written)
    counts = Counter(mote.type_identifier for mote in simulation.motes)
    kinds = tuple(
        Kind(name, mote_type, counts[mote_type.identifier], lines.get(mote_type.identifier, 0))
        for name, mote_type in zip(_names(simulation), simulation.mote_types, strict=True)
    )
    scripted = any(plugin.name == SCRIPT_RUNNER for plugin in written.plugins)
    faults = [
        fault for kind in kinds if (fault := _missing(kind, simulation.config_dir, folder, named)) is not None
    ]
    if not simulation.motes:
        faults.append(Fault(named, 0, "the simulation has no motes", "add motes in Cooja and save"))
    if faults:
        raise FaultyInput(faults)
    digest = hashlib.sha256(data).hexdigest()
    return Base(stem(path), kinds, simulation.config_dir, simulation, named, digest, scripted)


def _missing(kind: Kind, folder: Path, tree: Path | None, named: str) -> Fault | None:
    """Return the fault of a mote type without its source; a source in an unknown tree may be there.

    A Tmote Sky's may have firmware instead.
    """
    emulated = isinstance(kind.type, MspType)
    try:
        if emulated and any(path.is_file() for path in prebuilt(kind.type, folder, BuildOptions(tree))):
            return None
        if emulated and not kind.type.source:
            firmware = resolve(kind.type.firmware, folder, tree)
            remedy = "correct <firmware>, or bring the file there"
            return Fault(named, kind.line, f"mote type {kind.name}: no firmware {firmware}", remedy)
        source = resolve(kind.type.source, folder, tree)
    except NoSuchThing:
        return None  # planning names the option
    if source.is_file():
        return None
    near = makefiles.nearest(kind.type.source, folder, tree)
    return Fault(
        named,
        kind.line,
        f"mote type {kind.name}: no source {source}",
        f"write {near}, which is there"
        if near
        else "correct <source>, or bring the file there; motes are simulated from source"
        + (" or from the file that <firmware> names" if emulated else ""),
    )


def _source_lines(written: document.Document) -> dict[str, int]:
    lines = {}
    for entry in written.population():
        if isinstance(entry, WrittenType):
            identifier = entry.identifier or f"mtype{entry.number}"
            lines[identifier] = next(
                (part.sourceline or 0 for tag, part in entry.children if tag in ("source", "firmware")),
                entry.named.element.sourceline or 0,
            )
    return lines


def _names(simulation: Simulation) -> list[str]:
    """Return what a scenario calls the mote types: by their sources if these differ, else by identifier."""
    stems = [Path(file_of(mote_type)).stem for mote_type in simulation.mote_types]
    plain = len(set(stems)) == len(stems) and all(re.fullmatch(r"[\w-]+", name) for name in stems)
    return stems if plain else [mote_type.identifier for mote_type in simulation.mote_types]
