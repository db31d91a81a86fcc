# SPDX-License-Identifier: Apache-2.0
"""From the file's base and a cell's own settings to a checked Cell."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from orchestrate_spark.own_code import is_path

from orchestrator.applications import place, platform
from orchestrator.applications.find import is_path as is_application_path
from orchestrator.applications.find import load_installed, load_own
from orchestrator.applications.model import Application
from orchestrator.errors import FaultyInput, NoSuchThing
from orchestrator.scenario import settings
from orchestrator.scenario.matrix import Draft
from orchestrator.scenario.model import (
    CONTIKI_NG,
    EMBEDDED,
    FAST,
    HOST,
    TREE_IN_IMAGE,
    ApplicationSpec,
    Cell,
    EngineOptions,
    FirmwareOptions,
    LinkedRadioSpec,
    OwnTopologySpec,
    RadioSpec,
    TopologySpec,
)
from orchestrator.topology import links as link_file
from orchestrator.topology import own as own_shapes
from orchestrator.topology import positions
from orchestrator.topology.shape import Shape
from orchestrator.topology.shapes import SHAPES
from orchestrator.vocabulary.document import Node, Scalar, Sequence
from orchestrator.vocabulary.faults import Faults
from orchestrator.vocabulary.parameters import Parameter, check
from orchestrator.vocabulary.units import short
from orchestrator.words import did_you_mean

_BUILT_IN = Parameter("shape", "choice", choices=tuple(SHAPES))
_MOST_PLACED = 30_000  # motes that validation lays out; beyond, each run is checked when it is planned


def _selector(written: Node | None) -> Parameter:
    """topology.shape: a path, or one of the names that there are."""
    if isinstance(written, Scalar) and is_path(written.text):
        return Parameter("shape", "text")
    if isinstance(written, Scalar) and written.text in SHAPES:
        return _BUILT_IN
    return Parameter("shape", "choice", choices=(*SHAPES, *own_shapes.installed()))


class Resolver:
    """Checks values against their declarations. Faults go to `faults` at the line that set the value."""

    def __init__(self, base: dict[str, tuple[int, Node]], faults: Faults, folder: Path | None, first_line: int):
        self.base, self.faults, self.folder, self.first_line = base, faults, folder, first_line
        self.applications: dict[str, Application | None] = {}
        self.missing: dict[str, str] = {}
        self.files: dict[str, tuple | None] = {}
        self.shapes: dict[str, own_shapes.OwnShape | None] = {}
        self.layouts: dict[tuple, tuple | None] = {}
        self.used: set[str] = set()  # paths of the base that some cell knows
        self.doubtful: set[str] = set()  # paths that a faulty matrix mentions: not complained of as missing
        self.bad = False  # whether the cell at hand has a fault (which may have been noted for an earlier cell)

    # -- what a matrix may name

    def is_path(self, path: str) -> bool:
        """Whether a matrix may set it. Parameters of shapes and applications are checked in their cells."""
        section, _, name = path.partition(".")
        return path in settings.AXES or path == "engine" or (section in ("topology", "application") and bool(name))

    def paths(self) -> list[str]:
        shape = self.base.get("topology.shape", (0, None))[1]
        known = SHAPES.get(shape.text) if isinstance(shape, Scalar) else None
        return [
            "topology.shape",
            *(f"topology.{parameter.name}" for parameter in (known.parameters if known else ())),
            "application.name",
            *(path for path in self.base if path.startswith("application.") and path != "application.name"),
            *settings.AXES,
        ]

    # -- cells

    def check_base(self) -> None:
        """Checks what the file sets outside the matrix, also where every cell sets it anew."""
        self._cell(Draft(), partial=True)

    def cells(self, drafts: list[Draft]) -> list[Cell]:
        varied = dict.fromkeys(path for draft in drafts for path in draft.settings)
        self._unknown_fixed()
        made: list[tuple[Draft, Cell]] = []
        for draft in drafts:
            resolved = self._cell(draft, partial=False)
            if resolved is None:
                continue
            cell, shown = resolved
            own = {path: shown[path] for path in varied if path in shown}
            made.append((draft, replace(cell, settings=own)))
        if not self.doubtful:
            self._place_all(made)
        self._unknown_in_all(set(varied))
        return [cell for _, cell in made]

    def engine_options(self) -> EngineOptions:
        """Where the engine is and what it gets; a path is seen from the scenario's folder."""
        found = self._machine(settings.ENGINE)
        return EngineOptions(path=self._seen(found.get("engine.path")), heap=found.get("engine.heap"),
                             image=found.get("engine.image") or None, plain=bool(found.get("engine.plain")))

    def firmware_options(self, cells: list[Cell]) -> FirmwareOptions:
        """What firmware is made of and where; a tree's path is seen from the scenario's folder. `cells` may have other
        sources and builders."""
        found = self._machine(settings.FIRMWARE)
        tree, time = found.get("firmware.tree"), found.get("firmware.time")
        made = FirmwareOptions(
            source=found.get("firmware.source") or EMBEDDED, builder=found.get("firmware.builder") or HOST,
            image=found.get("firmware.image") or None, tree=tree if tree == TREE_IN_IMAGE else self._seen(tree),
            compile=found.get("firmware.compile") or FAST, memory=found.get("firmware.memory"), seconds=None if time is None else time / 1e6,
        )
        if {cell.builder or made.builder for cell in cells} <= {HOST}:
            for name in ("image", "memory", "time"):
                if path := self.base.get(f"firmware.{name}"):
                    self.faults.add(path[0], f"firmware.{name} is of containers, and the builder is the host", "add `builder: docker`")
        if {cell.source or made.source for cell in cells} <= {EMBEDDED}:
            for name, what in (("tree", "the tree"), ("compile", "it")):
                if path := self.base.get(f"firmware.{name}"):
                    self.faults.add(path[0], f"firmware.{name} means nothing for the embedded Contiki",
                                    f"add `source: contiki-ng`, or leave {what} out")
        return made

    def _machine(self, declared: dict[str, Parameter]) -> dict[str, Any]:
        return {name: check(one, self.base[name][1], name, self.faults) for name, one in declared.items() if name in self.base}

    def _seen(self, path: str | None) -> str | None:
        return str((self.folder or Path()) / Path(path).expanduser()) if path else None

    def _place_all(self, made: list[tuple[Draft, Cell]]) -> None:
        """Lays cells out, those with the largest counts first: where they are too many for all, most faults are there."""

        def size(pair: tuple[Draft, Cell]) -> int:
            return -sum(value for value in pair[1].topology.parameters.values() if type(value) is int)

        placed = 0
        for draft, cell in sorted(made, key=size):
            if placed < _MOST_PLACED:
                placed += self._place(draft, cell)

    def _place(self, draft: Draft, cell: Cell) -> int:
        """Notes what keeps the cell as a whole from being simulated; returns how many motes it has."""
        problems, motes = place.problems(cell)
        for problem in problems:
            sections = ("topology", "radio") if problem.section == "topology" else (problem.section,)
            lines = [scalar.line for path, scalar in draft.settings.items() if path.partition(".")[0] in sections]
            line = lines[0] if lines else self.base.get(problem.section, (self.first_line, None))[0]
            self.faults.add(line, problem.what, problem.remedy)
        return motes

    def _cell(self, draft: Draft, partial: bool) -> tuple[Cell, dict[str, Any]] | None:
        """The cell and its settings as tables show them. `partial`: the base alone, which may lack what axes set."""
        self.bad = False
        own = {("engine.name" if path == "engine" else path): scalar for path, scalar in draft.settings.items()}
        shown: dict[str, Any] = {}
        fixed = {path: self._value(path, declared, own, shown, partial) for path, declared in settings.FIXED.items()}
        firmware = {path: self._value(path, settings.FIRMWARE[path], own, shown, partial)
                    for path in ("firmware.source", "firmware.builder") if path in own}
        topology = self._topology(own, shown, partial)
        source = firmware.get("firmware.source") or (self.base["firmware.source"][1].text if isinstance(
            self.base.get("firmware.source", (0, None))[1], Scalar) else EMBEDDED)
        application = self._application(own, shown, partial, source)
        radio = self._radio(fixed, own, partial)
        if partial or self.bad or topology is None or application is None or radio is None:
            return None
        if topology.shape not in SHAPES:
            topology = self._laid_out(topology, radio, draft)
            if topology is None:
                return None
        if "engine" in draft.settings:
            shown["engine"] = shown["engine.name"]
        written = "engine.rules" in own or "engine.rules" in self.base
        cell = Cell(
            name=draft.name,
            settings={},
            topology=topology,
            radio=radio,
            application=application,
            duration_us=fixed["duration"],
            drain_us=fixed["drain"],
            start_delay_us=fixed["start-delay"],
            ruleset=fixed["engine.rules"] if written or fixed["engine.name"] == "embedded" else None,
            engine=fixed["engine.name"],
            trace=fixed["trace"],
            source=firmware.get("firmware.source"),
            builder=firmware.get("firmware.builder"),
        )
        return cell, shown

    def _value(self, path: str, declared: Parameter, own: dict[str, Scalar], shown: dict, partial: bool) -> Any:
        """The inner value of a setting: the cell's own, else the base's, else the default."""
        node: Node | None = own.get(path)
        if node is None and path in self.base:
            self.used.add(path)
            node = self.base[path][1]
        value = declared.default
        if node is not None:
            value = check(declared, node, path, self.faults)
            self.bad |= value is None
        elif value is None and not partial:
            self.bad = True
            self._missing(path, declared)
        if value is not None:
            shown[path] = declared.plain(value)
        return value

    def _missing(self, path: str, declared: Parameter) -> None:
        section, _, name = path.partition(".")
        line, written = self.base.get(section, (self.first_line, None))
        if path in self.doubtful or isinstance(written, Scalar | Sequence):
            return  # said already: the matrix or the section is faulty
        example = f"{section}: {{{name}: ...}}" if name and written is None else f"{name or section}: ..."
        limits = f" ({declared.limits()})" if declared.limits() else ""
        self.faults.add(line, f"no {path}", f"add `{example}`{limits}")

    def _radio(self, fixed: dict[str, Any], own: dict[str, Scalar], partial: bool) -> RadioSpec | None:
        medium, file = fixed["radio.medium"], fixed["radio.links"]
        if medium is None or file is None:
            return None
        written = {path for path in (*own, *self.base) if path.startswith("radio.")}
        line = own["radio.medium"].line if "radio.medium" in own else self.base.get("radio", (self.first_line, None))[0]
        if medium == "directed-graph" and not file:
            if not partial and "radio.links" not in self.doubtful:
                self.faults.add(line, "the directed graph medium has no links", "add `radio: {links: FILE.csv}`")
                self.bad = True
            return None
        if "radio.medium" not in own and not partial:  # one medium for all cells: what is not its own is a mistake
            foreign = written & ({"radio.range", "radio.interference", "radio.tx", "radio.rx"} if file else set())
            if medium != "directed-graph":
                foreign = written & {"radio.links"}
            for path in sorted(foreign):
                at = own[path].line if path in own else self.base[path][0]
                self.faults.add(at, f"{path} means nothing to the medium {medium}", "remove it, or change radio.medium")
                self.bad = True
        if medium == "directed-graph":
            links = self._file(file, own.get("radio.links") or self.base["radio.links"][1], link_file.read)
            self.bad |= links is None
            return None if links is None else LinkedRadioSpec(medium, file=file, links=links)
        return RadioSpec(medium, fixed["radio.range"], fixed["radio.interference"], fixed["radio.tx"], fixed["radio.rx"])

    def _topology(self, own: dict[str, Scalar], shown: dict, partial: bool) -> TopologySpec | None:
        written = own.get("topology.shape") or self.base.get("topology.shape", (0, None))[1]
        name = self._value("topology.shape", _selector(written), own, shown, partial)
        if name is None:
            return None
        shape = SHAPES.get(name) or self._own_shape(name, written)
        if shape is None:
            self.used |= {path for path in self.base if path.startswith("topology.")}
            self.bad = True
            return None
        declared = {parameter.name: parameter for parameter in shape.parameters}
        values = self._parameters("topology", f"the shape {name}", declared, own, shown, partial)
        if values is not None and name == positions.SHAPE.name:
            nodes = self._file(values["file"], own.get("topology.file") or self.base["topology.file"][1], positions.read)
            if nodes is None:
                self.bad = True
                return None
            values["nodes"] = nodes
        return TopologySpec(name, values) if values is not None else None

    def _application(self, own: dict[str, Scalar], shown: dict, partial: bool, source: str) -> ApplicationSpec | None:
        name = self._value("application.name", Parameter("name", "text"), own, shown, partial)
        if name is None:
            return None
        app = self._descriptor(name, own.get("application.name") or self.base["application.name"][1])
        if app is None:
            self.used |= {path for path in self.base if path.startswith("application.")}
            return None
        values = self._parameters("application", f"the application {name}", app.parameters, own, shown, partial)
        if values is None:
            return None
        if source == CONTIKI_NG:
            self._of_a_tree(app, values, own)
        return ApplicationSpec(app.name, platform.kept(values, app.parameters), str(app.file.parent) if is_application_path(name) else "")

    def _of_a_tree(self, app: Application, values: dict[str, Any], own: dict[str, Scalar]) -> None:
        """What a Contiki-NG tree's firmware can't be."""
        for name, choices in app.build.items():
            for asked, why in platform.embedded_only(choices[app.parameters[name].show(values[name])]):
                path = f"application.{name}"
                line = own[path].line if path in own else self.base.get(path, self.base.get("application", (self.first_line, None)))[0]
                self.bad = True
                self.faults.add(line, f"{path} ({asked}) is of the embedded Contiki: {why}",
                                f"use `firmware: {{source: embedded}}`, or another {name}")

    def _parameters(self, section: str, owner: str, declared, own, shown: dict, partial: bool) -> dict[str, Any] | None:
        """All parameters of a shape or application. What the base sets for another shape or application than the
        cell's own is left out."""
        values = {
            name: self._value(f"{section}.{name}", parameter, own, shown, partial) for name, parameter in declared.items()
        }
        selector = "shape" if section == "topology" else "name"
        changed = f"{section}.{selector}" in own
        written = {path: scalar.line for path, scalar in own.items()}
        if not changed:
            written |= {path: line for path, (line, _) in self.base.items() if path not in written}
        for path, line in written.items():
            at, _, name = path.partition(".")
            if at == section and name and name != selector and name not in declared:
                self.used.add(path)
                self.bad = True
                self.faults.add(line, f"{owner} has no parameter {short(name)}", did_you_mean(name, declared))
        return None if self.bad else values

    def _unknown_in_all(self, varied: set[str]) -> None:
        """Parameters outside the matrix, where only the matrix says which shape or application they are for."""
        for path, (line, _) in self.base.items():
            section, _, name = path.partition(".")
            selector = {"topology": "topology.shape", "application": "application.name"}.get(section)
            if name and selector in varied and selector not in self.base and path not in self.used:
                self.faults.add(line, f"no cell's {section} has a parameter {short(name)}", "remove it, or correct its name")

    def _unknown_fixed(self) -> None:
        for path, (line, _) in self.base.items():
            section, _, name = path.partition(".")
            declared = settings.FIXED | settings.MACHINE
            if section in ("radio", "engine", "firmware") and name and path not in declared:
                known = [other.partition(".")[2] for other in declared if other.startswith(section + ".")]
                self.faults.add(line, f"{section} has no setting {short(name)}", did_you_mean(name, known))

    # -- files

    def _own_shape(self, name: str, node: Node) -> Shape | None:
        """A shape of the user's own, by path or entry point; loading it runs it."""
        if name not in self.shapes:
            self.shapes[name] = None
            try:
                self.shapes[name] = own_shapes.load(name, self.folder or Path())
            except FaultyInput as faulty:
                for fault in faulty.faults:  # without a line in it, the fault is in what was named here
                    what = fault.what if fault.line else f"topology.shape: {fault.file}: {fault.what}"
                    self.faults.add(fault.line or node.line, what, fault.remedy, file=fault.file if fault.line else None)
        found = self.shapes[name]
        return found.shape if found else None

    def _laid_out(self, topology: TopologySpec, radio: RadioSpec, draft: Draft) -> OwnTopologySpec | None:
        own = self.shapes[topology.shape]
        key = (topology.shape, tuple(sorted(topology.parameters.items())), radio.reach)
        if key not in self.layouts:
            self.layouts[key] = None
            try:
                self.layouts[key] = own_shapes.nodes(own, topology.parameters, radio.reach)
            except FaultyInput as faulty:
                self.faults.extend(faulty.faults)
            except ValueError as wrong:
                lines = [scalar.line for path, scalar in draft.settings.items() if path.startswith(("topology.", "radio."))]
                line = lines[0] if lines else self.base.get("topology", (self.first_line, None))[0]
                self.faults.add(line, str(wrong), f"set other parameters of {topology.shape}")
        if self.layouts[key] is None:
            return None
        written = {one.name: one.show(topology.parameters[one.name]) for one in own.shape.parameters}
        return OwnTopologySpec(topology.shape, topology.parameters, own.sha256, self.layouts[key], written)

    def _descriptor(self, name: str, node: Scalar) -> Application | None:
        if name not in self.applications:
            self.applications[name] = None
            try:
                self.applications[name] = load_own(name, self.folder) if is_application_path(name) else load_installed(name)
            except FaultyInput as faulty:
                self.faults.extend(faulty.faults)
            except NoSuchThing as missing:
                self.missing[name] = str(missing)
        if name in self.missing:
            what, _, remedy = self.missing[name].partition("\n")
            self.faults.add(node.line, what, remedy.strip())
        return self.applications[name]

    def _file(self, file: str, node: Scalar, read) -> tuple | None:
        """The rows of a file of positions or links, which lies in the scenario's folder or below it."""
        if file not in self.files:
            self.files[file] = None
            if self.folder is None or Path(file).is_absolute() or not self._inside(self.folder / file):
                remedy = "put it beside the scenario file and write its name, without `..` and `/` in front"
                self.faults.add(node.line, f"the file {short(file)} is not in the scenario's folder", remedy)
            elif not self._is_file(self.folder / file):
                self.faults.add(node.line, f"there is no file {short(file)}", "write its name as seen from the scenario's folder")
            else:
                try:
                    self.files[file] = read(self.folder / file, str(self.folder / file))
                except FaultyInput as faulty:
                    self.faults.extend(faulty.faults)
        return self.files[file]

    def _is_file(self, path: Path) -> bool:
        try:
            return path.is_file()
        except OSError:  # a name that is too long
            return False

    def _inside(self, path: Path) -> bool:
        try:
            return path.resolve().is_relative_to(self.folder.resolve())
        except (OSError, ValueError, RuntimeError):
            return False
