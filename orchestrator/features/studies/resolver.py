# SPDX-License-Identifier: Apache-2.0
"""Makes the cells of a scenario that simulates a .csc (`simulation:`) or named mote types (`motes:`)."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from orchestrator.build import contiki_ng
from orchestrator.build.contiki_ng import Tree
from orchestrator.csc import makefiles
from orchestrator.csc.mote_type import MspType
from orchestrator.errors import FaultyInput, NoSuchThing, Unsupported
from orchestrator.features.studies import csc_base
from orchestrator.features.studies import starter as starters
from orchestrator.features.studies.cell import StudySettings
from orchestrator.features.studies.model import Base
from orchestrator.features.studies.mote_types import base_of
from orchestrator.features.studies.scripts import variables
from orchestrator.features.studies.settings import FIELDS, split
from orchestrator.scenario import settings
from orchestrator.scenario.matrix import Draft
from orchestrator.scenario.model import CONTIKI_NG, TREE_IN_IMAGE, Cell, FirmwareOptions
from orchestrator.scenario.resolve import Resolver
from orchestrator.vocabulary.document import Mapping, Node, Scalar, wrong_kind
from orchestrator.vocabulary.faults import Faults
from orchestrator.vocabulary.units import short
from orchestrator.words import did_you_mean

_FORMS = {
    "simulation": "write `simulation: {csc: FILE.csc}`",
    "motes": "write `motes: {root: {source: FILE.c, count: 1}}`",
    "script": "write `script: {VARIABLE: value}`",
}
_SECTIONS = tuple(_FORMS)
_FOREIGN = {
    "application": "the motes run the firmware of `simulation:` or `motes:`",
    "drain": "the run ends after `duration`",
    "trace": "only firmware of orchestrate's applications prints a trace",
}


def of_csc(path: Path) -> str:
    """Return the text of the scenario that stands for a .csc. Raises NoSuchThing or FaultyInput."""
    return csc_base.scenario(path)


def schema() -> dict[str, dict[str, Any]]:
    """Return the JSON Schema of the scenario's keys that are this feature's."""
    from orchestrator.features.studies.schema import schema as schemas

    return schemas()


def starter(path: Path, experiment: str, folder: Path, tree: str | None = None) -> str:
    """Return the text of a scenario in `folder` with everything of a .csc that may vary, as comments.

    Raises NoSuchThing, Unsupported and FaultyInput.
    """
    root = _around(path.resolve().parent) if tree is None else contiki_ng.tree(tree)
    base = csc_base.base(path, str(path), root)
    return starters.text(base, experiment, os.path.relpath(path, folder))


def name_of(path: Path) -> str:
    """Return the name that an experiment with a .csc gets."""
    return csc_base.experiment(path)


def _around(folder: Path) -> Tree | None:
    """Return the Contiki-NG tree of $CONTIKI_NG, else the one round a folder or round where one works."""
    named = contiki_ng.tree(None)
    around = (folder, *folder.parents, Path.cwd(), *Path.cwd().parents)
    root = next((parent for parent in around if (parent / makefiles.BUILD_RULES).is_file()), None)
    return named if named is not None or root is None else contiki_ng.tree(root)


def resolver(
    root: Mapping, base: dict[str, tuple[int, Node]], faults: Faults, folder: Path | None, tree: str | None
) -> StudyResolver:
    """Return what makes the cells; `tree`: the Contiki-NG tree in place of the scenario's."""
    return StudyResolver(root, base, faults, folder, tree)


class StudyResolver(Resolver):
    """A Resolver whose cells are whole simulations."""

    def __init__(
        self,
        root: Mapping,
        base: dict[str, tuple[int, Node]],
        faults: Faults,
        folder: Path | None,
        tree: str | None,
    ):
        flat = {path: value for path, value in base.items() if path not in _SECTIONS}
        for section in _SECTIONS:
            node = root.get(section)
            if isinstance(node, Mapping):
                flat |= _flat(section, node)
            elif node is not None:
                wrong_kind(node, section, _FORMS[section], faults)
        super().__init__(flat, faults, folder, root.line)
        self._root, self._folder = root, (folder or Path()).resolve()
        self._refuse_foreign()
        self._tree = self._found_tree(tree)
        self._study = self._read()

    def paths(self) -> list[str]:
        """See Resolver."""
        paths = ["topology.shape", *settings.AXES]
        if self._study is not None:
            for kind in self._study.kinds:
                paths += [f"motes.{kind.name}.{field}" for field in FIELDS]
            if self._study.simulation is not None:
                paths += [f"script.{name}" for name in variables(self._study.simulation.script)]
        return paths

    def check_base(self) -> None:
        """Do nothing: what no cell uses is checked in no cell."""

    def cells(self, drafts: list[Draft]) -> list[Cell]:
        """See Resolver."""
        self._unknown_fixed()
        if self._study is None or not self._known(drafts):
            return []
        varied = dict.fromkeys(path for draft in drafts for path in draft.settings)
        cells = []
        for draft in drafts:
            read = StudySettings(draft, self.base, self._named, self._faults, self._study, self._tree)
            cell = read.cell_of(varied)
            if cell is not None:
                cells.append(cell)
        return cells

    def firmware_options(self, drafts: list[Draft]) -> FirmwareOptions:
        """See Resolver; the firmware is that of a Contiki-NG tree."""
        node = self.base.node("firmware.source")
        if isinstance(node, Scalar) and node.text != CONTIKI_NG:
            self._faults.add(
                node.line,
                "firmware.source: the firmware is built as the .csc or the mote type says",
                "remove the line",
            )
        node = self.base.node("firmware.compile")
        kinds = () if self._study is None else self._study.kinds
        if isinstance(node, Scalar) and kinds and all(isinstance(kind.type, MspType) for kind in kinds):
            what = "firmware.compile: only the firmware of Cooja's motes is compiled our way"
            self._faults.add(node.line, what, "remove the line: emulated Tmote Skys have their own compiler")
        options = replace(super().firmware_options(drafts), source=CONTIKI_NG)
        return options if self._tree is None else replace(options, tree=str(self._tree.folder))

    def _written(self, path: str, default: str, drafts: list[Draft]) -> set[str]:
        default = CONTIKI_NG if path == "firmware.source" else default
        return super()._written(path, default, drafts)

    def _refuse_foreign(self) -> None:
        for key, _ in self._root:
            if key.text in _FOREIGN:
                what = f"{key.text} does not apply to a simulation of a .csc or of mote types"
                self._faults.add(key.line, what, f"remove it: {_FOREIGN[key.text]}")

    def _found_tree(self, named: str | None) -> Tree | None:
        """Return the tree in which sources and script files are looked for: named, or round the scenario.

        None if there is none.
        """
        node = self.base.node("firmware.tree")
        written = node.text if isinstance(node, Scalar) and node.text != TREE_IN_IMAGE else None
        try:
            tree = contiki_ng.tree(named or self._named.seen(written))
        except NoSuchThing as missing:
            if named or written is None:
                raise
            what, _, remedy = str(missing).partition("\n")
            self._faults.add(node.line, what, remedy.strip())
            return None
        return _around(self._folder) if tree is None else tree

    def _read(self) -> Base | None:
        csc = self.base.node("simulation.csc")
        if self._root.get("simulation") is None:
            if not isinstance(self._root.get("motes"), Mapping):
                if self._root.get("motes") is None:
                    line = next(iter(self._root))[0].line
                    self._faults.add(
                        line, "no simulation", "add `simulation: {csc: FILE.csc}`, or mote types as `motes:`"
                    )
                return None
            return base_of(self._root.get("motes"), self._folder, self._tree, self._faults)
        if not isinstance(csc, Scalar) or not csc.text:
            if isinstance(self._root.get("simulation"), Mapping):
                self._faults.add(
                    self.base.line("simulation"), "simulation: no csc", "write `simulation: {csc: FILE.csc}`"
                )
            return None
        path = Path(os.path.normpath(self._folder / csc.text))
        given = Path(self._faults.file)
        named = str(given.parent / csc.text) if given.suffix else str(path)
        try:
            return csc_base.base(path, named, self._tree)
        except FaultyInput as faulty:
            for fault in faulty.faults:
                self._faults.add(fault.line, fault.what, fault.remedy, _as_named(fault.file, path, named))
        except NoSuchThing as missing:
            self._faults.add(csc.line, str(missing), "write its path as seen from the scenario's folder")
        except Unsupported as refused:
            raise Unsupported(str(refused).replace(str(path), named)) from None
        return None

    def _known(self, drafts: list[Draft]) -> bool:
        """Note settings of things that the simulation doesn't have; return whether there are none."""
        before = len(self._faults)
        written = {path: line for path, (line, _) in self.base.settings.items()}
        for draft in drafts:
            written |= {path: scalar.line for path, scalar in draft.settings.items()}
        for path, line in written.items():
            section = path.partition(".")[0]
            if section == "simulation" and path not in ("simulation", "simulation.csc"):
                self._faults.add(line, f"{short(path)} is not a setting", "a simulation has one: csc")
            elif (
                section == "simulation"
                and path == "simulation.csc"
                and any(path in draft.settings for draft in drafts)
            ):
                self._faults.add(line, "simulation.csc can't be an axis", "make a scenario for each .csc")
            elif section == "motes" and path != "motes":
                self._check_motes(path, line)
            elif section == "script" and path != "script":
                self._check_script(path, line)
        return len(self._faults) == before

    def _check_motes(self, path: str, line: int) -> None:
        names = [kind.name for kind in self._study.kinds]
        setting = split(path, names)
        where = self._study.file or "the scenario"
        if setting is None:
            name = path.split(".")[1]
            self._faults.add(
                line,
                f"{where} has no mote type {short(name)}",
                did_you_mean(name, names),
            )
        elif setting.field and not setting.known:
            self._faults.add(
                line,
                f"{short(path)}: a mote type has no {short(setting.field)}",
                f"it has {', '.join(FIELDS)}",
            )

    def _check_script(self, path: str, line: int) -> None:
        name = path.partition(".")[2]
        simulation = self._study.simulation
        if simulation is None:
            self._faults.add(line, f"{short(path)}: mote types of a scenario have no script", "remove it")
            return
        there = variables(simulation.script)
        if name not in there:
            remedy = did_you_mean(name, there) if there else "it sets no variable at the beginning of a line"
            self._faults.add(line, f"the script of {self._study.file} sets no variable {short(name)}", remedy)


def _as_named(file: str, path: Path, named: str) -> str:
    return named if file == str(path) else file


def _flat(prefix: str, node: Mapping) -> dict[str, tuple[int, Node]]:
    """Return the settings of a section by their paths, with the lines of their keys."""
    flat: dict[str, tuple[int, Node]] = {prefix: (node.line, node)}
    for key, value in node:
        path = f"{prefix}.{key.text}"
        if isinstance(value, Mapping):
            flat |= _flat(path, value)
        else:
            flat[path] = (key.line, value)
    return flat
