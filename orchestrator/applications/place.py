# SPDX-License-Identifier: Apache-2.0
"""Prepares a cell's runs: places its nodes once, then makes the deployment of each seed.

It also adds the control node and sets the end.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from orchestrator import feature
from orchestrator.applications import descriptor, eeprom, platform
from orchestrator.applications.course import CellCourse, course
from orchestrator.applications.extension import SettingFault, extensions, with_generated
from orchestrator.applications.model import CONFIGURED, NONE, Application
from orchestrator.applications.platform import COOJA, target
from orchestrator.applications.reach import Problem, unreached
from orchestrator.applications.routes import Routes
from orchestrator.applications.simulated import PlacedSimulation
from orchestrator.csc.model import DirectedGraph, Edge, EndScript, Medium, Udgm, UdgmConstantLoss
from orchestrator.engines.deployment import DeployedMote, Deployment, FirmwareSource, Partners
from orchestrator.errors import Fault, FaultyInput
from orchestrator.media import declared
from orchestrator.scenario.model import Cell, DeclaredRadioSpec, LinkedRadioSpec, RadioSpec, SimulationCell
from orchestrator.topology import links as measured
from orchestrator.topology import shapes
from orchestrator.topology.connectivity import distance, subscriber
from orchestrator.topology.model import Layout, Node
from orchestrator.vocabulary.mote_images import ROOM, table, with_table
from orchestrator.vocabulary.parameters import listed
from orchestrator.words import did_you_mean, first_of

CONTROL_DISTANCE_M = 1.0
_MOST_FAULTS = 100  # of EEPROM fields, counted over motes, because usually one field is wrong in all of them


@dataclass(frozen=True)
class PlacedCell:
    """A cell with its application and its placed nodes (control node included), which all its seeds share."""

    cell: Cell
    application: Application
    layout: Layout

    @cached_property
    def acting(self) -> Layout:
        """The nodes with their roles in this cell."""
        return acting(self.application, self.layout, self.cell.application.parameters)

    @cached_property
    def course(self) -> CellCourse:
        return course(self.application, self.layout, self.cell)

    @cached_property
    def variant(self) -> dict[str, str]:
        """The make variables of the cell's firmware."""
        return self.application.variant(self.cell.application.parameters)

    def images(self, seed: int) -> list[bytes]:
        """Each mote's EEPROM image, in the order of the layout's nodes.

        Raises FaultyInput for what does not fit.
        """
        encoder, motes = self._encoded
        return encoder.seeded(motes, seed)

    def deployment(self, seed: int, *, source: str | None = None, commands: str | None = None) -> Deployment:
        """Return the deployment of one seed. Raises FaultyInput for an image that does not fit.

        `source` and `commands` are the firmware's; by default the store's form: the application's C file
        under `firmware/` beside the experiments, and the make call that builds this cell's variant there.
        """
        app, times = self.application, self.course
        images = self.images(seed)
        command = commands or make_call(app, self.variant)
        if target(self.variant) != COOJA:
            command = with_table(command, _by_mote(self.layout, images))
        return Deployment(
            title=f"{app.name} {self.cell.name}",
            seed=seed,
            start_delay_us=self.cell.start_delay_us,
            medium=self.medium,
            firmware=FirmwareSource(
                app.identifier,
                app.summary or app.name,
                source or f"[CONFIG_DIR]/../../../firmware/{app.name}/{app.name}.c",
                command,
                target(self.variant),
            ),
            motes=tuple(
                DeployedMote(node.mote, node.name, node.role, node.x, node.y, image)
                for node, image in zip(self.acting.nodes, images, strict=True)
            ),
            ends=EndScript(
                timeout_us=times.ends_us,
                success_line=app.success_line,
                fail_line=app.fail_line,
                ends_at_verdict=not times.is_known,
            ),
            partners=self.partners and self.partners.of_seed(seed),
        )

    @cached_property
    def partners(self) -> Partners | None:
        """Return the partners of the motes. Raises FaultyInput for settings that don't go together."""
        kind = self.application.gateways
        if not kind:
            return None
        module = feature.resolve(feature.named("partners")[kind])
        return module.partners(self.application, self.layout, self.cell, self.course)

    @cached_property
    def medium(self) -> Medium:
        """The radio medium between the layout's motes."""
        return medium(self.cell.radio, self.layout)

    @cached_property
    def _routes(self) -> Routes:
        return Routes(self.layout)

    @cached_property
    def _encoded(self) -> tuple[eeprom.Encoder, dict[str, tuple]]:
        """The encoder of the images, and their pieces by mote."""
        app, nodes, times = self.application, self.layout.nodes, self.course
        values = app.complete(self.cell.application.parameters)
        extra = [one.facts(app, self.layout, self.cell, values) for one in extensions()]
        common = {
            "duration": self.cell.duration_us,
            "drain": self.cell.drain_us,
            "begins": times.begins_us if times.is_known else 0,
            "trace": self.cell.trace,
            "control": next((node.mote for node in nodes if node.role == "control"), 0),
            "subscriber": subscriber(self.layout).mote,
            "publishers": sum(node.role == "publisher" for node in nodes),
            **{f"parameter.{name}": value for name, value in values.items()},
            **{name: value for facts in extra for name, value in facts.common.items()},
        }
        lists = {
            name: listed(common[f"parameter.{name}"])
            for name, declared in app.parameters.items()
            if declared.type == "motes"
        }
        faults = _strangers(app, self.layout, lists)
        encoder, made = eeprom.Encoder(app, common), {}
        for node in nodes:
            if len(faults) > _MOST_FAULTS:
                break
            try:
                places = {
                    f"listed.{name}": names.index(node.name) + 1 if node.name in names else 0
                    for name, names in lists.items()
                }
                mote = f"mote {node.mote} ({node.name})"
                more = {name: value for facts in extra for name, value in facts.of_mote(node.mote).items()}
                made[mote] = encoder.parts(places | self._routes.of(node) | more, mote)
            except FaultyInput as faulty:
                faults.extend(faulty.faults)
        if faults:
            raise FaultyInput(faults)
        return encoder, made


def medium(radio: RadioSpec, layout: Layout) -> Medium:
    """Return the radio medium between the motes of a layout."""
    if isinstance(radio, DeclaredRadioSpec):
        return declared()[radio.medium](*radio.numbers())
    if not isinstance(radio, LinkedRadioSpec):
        kind = UdgmConstantLoss if radio.medium == "udgm-constant-loss" else Udgm
        return kind(radio.range_m, radio.interference_m, radio.tx_ratio, radio.rx_ratio)
    motes = {node.name: node.mote for node in layout.nodes}
    edges = [
        Edge(
            motes[link.source],
            motes[link.destination],
            link.ratio,
            link.rssi_dbm,
            link.lqi,
            link.delay_us,
            link.channel,
        )
        for link in measured.with_control(radio.links, layout)
    ]
    # Edges of late motes last: Cooja reads them while it still takes the last motes in, and fails if it comes
    # too early.
    return DirectedGraph(
        tuple(
            sorted(
                edges, key=lambda edge: (max(edge.source, edge.destination), edge.source, edge.destination)
            )
        )
    )


def place(cell: Cell) -> PlacedCell | PlacedSimulation:
    """Places a cell's nodes. Raises FaultyInput if it can't be simulated there (images are made by seed)."""
    if isinstance(cell, SimulationCell):
        return PlacedSimulation(cell)
    app = application(cell)
    try:
        made = with_control(shapes.layout(cell.topology, cell.radio.reach), app)
        faults = [_fault(cell, problem) for problem in unreached(made, cell.radio, app.routes != NONE)]
    except ValueError as wrong:
        faults = [_fault(cell, Problem("topology", str(wrong), "use smaller numbers"))]
    if faults:
        raise FaultyInput(faults)
    return PlacedCell(_with_derived(cell, app, made), app, made)


def application(cell: Cell) -> Application:
    """Return a cell's application, with the files that features generate for its firmware."""
    return with_generated(descriptor.load(cell.application.where), cell.application)


def _with_derived(cell: Cell, app: Application, made: Layout) -> Cell:
    """Return the cell with the parameters that features derive from others. Raises FaultyInput."""
    given = cell.application.parameters
    derived = {name: value for one in extensions() for name, value in one.set_by(app, given, made).items()}
    if not derived:
        return cell
    return replace(cell, application=replace(cell.application, parameters={**given, **derived}))


def problems(cell: Cell) -> tuple[list[Problem], int]:
    """All faults by which a cell with valid settings can't be simulated, and how many motes it has."""
    app = application(cell)
    try:
        layout = with_control(shapes.layout(cell.topology, cell.radio.reach), app)
    except ValueError as wrong:
        return [Problem("topology", str(wrong), "use smaller numbers")], 0
    found = unreached(layout, cell.radio, app.routes != NONE)
    missing = sorted({node.role for node in layout.nodes} - set(app.roles))
    if missing:
        what = f"the application {app.name} has no role {', '.join(missing)}"
        found.append(Problem("topology", what, f"its roles: {', '.join(app.roles)}"))
        return found, len(layout.nodes)
    placed = PlacedCell(cell, app, layout)
    try:
        placed = PlacedCell(_with_derived(cell, app, layout), app, layout)
        _ = placed.partners
    except FaultyInput as faulty:
        found += [_of_application(fault) for fault in faulty.faults]
    found += [
        Problem("application", f"a Tmote Sky can't have {name}: {why}", "leave it out", name)
        for name, why in platform.not_on_sky(placed.variant)
    ]
    found += _not_beside_sky(placed)
    try:
        found += _too_large(placed, placed.images(1))
    except FaultyInput as faulty:
        of_fields = [fault for fault in faulty.faults if fault.line]
        first = {fault.line: fault for fault in reversed(of_fields)}  # of each field, the first mote's
        known = eeprom.sources(app)
        sections = {field.line: known[field.source].section for field in app.eeprom if field.source in known}
        said = {problem.what for problem in found}  # partners are looked at twice
        found += [
            _of_application(fault) for fault in faulty.faults if not fault.line and fault.what not in said
        ]
        for fault in first.values():
            section = sections.get(fault.line, "application")
            found.append(Problem(section, f"{fault.what} ({fault.file}:{fault.line})", fault.remedy))
    return found, len(layout.nodes)


def _not_beside_sky(placed: PlacedCell) -> list[Problem]:
    """Return a problem if something takes part in the run that emulated Tmote Skys can't talk to."""
    if target(placed.variant) == COOJA:
        return []
    try:
        beside = placed.partners
    except FaultyInput:
        return []  # it is reported already
    if beside is None:
        return []
    what = "gateways and modelled networks can't talk to emulated Tmote Skys yet"
    remedy = (
        "leave it out, or choose parameters with which nothing but motes takes part (such as network: radio)"
    )
    return [Problem("application", what, remedy, platform.PLATFORM)]


def _too_large(placed: PlacedCell, made: list[bytes]) -> list[Problem]:
    """Return a problem if a Tmote Sky's firmware has no room for the motes' images."""
    if target(placed.variant) == COOJA:
        return []
    size = len(table(_by_mote(placed.layout, made)))
    if size <= ROOM:
        return []
    what = f"{len(made)} motes' images take {size} bytes of a Tmote Sky's firmware, which has room for {ROOM}"
    return [Problem("topology", what, "use fewer motes")]


def _by_mote(layout: Layout, made: list[bytes]) -> dict[int, bytes]:
    return {node.mote: image for node, image in zip(layout.nodes, made, strict=True)}


def _of_application(fault: Fault) -> Problem:
    setting = fault.setting if isinstance(fault, SettingFault) else ""
    return Problem("application", fault.what, fault.remedy, setting)


def acting(app: Application, placed: Layout, parameters: Mapping[str, Any]) -> Layout:
    """Return the layout with the roles (`parts:`) and the next hops (`routes:`) that the application gives.

    Where it configures no routes there are no next hops. The EEPROM images are made of the layout as it was
    placed.
    """
    values = app.complete(parameters)
    who = {part: set(listed(values[name])) for part, name in app.parts.items()}

    def acts(node: Node) -> Node:
        node = node if app.routes == CONFIGURED else replace(node, parent=0, second=0)
        if not who or node.role == "control":
            return node
        roles = [part for part in ("subscriber", "publisher") if node.name in who.get(part, ())]
        return replace(
            node,
            role=(roles or ["relay"])[0],
            also=roles[1] if len(roles) > 1 else "",
            dies=node.name in who.get("dies", ()),
        )

    return replace(placed, nodes=tuple(map(acts, placed.nodes)))


def make_call(app: Application, variant: Mapping[str, str]) -> str:
    """Return the build command of a variant of the firmware, as Cooja runs it in the source's folder."""
    return " ".join(
        [
            "$(MAKE) -j$(CPUS)",
            f"{app.name}.{target(variant)}",
            *(f"{name}={value}" for name, value in ({"TARGET": target(variant)} | dict(variant)).items()),
        ]
    )


def _strangers(app: Application, placed: Layout, lists: dict[str, list[str]]) -> list[Fault]:
    """Names in parameters that no node has."""
    known = [node.name for node in placed.nodes]
    fields = {field.source: field.line for field in app.eeprom}
    return [
        Fault(
            str(app.file),
            fields.get(f"listed.{name}", 0),
            f"{name}: there is no {first_of(strange, 5)}",
            did_you_mean(strange[0], known),
        )
        for name, names in lists.items()
        if (strange := [one for one in names if one not in known])
    ]


def with_control(made: Layout, app: Application) -> Layout:
    """Return the layout with the control node, if the application wants one and the layout has none."""
    if app.control_node and all(node.role != "control" for node in made.nodes):
        return replace(made, nodes=(*made.nodes, _control(made)))
    return made


def _control(made: Layout) -> Node:
    """Return the control node: the last id, 1 m beside the subscriber, across the way to its neighbour.

    It stands on the other side if a node stands there already, so that it never sits on another mote.
    """
    root = subscriber(made)
    first = next(node for node in made.nodes if node.mote != root.mote)
    away = distance(root, first) or 1.0
    across_x, across_y = -(first.y - root.y) / away, (first.x - root.x) / away
    if (across_x, across_y) == (0.0, 0.0):
        across_y = 1.0
    places = [
        (
            round(root.x + side * across_x * CONTROL_DISTANCE_M, 3),
            round(root.y + side * across_y * CONTROL_DISTANCE_M, 3),
        )
        for side in (1, -1)
    ]
    taken = {(node.x, node.y) for node in made.nodes}
    x, y = next((place for place in places if place not in taken), places[0])
    return Node(max(node.mote for node in made.nodes) + 1, "C", "control", x + 0.0, y + 0.0)


def _fault(cell: Cell, problem: Problem) -> Fault:
    return Fault(f"cell {cell.name}", 0, f"{problem.section}: {problem.what}", problem.remedy)
