# SPDX-License-Identifier: Apache-2.0
"""Applies a cell's settings to a study: its medium, positions, motes, builds, script and times."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from orchestrator.applications import place
from orchestrator.applications.platform import COOJA, SKY
from orchestrator.csc import mobility, write
from orchestrator.csc.model import (
    EndScript,
    JavaScript,
    LogisticLoss,
    Medium,
    Mote,
    Silent,
    Simulation,
)
from orchestrator.csc.mote_type import MoteType, MspType
from orchestrator.errors import FaultyInput, Unsupported
from orchestrator.features.studies import commands, medium, scripts
from orchestrator.features.studies.commands import RESERVED, Unfit
from orchestrator.features.studies.model import Kind
from orchestrator.features.studies.mote_types import (
    compiled,
    located,
    mote_type,
    no_firmware,
    with_firmware,
)
from orchestrator.features.studies.nodes import nodes_of
from orchestrator.features.studies.placing import PlacedMotes
from orchestrator.features.studies.settings import COUNT, PLATFORM
from orchestrator.scenario import settings
from orchestrator.scenario.model import (
    ApplicationSpec,
    LinkedRadioSpec,
    RadioSpec,
    SimulationCell,
)
from orchestrator.topology import links
from orchestrator.topology.model import Layout, Node
from orchestrator.vocabulary import units
from orchestrator.vocabulary.document import Scalar
from orchestrator.vocabulary.units import short

_DURATION = 600_000_000  # us, where neither a script nor the scenario says how long
_MILLISECOND = 1000


class StudySettings(PlacedMotes):
    """The settings of one cell of a study."""

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
        placed = self._placed(topology, radio, counts)
        if placed is None:
            return None
        motes, nodes, topology = placed
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
            radio=radio
            if not isinstance(simulation.medium, LogisticLoss)
            else medium.described(simulation, nodes),
            application=ApplicationSpec(self._study.name),
            duration_us=script.timeout_us,
            drain_us=0,
            start_delay_us=delay,
            ruleset=rules if has_rules or engine == "embedded" else None,
            record=settings.RECORDS,  # firmware that prints none of our records is measured on the air
            engine=engine,
            trace=False,
            subject=self._subject(),
            nodes=nodes,
            simulation=simulation,
        )

    # Mote types

    def _type(self, kind: Kind) -> MoteType | MspType:
        """Return a mote type as this cell builds it, or with the firmware that is there."""
        written = {field: self._text(f"motes.{kind.name}.{field}") for field in ("source", "firmware")}
        # A mote type of the scenario already has the file that stands outside of the matrix.
        source, firmware = (
            text
            if text is not None
            and (
                self._study.simulation is not None
                or text is not self._base.node(f"motes.{kind.name}.{field}")
            )
            else None
            for field, text in written.items()
        )
        chosen = self._on_platform(kind)
        if source is not None:
            chosen = self._with_source(kind, chosen, source)
        defines = self._below(f"motes.{kind.name}.defines.")
        variables = self._below(f"motes.{kind.name}.make.")
        if firmware is not None:
            chosen = self._with_firmware(kind, chosen, firmware)
        if not chosen.source:
            self._refuse_build(kind, {"source": source} if firmware is not None else {}, defines, variables)
        for name, value in (*defines.items(), *variables.items()):
            if not commands.NAME.fullmatch(name):
                self.fault(value.line, f"{short(name)} is no name of a macro or variable", "correct it")
        for name, value in variables.items():
            if name in RESERVED:
                self.fault(value.line, f"the make variable {name} can't be set here", RESERVED[name])
        if self._bad:
            return chosen
        for values, of in ((defines, commands.define), (variables, commands.variable)):
            for name, value in values.items():
                try:
                    of(name, value.text)
                except Unfit as unfit:
                    self.fault(value.line, str(unfit), unfit.remedy)
        if self._bad or not (defines or variables):
            return chosen
        texts = [{name: value.text for name, value in given.items()} for given in (defines, variables)]
        return _to_build(chosen._replace(commands=commands.changed(chosen.commands, *texts)))

    def _on_platform(self, kind: Kind) -> MoteType | MspType:
        """Return a mote type on the platform that is written."""
        path = f"motes.{kind.name}.platform"
        if self.written(path) is None:
            return kind.type
        if self._study.simulation is not None:
            emulated = isinstance(kind.type, MspType)
            what = f"the mote type {kind.name} of {self._study.file} is one of "
            what += "emulated Tmote Skys" if emulated else "Cooja's motes"
            remedy = "remove `platform`, or name the sources as mote types of the scenario (`motes:`)"
            self.fault(self._line(path), what, remedy)
            return kind.type
        target = self._value(path, PLATFORM)
        if target is None:
            return kind.type
        if kind.type.source:
            return mote_type(kind.name, kind.type.source, target)
        if target != SKY:
            what = f"mote type {kind.name}: compiled firmware is for the platform {SKY}"
            self.fault(self._line(path), what, "remove `platform`, or name a `source:` to build")
        return kind.type

    def _refuse_build(self, kind: Kind, *settings: dict[str, Scalar | None]) -> None:
        """Note faults of settings of a build, of firmware that isn't built."""
        for value in (value for given in settings for value in given.values() if value is not None):
            self.fault(
                value.line,
                f"mote type {kind.name}: its firmware is compiled already, so no setting of a build applies",
                "remove the setting, or name a `source:` to build in place of the firmware",
            )

    def _with_firmware(self, kind: Kind, of: MoteType | MspType, firmware: Scalar) -> MoteType | MspType:
        if not isinstance(of, MspType):
            what = f"mote type {kind.name}: firmware of Cooja's motes is built from its source"
            self.fault(firmware.line, what, "remove `firmware`; a `source:` names another program")
            return of
        # Those of a .csc are beside it, and those of a scenario beside that.
        folder = self._study.folder
        file = compiled(firmware.text, folder)
        if file is None:
            self.fault(firmware.line, *no_firmware(kind.name, firmware.text, folder))
            return of
        return with_firmware(of, file)

    def _with_source(self, kind: Kind, of: MoteType | MspType, source: Scalar) -> MoteType | MspType:
        file = located(source.text, self._study.folder, self._tree)
        if file is None:
            self.fault(
                source.line, f"mote type {kind.name}: no source {short(source.text)}", "correct its path"
            )
            return of
        target = of.target if isinstance(of, MspType) else COOJA
        if not of.source:
            return _to_build(of._replace(source=file, commands=mote_type("", file, target).commands))
        before, program = Path(of.source).stem, Path(file).stem
        words = [
            f"{program}.{target}" if word == f"{before}.{target}" else word for word in of.commands.split(" ")
        ]
        return _to_build(of._replace(source=file, commands=" ".join(words)))

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
        has = medium.has(base)
        for path in sorted(written - {*has}):
            named = ", ".join(setting.removeprefix("radio.") for setting in has) or "no settings"
            self.fault(
                self._line(path),
                f"the medium of {self._study.file}, {medium.name(base)}, has no {path[6:]}",
                f"it has {named}; `radio: {{medium: ...}}` sets another medium",
            )
        given = {path: self._fixed(path) for path in written if path in has}
        if self._bad:
            return None
        if "radio.links" in given:
            read = self.named.rows(given["radio.links"], self.written("radio.links"), links.read)
            self._bad |= read is None
            return None if read is None else LinkedRadioSpec(file=given["radio.links"], links=read)
        nodes = nodes_of(self._study.simulation.motes, self._kind_names())
        return medium.changed(medium.described(self._study.simulation, nodes), given)

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
        carrier = self._medium(base, radio, nodes, motes)
        if carrier is None:
            return None
        if base is None:
            simulation = Simulation(
                self._study.name, 0, delay, carrier, types, motes, script, self._study.folder
            )
        else:
            courses = (tuple(move for move in moves if move.place < len(motes)) for moves in base.mobility)
            simulation = replace(
                base,
                motedelay_us=delay,
                medium=carrier,
                mote_types=types,
                motes=motes,
                script=script,
                mobility=tuple(course for course in courses if course),
                notes=self._notes(base),
            )
        try:
            write.write(simulation, tuple(f"{number}" for number, _ in enumerate(simulation.mobility)))
            for course in simulation.mobility:
                mobility.write(course)
        except Unsupported as refused:
            self.fault(self._base.first_line, str(refused), "change the simulation")
            return None
        return simulation

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
                ids = {mote.id for mote in motes}
                gone = sorted(
                    {end for edge in base.medium.edges for end in (edge.source, edge.destination)} - ids
                )
                if gone:
                    self.fault(
                        self._base.first_line,
                        f"the directed graph of {self._study.file} has edges of motes that are left out: "
                        f"{', '.join(map(str, gone[:10]))}",
                        "give the links of the motes that are there as `radio: {links: FILE.csv}`",
                    )
                    return None
                return base.medium
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
        carrier = place.medium(radio, Layout("", nodes))
        ids = {mote.id for mote in motes}
        signals = getattr(None if base is None else base.medium, "own_signals", ())
        return replace(carrier, own_signals=tuple(signal for signal in signals if signal.mote in ids))

    def _subject(self) -> dict[str, Any]:
        """Return what the cell is made of, without places of this machine."""
        written: dict[str, Any] = {
            path: text
            for path, text in sorted(self.shown.items())
            if path.partition(".")[0] in ("motes", "script")
        }
        if self._study.simulation is None:
            return {"motes": [kind.name for kind in self._study.kinds], "settings": written}
        return {"csc": self._study.sha256, "settings": written}


def _to_build(of: MoteType | MspType) -> MoteType | MspType:
    """Return a mote type whose firmware is built even where some is there."""
    return of._replace(firmware="", must_build=True) if isinstance(of, MspType) else of
