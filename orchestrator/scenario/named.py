# SPDX-License-Identifier: Apache-2.0
"""Reads a scenario's files: applications, a user's own topologies, and files of positions and links.

Each is read once, however many cells name it. Its faults are reported at the line that names it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from orchestrator.applications.find import is_path, load_installed, load_own
from orchestrator.applications.model import Application
from orchestrator.errors import FaultyInput, NoSuchThing
from orchestrator.scenario.model import OwnTopologySpec, RadioSpec, TopologySpec
from orchestrator.topology import own as own_shapes
from orchestrator.topology.model import Node as Place
from orchestrator.topology.shape import Shape
from orchestrator.vocabulary.document import Node, Scalar
from orchestrator.vocabulary.faults import Faults
from orchestrator.vocabulary.units import short


class Named:
    """The applications, topologies and files that a scenario names.

    `folder`: the scenario file's, to which paths are relative; None if the scenario is no file.
    """

    def __init__(self, faults: Faults, folder: Path | None):
        self.faults, self.folder = faults, folder
        self._known: dict[tuple, Any] = {}

    def seen(self, path: str | None) -> str | None:
        """Return a path of the scenario's as seen from the working folder; None for none."""
        return str((self.folder or Path()) / Path(path).expanduser()) if path else None

    def application(self, name: str, node: Scalar) -> Application | None:
        """Return an application's descriptor; None after noting that it has faults or is missing."""

        def load() -> Application | NoSuchThing:
            try:
                return load_own(name, self.folder) if is_path(name) else load_installed(name)
            except NoSuchThing as missing:
                return missing

        application_ = self.once(("application", name), load)
        if isinstance(application_, NoSuchThing):
            what, _, remedy = str(application_).partition("\n")
            self.faults.add(node.line, what, remedy.strip())
            return None
        return application_

    def shape(self, name: str, node: Node) -> Shape | None:
        """Load a user's own shape, by path or entry point; this runs it."""

        def load() -> own_shapes.OwnShape | None:
            try:
                return own_shapes.load(name, self.folder or Path())
            except FaultyInput as faulty:
                for fault in faulty.faults:  # without a line in it, the fault is in what was named here
                    what = fault.what if fault.line else f"topology.shape: {fault.file}: {fault.what}"
                    self.faults.add(
                        fault.line or node.line, what, fault.remedy, file=fault.file if fault.line else None
                    )
            return None

        shape_ = self.once(("shape", name), load)
        return shape_.shape if shape_ else None

    def laid_out(
        self, topology: TopologySpec, radio: RadioSpec, line: Callable[[], int]
    ) -> OwnTopologySpec | None:
        """Lay out a topology of a user's own shape; faults in its parameters are reported at `line`."""
        own = self._known["shape", topology.shape]

        def lay_out() -> tuple[Place, ...] | None:
            try:
                return own_shapes.nodes(own, topology.parameters, radio.reach)
            except ValueError as wrong:
                self.faults.add(line(), str(wrong), f"set other parameters of {topology.shape}")
            return None

        nodes = self.once(
            ("layout", topology.shape, *sorted(topology.parameters.items()), radio.reach), lay_out
        )
        if nodes is None:
            return None
        written = {
            parameter.name: parameter.show(topology.parameters[parameter.name])
            for parameter in own.shape.parameters
        }
        return OwnTopologySpec(topology.shape, topology.parameters, own.sha256, nodes, written)

    def rows(self, file: str, node: Scalar, read: Callable[[Path, str], tuple]) -> tuple | None:
        """Return the rows of a file of positions or links, in the scenario's folder or below it."""

        def rows() -> tuple | None:
            if self.folder is None or Path(file).is_absolute() or not self._inside(self.folder / file):
                remedy = "put it beside the scenario file and write its name, without `..` and `/` in front"
                self.faults.add(node.line, f"the file {short(file)} is not in the scenario's folder", remedy)
                return None
            if not self._is_file(self.folder / file):
                remedy = "write its name as seen from the scenario's folder"
                self.faults.add(node.line, f"there is no file {short(file)}", remedy)
                return None
            return read(self.folder / file, str(self.folder / file))

        return self.once(("rows", file), rows)

    def once(self, name: tuple, read: Callable[[], Any]) -> Any:
        """Return what is read for a name; None after its faults, which are noted the first time."""
        if name not in self._known:
            self._known[name] = None
            try:
                self._known[name] = read()
            except FaultyInput as faulty:
                self.faults.extend(faulty.faults)
        return self._known[name]

    def rows_of_application(
        self, file: str, node: Scalar | None, read: Callable[[Path, str], tuple], app: Application
    ) -> tuple | None:
        """Return the rows of a file that an application's parameter names.

        It is in the scenario's folder or below it; if there is none of that name, beside application.yaml.
        """
        beside = app.file.parent / file
        if (
            not (self.folder and self._inside(self.folder / file) and self._is_file(self.folder / file))
            and Path(file).name == file
            and self._is_file(beside)
        ):
            return read(beside, str(beside))
        if node is None:
            raise NoSuchThing(f"{app.file}: there is no file {short(file)} beside it")
        return self.rows(file, node, read)

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
