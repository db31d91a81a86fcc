# SPDX-License-Identifier: Apache-2.0
"""Applies a cell's settings to a study: its medium, positions, motes, builds, script and times."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from math import ceil, isqrt
from pathlib import Path
from typing import Any

from orchestrator.applications import place
from orchestrator.build.contiki_ng import Tree
from orchestrator.csc import mobility, write
from orchestrator.csc.model import (
    DirectedGraph,
    EndScript,
    JavaScript,
    LogDistance,
    LogisticLoss,
    Medium,
    Mote,
    Silent,
    Simulation,
    Udgm,
    UdgmConstantLoss,
)
from orchestrator.csc.mote_type import MoteType
from orchestrator.errors import FaultyInput, Unsupported
from orchestrator.features.studies import commands, positions, scripts
from orchestrator.features.studies.commands import RESERVED, Unfit
from orchestrator.features.studies.model import Base, Kind
from orchestrator.features.studies.mote_types import located
from orchestrator.features.studies.settings import COUNT
from orchestrator.scenario import settings
from orchestrator.scenario.cell_settings import Base as Written
from orchestrator.scenario.cell_settings import CellSettings
from orchestrator.scenario.matrix import Draft
from orchestrator.scenario.model import (
    ApplicationSpec,
    Link,
    LinkedRadioSpec,
    LogDistanceRadioSpec,
    RadioSpec,
    SimulationCell,
    TopologySpec,
)
from orchestrator.scenario.named import Named
from orchestrator.topology import links, shapes
from orchestrator.topology.model import Layout, Node
from orchestrator.topology.positions import Position
from orchestrator.vocabulary import units
from orchestrator.vocabulary.document import Scalar
from orchestrator.vocabulary.faults import Faults
from orchestrator.vocabulary.parameters import INT, Parameter
from orchestrator.vocabulary.units import short
from orchestrator.words import counted

AS_WRITTEN = "placement"  # the shape of motes that stand as the .csc has them
_DURATION = 600_000_000  # us, where neither a script nor the scenario says how long
_MILLISECOND = 1000
_UNIT_DISK = {"range": "range_m", "interference": "interference_m", "tx": "tx_ratio", "rx": "rx_ratio"}
_SPACED = ("topology.rows", "topology.columns")


class StudySettings(CellSettings):
    """The settings of one cell of a study."""

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

    def cell_of(self, varied: Iterable[str]) -> SimulationCell | None:
        """Return the cell, None after a fault; `varied`: the settings of axes."""
        kinds = {kind.name: self._type(kind) for kind in self._study.kinds}
        counts = {kind.name: self._count(kind) for kind in self._study.kinds}
        if not self._bad and None not in counts.values():
            self._motes = sum(counts.values())
        radio = self._radio_of()
        engine, rules = self._fixed("engine.name"), self._fixed("engine.rules")
        delay = self._start_delay()
        script = self._script()
        if self._bad or radio is None or script is None:
            return None
        topology = self._topology_of()
        if self._bad:
            return None
        made = self._placed(topology, radio, counts)
        if made is None:
            return None
        motes, nodes, topology = made
        simulation = self._simulation(motes, nodes, radio, tuple(kinds.values()), delay, script)
        if simulation is None or self._bad:
            return None
        if "engine" in self._draft.settings:
            self.shown["engine"] = self.shown["engine.name"]
        has_rules = self.written("engine.rules") is not None
        return SimulationCell(
            name=self._draft.name,
            settings={path: self.shown[path] for path in varied if path in self.shown},
            topology=topology,
            radio=radio if not isinstance(simulation.medium, LogisticLoss) else _described(simulation, nodes),
            application=ApplicationSpec(self._study.name),
            duration_us=script.timeout_us,
            drain_us=0,
            start_delay_us=delay,
            ruleset=rules if has_rules or engine == "embedded" else None,
            engine=engine,
            trace=False,
            subject=self._subject(),
            nodes=nodes,
            simulation=simulation,
        )

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
        if path in _SPACED and all(self.written(one) is None for one in _SPACED):
            columns = isqrt(self._motes - 1) + 1
            return columns if path == "topology.columns" else ceil(self._motes / columns)
        return None

    def _names(self) -> list[str]:
        return [kind.name for kind in self._study.kinds]

    def _below(self, prefix: str) -> dict[str, Scalar]:
        """Return what is written below a path, by the rest of it."""
        paths = dict.fromkeys((*self._base.settings, *self._draft.settings))
        found = {}
        for path in paths:
            if path.startswith(prefix):
                text = self._text(path)
                if text is not None:
                    found[path.removeprefix(prefix)] = text
        return found

    # Mote types

    def _type(self, kind: Kind) -> MoteType:
        """Return a mote type as this cell builds it."""
        made = kind.type
        source = self._text(f"motes.{kind.name}.source")
        if source is not None and source is not self._base.node(f"motes.{kind.name}.source"):
            made = self._with_source(kind, source)
        elif source is not None and self._study.simulation is not None:
            made = self._with_source(kind, source)
        defines = self._below(f"motes.{kind.name}.defines.")
        variables = self._below(f"motes.{kind.name}.make.")
        for name, value in (*defines.items(), *variables.items()):
            if not commands.NAME.fullmatch(name):
                self.fault(value.line, f"{short(name)} is no name of a macro or variable", "correct it")
        for name, value in variables.items():
            if name in RESERVED:
                self.fault(value.line, f"the make variable {name} can't be set here", RESERVED[name])
        if self._bad:
            return made
        for values, of in ((defines, commands.define), (variables, commands.variable)):
            for name, value in values.items():
                try:
                    of(name, value.text)
                except Unfit as unfit:
                    self.fault(value.line, str(unfit), unfit.remedy)
        if self._bad:
            return made
        texts = [{name: value.text for name, value in given.items()} for given in (defines, variables)]
        return made._replace(commands=commands.changed(made.commands, *texts))

    def _with_source(self, kind: Kind, source: Scalar) -> MoteType:
        found = located(source.text, self._study.folder, self._tree)
        if found is None:
            self.fault(
                source.line, f"mote type {kind.name}: no source {short(source.text)}", "correct its path"
            )
            return kind.type
        before, program = Path(kind.type.source).stem, Path(found).stem
        words = [
            f"{program}.cooja" if word == f"{before}.cooja" else word
            for word in kind.type.commands.split(" ")
        ]
        return kind.type._replace(source=found, commands=" ".join(words))

    def _count(self, kind: Kind) -> int | None:
        path = f"motes.{kind.name}.count"
        if self.written(path) is None:
            return kind.count
        return self._value(path, COUNT)

    # Radio

    def _radio_of(self) -> RadioSpec | None:
        """Return the radio medium: the .csc's with what is written, or the scenario's."""
        base = None if self._study.simulation is None else self._study.simulation.medium
        written = {path for path in (*self._own, *self._base.settings) if path.startswith("radio.")}
        if base is None or "radio.medium" in written:
            return self._radio({path: self._fixed(path) for path in settings.RADIO})
        for path in sorted(written):
            if path not in _has(base):
                self.fault(
                    self._line(path),
                    f"the medium of {self._study.file}, {_name(base)}, has no {path.removeprefix('radio.')}",
                    f"it has {', '.join(one.removeprefix('radio.') for one in _has(base)) or 'no settings'}; "
                    "`radio: {medium: ...}` sets another medium",
                )
        given = {path: self._fixed(path) for path in written if path in _has(base)}
        if self._bad:
            return None
        if "radio.links" in given:
            read = self.named.rows(given["radio.links"], self.written("radio.links"), links.read)
            self._bad |= read is None
            return None if read is None else LinkedRadioSpec(file=given["radio.links"], links=read)
        nodes = _nodes(self._study.simulation.motes, self._kind_names())
        return _with(_described(self._study.simulation, nodes), given)

    def _kind_names(self) -> dict[str, str]:
        return {kind.type.identifier: kind.name for kind in self._study.kinds}

    # Times and script

    def _start_delay(self) -> int:
        base = self._study.simulation
        if base is not None and self.written("start-delay") is None:
            return base.motedelay_us
        return self._fixed("start-delay")

    def _script(self) -> EndScript | JavaScript | None:
        """Return the script, which ends the run after `duration` if that is written."""
        duration = None
        if self.written("duration") is not None or self._study.simulation is None:
            duration = self._fixed("duration")
            if duration is not None and duration % _MILLISECOND:
                self.fault(self._line("duration"), "duration: a script ends at a whole ms", "round it")
        base = self._study.simulation
        if base is None:
            return None if duration is None else EndScript(duration)
        values = {name: value.text for name, value in self._below("script.").items()}
        if self._bad:
            return None
        try:
            return scripts.changed(base.script, duration, values, self._study.file)
        except FaultyInput as faulty:
            for fault in faulty.faults:
                path = f"script.{next(iter(values), '')}"
                self.fault(self._line(path) if values else fault.line, fault.what, fault.remedy)
        except Unsupported as refused:
            self.fault(self._line("script"), str(refused).replace("\n", " "), "set another value")
        return None

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
            return motes, _nodes(motes, self._kind_names()), TopologySpec(AS_WRITTEN)
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
        return motes, _nodes(motes, self._kind_names(), names), topology

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
                f"the topology has {counted(places, 'place')} for {counted(total, 'mote')}",
                "change the topology, or the `count:` of a mote type",
            )
            return None
        return [name for name, count in counts.items() for _ in range(count)]

    def _on_places(self, order: list[str], places: list[tuple[float, float]]) -> tuple[Mote, ...]:
        """Return motes of these types at these places, with the ids and other values of the .csc's motes."""
        identifiers = {kind.name: kind.type.identifier for kind in self._study.kinds}
        known = [] if self._study.simulation is None else list(self._study.simulation.motes)
        kept, ids = self._kept(order, known)
        motes = []
        for name, (x, y), mote in zip(order, places, kept):
            if mote is None:
                motes.append(Mote(identifiers[name], next(ids), x, y))
            else:
                motes.append(replace(mote, x=x, y=y, z=0.0))
        return tuple(motes)

    def _kept(self, order: list[str], known: list[Mote]) -> tuple[list[Mote | None], Iterator[int]]:
        """Return for each wanted type the .csc's mote that is it, or None, and ids for the others."""
        waiting = {
            kind.name: [mote for mote in known if mote.type_identifier == kind.type.identifier]
            for kind in self._study.kinds
        }
        kept = [waiting[name].pop(0) if waiting[name] else None for name in order]
        taken = {mote.id for mote in kept if mote is not None}
        free = (number for number in range(1, 2**31) if number not in taken)
        return kept, free

    def _as_written(self, counts: dict[str, int | None]) -> tuple[Mote, ...] | None:
        """Return the .csc's motes where it has them, without those that are too many of their type."""
        kept, seen = [], dict.fromkeys(counts, 0)
        names = self._kind_names()
        for mote in self._study.simulation.motes:
            name = names[mote.type_identifier]
            seen[name] += 1
            if seen[name] <= counts[name]:
                kept.append(mote)
        for name, count in counts.items():
            if seen[name] < count:
                self.fault(
                    self._line(f"motes.{name}.count"),
                    f"{self._study.file} has places for {counted(seen[name], 'mote')} of the type {name}, "
                    f"not for {count}",
                    "add `topology: {shape: grid, spacing: 30 m}` or another shape, which places them",
                )
        if not kept and not self._bad:
            self.fault(self._base.line("motes"), "no motes are left", "let some type have a count above 0")
        return None if self._bad else tuple(kept)

    # The whole

    def _simulation(
        self,
        motes: tuple[Mote, ...],
        nodes: tuple[Node, ...],
        radio: RadioSpec,
        types: tuple[MoteType, ...],
        delay: int,
        script: EndScript | JavaScript,
    ) -> Simulation | None:
        base = self._study.simulation
        medium = self._medium(base, radio, nodes, motes)
        if medium is None:
            return None
        if base is None:
            made = Simulation(self._study.name, 0, delay, medium, types, motes, script, self._study.folder)
        else:
            moves = tuple(tuple(move for move in one if move.place < len(motes)) for one in base.mobility)
            made = replace(
                base,
                motedelay_us=delay,
                medium=medium,
                mote_types=types,
                motes=motes,
                script=script,
                mobility=tuple(one for one in moves if one),
                notes=self._notes(base),
            )
        try:
            write.write(made, tuple(f"{number}" for number, _ in enumerate(made.mobility)))
            for one in made.mobility:
                mobility.write(one)
        except Unsupported as refused:
            self.fault(self._base.first_line, str(refused), "change the simulation")
            return None
        return made

    def _notes(self, base: Simulation) -> tuple[str, ...]:
        """Return what of the .csc was read past, and how its runs end if it has no script."""
        notes = [note for note in base.notes if "no script" not in note]
        if not self._study.scripted and self.written("duration") is None:
            notes.append(
                f"{self._study.file}: no script: a run ends after {units.show(_DURATION, units.TIME)} of "
                "simulated time; `duration:` in a scenario changes that"
            )
        return tuple(notes)

    def _medium(
        self, base: Simulation | None, radio: RadioSpec, nodes: tuple[Node, ...], motes: tuple[Mote, ...]
    ) -> Medium | None:
        if isinstance(radio, LinkedRadioSpec):
            if base is not None and not radio.file:
                medium = base.medium
                ids = {mote.id for mote in motes}
                gone = sorted({end for edge in medium.edges for end in (edge.source, edge.destination)} - ids)
                if gone:
                    self.fault(
                        self._base.first_line,
                        f"the directed graph of {self._study.file} has edges of motes that are left out: "
                        f"{', '.join(map(str, gone[:10]))}",
                        "give the links of the motes that are there as `radio: {links: FILE.csv}`",
                    )
                    return None
                return medium
            if strangers := links.unknown(radio.links, Layout("", nodes)):
                names = ", ".join(node.name for node in nodes[:10])
                self.fault(
                    self._line("radio.links"),
                    f"the links name {short(strangers[0])}, which is no mote",
                    f"the motes: {names}" + (", ..." if len(nodes) > 10 else ""),
                )
                return None
        if base is not None and self.written("radio.medium") is None:
            if isinstance(base.medium, LogisticLoss):
                return replace(base.medium, transmitting_range=radio.range_m, success_ratio_tx=radio.tx_ratio)
            if isinstance(base.medium, Silent):
                return base.medium
        made = place.medium(radio, Layout("", nodes))
        ids = {mote.id for mote in motes}
        signals = getattr(None if base is None else base.medium, "own_signals", ())
        return replace(made, own_signals=tuple(one for one in signals if one.mote in ids))

    def _subject(self) -> dict[str, Any]:
        """Return what the cell is made of, without places of this machine."""
        made: dict[str, Any] = {
            path: text
            for path, text in sorted(self.shown.items())
            if path.partition(".")[0] in ("motes", "script")
        }
        if self._study.simulation is None:
            return {"motes": [kind.name for kind in self._study.kinds], "settings": made}
        return {"csc": self._study.sha256, "settings": made}


def _nodes(
    motes: tuple[Mote, ...], names: dict[str, str], places: list[str] | None = None
) -> tuple[Node, ...]:
    """Return motes as nodes: called by their type, and by their id where the type has several."""
    many = [mote.type_identifier for mote in motes]
    return tuple(
        Node(
            mote.id,
            places[number]
            if places is not None
            else name
            if many.count(mote.type_identifier) == 1
            else f"{name}-{mote.id}",
            name,
            mote.x,
            mote.y,
        )
        for number, mote in enumerate(motes)
        for name in [names[mote.type_identifier]]
    )


def _has(medium: Medium) -> tuple[str, ...]:
    """Return the settings of the radio that a medium of a .csc has."""
    if isinstance(medium, DirectedGraph):
        return ("radio.links",)
    if isinstance(medium, LogisticLoss):
        return ("radio.range", "radio.tx")
    if isinstance(medium, LogDistance):
        return tuple(sorted(settings.OF_MEDIUM["log-distance"]))
    return ("radio.range", "radio.interference", "radio.tx", "radio.rx") if isinstance(medium, Udgm) else ()


def _name(medium: Medium) -> str:
    return {
        Udgm: "the unit disk graph",
        UdgmConstantLoss: "the unit disk graph with constant loss",
        DirectedGraph: "the directed graph",
        LogisticLoss: "logistic loss",
        LogDistance: "log-distance",
        Silent: "none",
    }[type(medium)]


def _described(simulation: Simulation, nodes: tuple[Node, ...]) -> RadioSpec:
    """Return the medium of a .csc as tables and reports describe one."""
    medium = simulation.medium
    if isinstance(medium, DirectedGraph):
        by_id = {node.mote: node.name for node in nodes}
        known = tuple(
            Link(
                by_id[edge.source],
                by_id[edge.destination],
                edge.ratio,
                edge.signal_dbm,
                edge.lqi,
                edge.delay_us,
                edge.channel,
            )
            for edge in medium.edges
            if edge.source in by_id and edge.destination in by_id
        )
        return LinkedRadioSpec(links=known)
    if isinstance(medium, LogisticLoss):
        reach = medium.transmitting_range
        return RadioSpec("logistic-loss", reach, reach, medium.success_ratio_tx, 1.0)
    if isinstance(medium, LogDistance):
        return LogDistanceRadioSpec.of(medium)
    if isinstance(medium, Silent):
        return RadioSpec("none", 0.0, 0.0, 0.0, 0.0)
    return RadioSpec(
        "udgm-constant-loss" if isinstance(medium, UdgmConstantLoss) else "udgm",
        medium.transmitting_range,
        medium.interference_range,
        medium.success_ratio_tx,
        medium.success_ratio_rx,
    )


def _with(radio: RadioSpec, given: dict[str, Any]) -> RadioSpec:
    """Return the radio with what is written, by the settings' paths."""
    if isinstance(radio, LogDistanceRadioSpec):
        fields = (
            "reference_dbm path_loss_exponent shadowing_db asymmetry_db sensitivity_dbm width_db capture_db"
        ).split()
        names = "reference exponent shadowing asymmetry sensitivity width capture".split()
        values = {
            field: given[f"radio.{name}"]
            for field, name in zip(fields, names, strict=True)
            if f"radio.{name}" in given
        }
        return LogDistanceRadioSpec.of(replace(radio.model, **values))
    return replace(radio, **{_UNIT_DISK[path.removeprefix("radio.")]: value for path, value in given.items()})
