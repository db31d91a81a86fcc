# SPDX-License-Identifier: Apache-2.0
"""Where the motes of a study stand: as a .csc has them, on a shape, or at positions of a file."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from math import ceil, isqrt
from typing import Any

from orchestrator.build.contiki_ng import Tree
from orchestrator.csc.model import Mote
from orchestrator.features.studies import positions
from orchestrator.features.studies.model import Base
from orchestrator.features.studies.nodes import nodes_of
from orchestrator.scenario import settings
from orchestrator.scenario.cell_settings import Base as Written
from orchestrator.scenario.cell_settings import CellSettings
from orchestrator.scenario.matrix import Draft
from orchestrator.scenario.model import RadioSpec, TopologySpec
from orchestrator.scenario.named import Named
from orchestrator.topology import shapes
from orchestrator.topology.model import Node
from orchestrator.topology.positions import Position
from orchestrator.vocabulary.document import Scalar
from orchestrator.vocabulary.faults import Faults
from orchestrator.vocabulary.parameters import INT, Parameter
from orchestrator.vocabulary.units import short
from orchestrator.words import counted

AS_WRITTEN = "placement"  # the shape of motes that stand as the .csc has them
_SPACED = ("topology.rows", "topology.columns")


class PlacedMotes(CellSettings):
    """The settings of one cell of a study, as far as its motes and their places need them."""

    def __init__(
        self,
        draft: Draft,
        base: Written,
        named: Named,
        faults: Faults,
        study: Base,
        tree: Tree | None,
    ):
        super().__init__(draft, base, named, faults)
        self._study, self._tree = study, tree
        self._motes: int | None = None  # how many there are, if all types say so

    # Values

    def _text(self, path: str) -> Scalar | None:
        """Return what is written for a path, as one value; None without it, and after a fault."""
        node = self.written(path)
        if node is None:
            return None
        self._base.used.add(path)
        if not isinstance(node, Scalar):
            self.fault(node.line, f"{path} is not one value", "write one value")
            return None
        self.shown[path] = (
            int(node.text) if INT.fullmatch(node.text) and str(int(node.text)) == node.text else node.text
        )
        return node

    def _fixed(self, path: str) -> Any:
        return self._value(path, settings.FIXED[path])

    def _value(self, path: str, declared: Parameter) -> Any:
        """See CellSettings; how many motes a shape has follows from the mote types, unless it is written."""
        if self._motes and self.written(path) is None:
            derived = self._derived(path)
            if derived is not None:
                self.shown[path] = derived
                return derived
        return super()._value(path, declared)

    def _derived(self, path: str) -> int | None:
        if path == "topology.publishers":
            return self._motes - 1
        if path in _SPACED and all(self.written(other) is None for other in _SPACED):
            columns = isqrt(self._motes - 1) + 1
            return columns if path == "topology.columns" else ceil(self._motes / columns)
        return None

    def _names(self) -> list[str]:
        return [kind.name for kind in self._study.kinds]

    def _below(self, prefix: str) -> dict[str, Scalar]:
        """Return what is written below a path, by the rest of it."""
        paths = dict.fromkeys((*self._base.settings, *self._draft.settings))
        texts = {}
        for path in paths:
            if path.startswith(prefix):
                text = self._text(path)
                if text is not None:
                    texts[path.removeprefix(prefix)] = text
        return texts

    def _kind_names(self) -> dict[str, str]:
        return {kind.type.identifier: kind.name for kind in self._study.kinds}

    # Positions

    def _topology_of(self) -> TopologySpec | None:
        """Return the shape that is written, with the places of its file; None for none."""
        written = [path for path in (*self._own, *self._base.settings) if path.startswith("topology")]
        if not written:
            if self._study.simulation is None:
                self.fault(
                    self._base.line("motes"), "no topology", "add `topology: {shape: grid, spacing: 30 m}`"
                )
            return None
        shape = self._text("topology.shape")
        if shape is not None and shape.text == positions.NAME:
            file = self._value("topology.file", Parameter("file", "file"))
            if file is None:
                self._bad = True
                return None
            rows = self.named.rows(file, self.written("topology.file"), positions.read)
            self._bad |= rows is None
            return None if rows is None else TopologySpec(positions.NAME, {"file": file, "nodes": rows})
        return self._topology()

    def _placed(
        self, topology: TopologySpec | None, radio: RadioSpec, counts: dict[str, int | None]
    ) -> tuple[tuple[Mote, ...], tuple[Node, ...], TopologySpec] | None:
        """Return the motes and nodes where they stand; None after a fault."""
        if topology is None:
            motes = self._as_written(counts)
            if motes is None:
                return None
            return motes, nodes_of(motes, self._kind_names()), TopologySpec(AS_WRITTEN)
        rows = topology.parameters["nodes"] if topology.shape == positions.NAME else None
        if rows is not None:
            places = [(row.x, row.y) for row in rows]
        else:
            if topology.shape not in shapes.known_shapes():
                laid_out = self.named.laid_out(topology, radio, self._topology_line)
                if laid_out is None:
                    return None
                topology = laid_out
            try:
                layout = shapes.layout(topology, radio.reach)
            except ValueError as wrong:
                self.fault(self._topology_line(), str(wrong), "set other parameters of the topology")
                return None
            places = [(node.x, node.y) for node in layout.nodes]
        if rows is not None and any(row.role for row in rows):
            order = self._by_role(rows)
        else:
            order = self._by_count(counts, len(places), topology)
        if order is None:
            return None
        motes = self._on_places(order, places)
        names = [row.name for row in rows] if rows is not None else None
        return motes, nodes_of(motes, self._kind_names(), names), topology

    def _by_role(self, rows: tuple[Position, ...]) -> list[str] | None:
        """Return the mote type of each place, which its role names."""
        for kind in self._study.kinds:
            path = f"motes.{kind.name}.count"
            if self.written(path) is not None:
                self.fault(self._line(path), f"{path}: the roles of the positions say how many", "remove it")
        for role in dict.fromkeys(row.role for row in rows):
            if role not in self._names():
                self.fault(
                    self._topology_line(),
                    f"the positions have the role {short(role)}, which is no mote type",
                    f"the mote types: {', '.join(self._names())}; without the column role they take the "
                    "places in their order",
                )
        return None if self._bad else [row.role for row in rows]

    def _by_count(
        self, counts: dict[str, int | None], places: int, topology: TopologySpec
    ) -> list[str] | None:
        """Return the mote type of each place: types take the places in their order."""
        open_ = [name for name, count in counts.items() if count is None]
        fixed = sum(count for count in counts.values() if count is not None)
        if len(open_) > 1:
            self.fault(
                self._line(f"motes.{open_[1]}.count")
                if self.written(f"motes.{open_[1]}.count")
                else self._base.line("motes"),
                f"the mote types {' and '.join(open_)} have no count",
                "give all of them but one a `count:`; that one takes the other places",
            )
            return None
        if open_:
            counts = counts | {open_[0]: max(0, places - fixed)}
        total = sum(counts.values())
        derived = all(self.written(path) is None for path in _SPACED) and topology.shape == "grid"
        if total > places or (total < places and not derived) or total == 0:
            self.fault(
                self._topology_line(),
                f"the topology {topology.shape} has {counted(places, 'place')} for {counted(total, 'mote')}",
                "change the topology, or the `count:` of a mote type",
            )
            return None
        return [name for name, count in counts.items() for _ in range(count)]

    def _on_places(self, order: list[str], places: list[tuple[float, float]]) -> tuple[Mote, ...]:
        """Return motes of these types at these places, with the ids and other values of the .csc's motes."""
        identifiers = {kind.name: kind.type.identifier for kind in self._study.kinds}
        before = () if self._study.simulation is None else self._study.simulation.motes
        given, ids = self._given(order, before)
        motes = []
        for name, (x, y), mote in zip(order, places, given):
            if mote is None:
                motes.append(Mote(identifiers[name], next(ids), x, y))
            else:
                motes.append(replace(mote, x=x, y=y, z=0.0))
        return tuple(motes)

    def _given(self, order: list[str], before: tuple[Mote, ...]) -> tuple[list[Mote | None], Iterator[int]]:
        """Return for each wanted type the .csc's mote that is it, or None, and ids for the others."""
        waiting = {
            kind.name: deque(mote for mote in before if mote.type_identifier == kind.type.identifier)
            for kind in self._study.kinds
        }
        given = [waiting[name].popleft() if waiting[name] else None for name in order]
        taken = {mote.id for mote in given if mote is not None}
        free = (number for number in range(1, 2**31) if number not in taken)
        return given, free

    def _as_written(self, counts: dict[str, int | None]) -> tuple[Mote, ...] | None:
        """Return the .csc's motes where it has them, without those that are too many of their type."""
        left, seen = [], dict.fromkeys(counts, 0)
        names = self._kind_names()
        for mote in self._study.simulation.motes:
            name = names[mote.type_identifier]
            seen[name] += 1
            if seen[name] <= counts[name]:
                left.append(mote)
        for name, count in counts.items():
            if seen[name] < count:
                self.fault(
                    self._line(f"motes.{name}.count"),
                    f"{self._study.file} has places for {counted(seen[name], 'mote')} of the type {name}, "
                    f"not for {count}",
                    "add `topology: {shape: grid, spacing: 30 m}` or another shape, which places them",
                )
        if not left and not self._bad:
            self.fault(self._base.line("motes"), "no motes are left", "let some type have a count above 0")
        return None if self._bad else tuple(left)
