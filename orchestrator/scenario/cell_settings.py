# SPDX-License-Identifier: Apache-2.0
"""Checks a cell's settings: its own, else those that the file sets outside the matrix, else the defaults."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from orchestrate_spark.own_code import is_path

from orchestrator.applications import platform
from orchestrator.applications.extension import extensions, spec_of
from orchestrator.applications.find import is_path as is_application_path
from orchestrator.applications.model import Application
from orchestrator.media import declared
from orchestrator.scenario import settings
from orchestrator.scenario.matrix import Draft
from orchestrator.scenario.model import (
    CONTIKI_NG,
    EMBEDDED,
    ApplicationSpec,
    Cell,
    LinkedRadioSpec,
    RadioSpec,
    TopologySpec,
)
from orchestrator.scenario.named import Named
from orchestrator.topology import links as link_file
from orchestrator.topology import own as own_shapes
from orchestrator.topology import positions
from orchestrator.topology.shapes import known_shapes
from orchestrator.vocabulary.document import Node, Scalar, Sequence
from orchestrator.vocabulary.faults import Faults
from orchestrator.vocabulary.parameters import Parameter, by_name, check
from orchestrator.vocabulary.units import short
from orchestrator.words import did_you_mean

_BUILT_IN = Parameter("shape", "choice", choices=tuple(known_shapes()))


@dataclass
class Base:
    """The file's settings outside the matrix.

    `settings`: path -> its line and node. `first_line`: the file's. `used`: paths that some cell knows.
    `doubtful`: paths that a faulty matrix mentions; no second fault says that they are missing.
    """

    settings: Mapping[str, tuple[int, Node]]
    first_line: int
    used: set[str] = field(default_factory=set)
    doubtful: set[str] = field(default_factory=set)

    def line(self, path: str) -> int:
        """Return the line of a setting or section; the file's first line if it isn't written anywhere."""
        return self.settings[path][0] if path in self.settings else self.first_line

    def node(self, path: str) -> Node | None:
        return self.settings.get(path, (0, None))[1]


class CellSettings:
    """The settings of one cell.

    `partial`: these are the base alone, which may lack what axes set. `shown`: the settings as tables show
    them.
    """

    def __init__(self, draft: Draft, base: Base, named: Named, faults: Faults, partial: bool = False):
        self._draft, self._base, self.named, self._faults = draft, base, named, faults
        self._partial = partial
        self._own = {
            ("engine.name" if path == "engine" else path): scalar for path, scalar in draft.settings.items()
        }
        self._bad = False  # whether there is a fault in it (which may have been noted for an earlier cell)
        self.shown: dict[str, Any] = {}

    def cell(self) -> Cell | None:
        """Return the cell, None if a setting is faulty or missing."""
        fixed = {path: self._value(path, declared) for path, declared in settings.FIXED.items()}
        firmware = {
            path: self._value(path, settings.FIRMWARE[path])
            for path in ("firmware.source", "firmware.builder")
            if path in self._own
        }
        topology = self._topology()
        written = self._base.node("firmware.source")
        source = firmware.get("firmware.source") or (
            written.text if isinstance(written, Scalar) else EMBEDDED
        )
        application = self._application(source)
        radio = self._radio(fixed)
        if self._partial or self._bad or topology is None or application is None or radio is None:
            return None
        if topology.shape not in known_shapes():
            topology = self.named.laid_out(topology, radio, self._topology_line)
            if topology is None:
                return None
        if "engine" in self._draft.settings:
            self.shown["engine"] = self.shown["engine.name"]
        has_rules = "engine.rules" in self._own or "engine.rules" in self._base.settings
        return Cell(
            name=self._draft.name,
            settings={},
            topology=topology,
            radio=radio,
            application=application,
            duration_us=fixed["duration"],
            drain_us=fixed["drain"],
            start_delay_us=fixed["start-delay"],
            ruleset=fixed["engine.rules"] if has_rules or fixed["engine.name"] == "embedded" else None,
            engine=fixed["engine.name"],
            trace=fixed["trace"],
            source=firmware.get("firmware.source"),
            builder=firmware.get("firmware.builder"),
        )

    def fault(self, line: int, what: str, remedy: str) -> None:
        """Report a fault of this cell."""
        self._bad = True
        self._faults.add(line, what, remedy)

    def written(self, path: str) -> Node | None:
        """Return the node that sets it: the cell's own, else the base's; None if there is neither."""
        return self._own.get(path) or self._base.node(path)

    def _line(self, path: str) -> int:
        return self._own[path].line if path in self._own else self._base.line(path)

    def _topology_line(self) -> int:
        """Return the line for faults of nodes that can't stand as the settings say."""
        lines = [
            scalar.line
            for path, scalar in self._draft.settings.items()
            if path.startswith(("topology.", "radio."))
        ]
        return lines[0] if lines else self._base.line("topology")

    def _value(self, path: str, declared: Parameter) -> Any:
        """Return the inner value of a setting: the cell's own, else the base's, else the default."""
        node: Node | None = self._own.get(path)
        if node is None and path in self._base.settings:
            self._base.used.add(path)
            node = self._base.node(path)
        value = declared.default
        if node is not None:
            value = check(declared, node, path, self._faults)
            self._bad |= value is None
        elif value is None and not self._partial:
            self._bad = True
            self._missing(path, declared)
        if value is not None:
            self.shown[path] = declared.plain(value)
        return value

    def _missing(self, path: str, declared: Parameter) -> None:
        section, _, name = path.partition(".")
        written = self._base.node(section)
        if path in self._base.doubtful or isinstance(written, Scalar | Sequence):
            return  # said already: the matrix or the section is faulty
        example = f"{section}: {{{name}: ...}}" if name and written is None else f"{name or section}: ..."
        limits = f" ({declared.limits()})" if declared.limits() else ""
        self._faults.add(self._base.line(section), f"no {path}", f"add `{example}`{limits}")

    def _radio(self, fixed: dict[str, Any]) -> RadioSpec | LinkedRadioSpec | None:
        medium, file = fixed["radio.medium"], fixed["radio.links"]
        if medium is None or file is None:
            return None
        if medium == "directed-graph" and not file:
            if not self._partial and "radio.links" not in self._base.doubtful:
                line = (
                    self._own["radio.medium"].line
                    if "radio.medium" in self._own
                    else self._base.line("radio")
                )
                self.fault(line, "the directed graph medium has no links", "add `radio: {links: FILE.csv}`")
            return None
        if (
            "radio.medium" not in self._own and not self._partial
        ):  # one medium for all cells: what is not its own is a mistake
            written = {path for path in (*self._own, *self._base.settings) if path.startswith("radio.")}
            foreign = frozenset().union(*settings.OF_MEDIUM.values()) - settings.OF_MEDIUM[medium]
            for path in sorted(written & foreign):
                self.fault(
                    self._line(path),
                    f"{path} means nothing to the medium {medium}",
                    "remove it, or change radio.medium",
                )
        if medium == "directed-graph":
            links = self.named.rows(file, self.written("radio.links"), link_file.read)
            self._bad |= links is None
            return None if links is None else LinkedRadioSpec(medium, file=file, links=links)
        if medium in declared():
            if self._bad:
                return None
            kind = declared()[medium]
            return kind.radio_spec.of(kind(*(fixed[path] for path in settings.OF_DECLARED[medium])))
        return RadioSpec(
            medium, fixed["radio.range"], fixed["radio.interference"], fixed["radio.tx"], fixed["radio.rx"]
        )

    def _topology(self) -> TopologySpec | None:
        written = self.written("topology.shape")
        name = self._value("topology.shape", _selector(written))
        if name is None:
            return None
        shape = known_shapes().get(name) or self.named.shape(name, written)
        if shape is None:
            self._base.used |= {path for path in self._base.settings if path.startswith("topology.")}
            self._bad = True
            return None
        values = self._parameters("topology", f"the shape {name}", by_name(*shape.parameters))
        if values is not None and name == positions.SHAPE.name:
            nodes = self.named.rows(values["file"], self.written("topology.file"), positions.read)
            if nodes is None:
                self._bad = True
                return None
            values["nodes"] = nodes
        return TopologySpec(name, values) if values is not None else None

    def _application(self, source: str) -> ApplicationSpec | None:
        name = self._value("application.name", Parameter("name", "text"))
        if name is None:
            return None
        app = self.named.application(name, self.written("application.name"))
        if app is None:
            self._base.used |= {path for path in self._base.settings if path.startswith("application.")}
            return None
        values = self._parameters("application", f"the application {name}", app.parameters)
        if values is None:
            return None
        if source == CONTIKI_NG:
            self._of_a_tree(app, values)
        more: dict[str, Any] = {}
        written = _Application(self, app)
        for one in extensions():
            settled = one.settle(app, values, written)
            if settled is None:
                return None
            more |= settled
        kept = platform.kept(app.name, values, app.parameters)
        folder = str(app.file.parent) if is_application_path(name) else ""
        return spec_of(more)(app.name, kept, folder, **more)

    def line_of_parameter(self, parameter: str) -> int:
        """Return the line of an application's parameter, or of the section if it has its default."""
        path = f"application.{parameter}"
        return self._line(path if path in self._own or path in self._base.settings else "application")

    def _of_a_tree(self, app: Application, values: dict[str, Any]) -> None:
        """Fault settings that a Contiki-NG tree's firmware can't have."""
        for name, choices in app.build.items():
            for asked, why in platform.embedded_only(choices[app.parameters[name].show(values[name])]):
                path = f"application.{name}"
                self.fault(
                    self.line_of_parameter(name),
                    f"{path} ({asked}) exists in the embedded Contiki only: {why}",
                    f"use `firmware: {{source: embedded}}`, or another {name}",
                )

    def _parameters(
        self, section: str, owner: str, declared: Mapping[str, Parameter]
    ) -> dict[str, Any] | None:
        """Return the values of all parameters of a shape or application; None after a fault.

        What the base sets for another shape or application than the cell's own is left out.
        """
        values = {name: self._value(f"{section}.{name}", parameter) for name, parameter in declared.items()}
        selector = "shape" if section == "topology" else "name"
        written = {path: scalar.line for path, scalar in self._own.items()}
        if f"{section}.{selector}" not in self._own:
            written |= {path: line for path, (line, _) in self._base.settings.items() if path not in written}
        for path, line in written.items():
            at, _, name = path.partition(".")
            if at == section and name and name != selector and name not in declared:
                self._base.used.add(path)
                self.fault(line, f"{owner} has no parameter {short(name)}", did_you_mean(name, declared))
        return None if self._bad else values


class _Application:
    """A cell's application section, as applications.extension.Written describes it."""

    def __init__(self, settings: CellSettings, app: Application):
        self._settings, self._app = settings, app
        self.folder = settings.named.folder
        self.line, self.fault, self.once = settings.line_of_parameter, settings.fault, settings.named.once

    def rows(self, parameter: str, read: Callable[[Path, str], tuple]) -> tuple | None:
        file = self._settings.written(f"application.{parameter}")
        name = file.text if file is not None else self._app.parameters[parameter].default
        return self._settings.named.rows_of_application(name, file, read, self._app)


def _selector(written: Node | None) -> Parameter:
    """Return the declaration of topology.shape: a path, or one of the known names."""
    if isinstance(written, Scalar) and is_path(written.text):
        return Parameter("shape", "text")
    if isinstance(written, Scalar) and written.text in known_shapes():
        return _BUILT_IN
    return Parameter("shape", "choice", choices=(*known_shapes(), *own_shapes.installed()))
