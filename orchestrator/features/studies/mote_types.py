# SPDX-License-Identifier: Apache-2.0
"""Reads the mote types that a scenario names (`motes:`)."""

from __future__ import annotations

import re
from pathlib import Path

from orchestrator.applications.platform import COOJA, SKY
from orchestrator.build.contiki_ng import Tree
from orchestrator.csc import sky
from orchestrator.csc.interfaces import STANDARD_INTERFACES
from orchestrator.csc.mote_type import MoteType, MspType
from orchestrator.features.studies.model import Base, Kind
from orchestrator.features.studies.settings import COUNT, FIRMWARE, PLATFORM, SOURCE
from orchestrator.vocabulary.document import Mapping, Node, Scalar, wrong_kind
from orchestrator.vocabulary.faults import Faults
from orchestrator.vocabulary.parameters import check
from orchestrator.vocabulary.units import short

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,31}", re.ASCII)


def base_of(node: Mapping, folder: Path, tree: Tree | None, faults: Faults) -> Base | None:
    """Return the mote types of a scenario in `folder`; None after a fault."""
    before = len(faults)
    kinds = []
    for key, value in node:
        if "." in key.text:
            continue  # a setting of a type by its path, as a campaign's `set:` writes it
        if not NAME.fullmatch(key.text):
            faults.add(
                key.line,
                f"motes: {short(key.text)} is not a name of a mote type",
                "use a letter, then letters, digits, `-` and `_`, at most 32",
            )
        elif not isinstance(value, Mapping):
            wrong_kind(value, f"motes.{key.text}", "write {source: FILE.c, count: 1}", faults)
        elif (kind := _kind(key, value, folder, tree, faults)) is not None:
            kinds.append(kind)
    identifiers: dict[str, str] = {}
    for kind in kinds:
        other = identifiers.setdefault(kind.type.identifier, kind.name)
        if other != kind.name:
            line = next(key.line for key, _ in node if key.text == kind.name)
            faults.add(line, f"motes: {kind.name} and {other} differ in `-` and `_` alone", "rename one")
    if not node.pairs:
        faults.add(node.line, "motes: no mote types", "write `motes: {root: {source: FILE.c, count: 1}}`")
    if len(faults) > before:
        return None
    name = "+".join(dict.fromkeys(Path(kind.file).stem for kind in kinds))
    return Base(name, tuple(kinds), folder)


def _kind(key: Scalar, node: Mapping, folder: Path, tree: Tree | None, faults: Faults) -> Kind | None:
    platform = node.get("platform")
    chosen = COOJA if platform is None else check(PLATFORM, platform, f"motes.{key.text}.platform", faults)
    firmware = node.get("firmware")
    source = node.get("source")
    if chosen is None:
        return None
    if firmware is not None and source is not None:
        what = f"mote type {key.text}: it has a source, which is built, and firmware, which is not"
        faults.add(firmware.line, what, "remove one of them")
        return None
    if firmware is not None:
        return _prebuilt(key, node, firmware, folder, faults)
    if source is None:
        faults.add(key.line, f"mote type {key.text}: no source", f"add `source: FILE.c` - {SOURCE.help}")
        return None
    text = check(SOURCE, source, f"motes.{key.text}.source", faults)
    if text is None:
        return None
    source_file = located(text, folder, tree)
    if source_file is None:
        where = f"{folder}" + (f" or {tree.folder}" if tree is not None else "")
        remedy = "correct it" if tree else "correct it, or name the Contiki-NG tree with --contiki-ng"
        faults.add(source.line, f"mote type {key.text}: no source {short(text)} in {where}", remedy)
        return None
    return _counted(key, node, mote_type(key.text, source_file, chosen), faults)


def _counted(key: Scalar, node: Mapping, of: MoteType | MspType, faults: Faults) -> Kind | None:
    count = node.get("count")
    number = None
    if count is not None and (number := check(COUNT, count, f"motes.{key.text}.count", faults)) is None:
        return None
    return Kind(key.text, of, number)


def _prebuilt(key: Scalar, node: Mapping, firmware: Node, folder: Path, faults: Faults) -> Kind | None:
    """Return a mote type whose firmware is there."""
    text = check(FIRMWARE, firmware, f"motes.{key.text}.firmware", faults)
    if text is None:
        return None
    file = compiled(text, folder)
    if file is None:
        faults.add(firmware.line, *no_firmware(key.text, text, folder))
        return None
    return _counted(key, node, with_firmware(mote_type(key.text, "", SKY), file), faults)


def compiled(text: str, folder: Path) -> str | None:
    """Return the path of compiled firmware for Tmote Skys; None if it isn't there."""
    path = folder / Path(text).expanduser()
    return str(path.resolve()) if path.suffix == f".{SKY}" and path.is_file() else None


def no_firmware(name: str, text: str, folder: Path) -> tuple[str, str]:
    """Return what is wrong with firmware that `compiled` doesn't find, and a remedy."""
    return (
        f"mote type {name}: no firmware {short(text)} in {folder}",
        f"name a file that ends in .{SKY}, which is built for Tmote Skys",
    )


def with_firmware(of: MspType, file: str) -> MspType:
    """Return a mote type that takes this firmware, so that nothing is built."""
    return of._replace(source="", commands="", firmware=file)


def located(text: str, folder: Path, tree: Tree | None) -> str | None:
    """Return a source as a .csc names it: beside the scenario, else in the tree; None if it isn't there.

    In a tree that isn't known yet it is taken to be there.
    """
    path = Path(text).expanduser()
    if path.suffix != ".c":
        return None
    if tree is not None and path.is_absolute() and path.resolve().is_relative_to(tree.folder):
        path = path.resolve().relative_to(tree.folder)
    if path.is_absolute():
        return str(path.resolve()) if path.is_file() else None
    if (folder / path).is_file():
        source = (folder / path).resolve()
        if tree is None or not source.is_relative_to(tree.folder):
            return str(source)
        path = source.relative_to(tree.folder)
    there = not text.startswith(".") if tree is None else (tree.folder / path).is_file()
    return f"[CONTIKI_DIR]/{path.as_posix()}" if there else None


def mote_type(name: str, source: str, target: str = COOJA) -> MoteType | MspType:
    """Return the mote type of a source, built for this target of make as Cooja proposes it."""
    identifier = name.replace("-", "_")
    commands = f"$(MAKE) -j$(CPUS) {Path(source).stem}.{target} TARGET={target}"
    if target == SKY:
        # What lies built beside the source may be of another source or other settings.
        return sky.usual_type(identifier, name, source, commands)._replace(must_build=bool(source))
    return MoteType(identifier, name, source, commands, STANDARD_INTERFACES)
