# SPDX-License-Identifier: Apache-2.0
"""A cell becomes a simulation: nodes placed, control node added, EEPROM images made, the end of the run set."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from orchestrator.applications import descriptor, eeprom
from orchestrator.applications.course import course
from orchestrator.applications.model import CONFIGURED, Application
from orchestrator.csc.interfaces import STANDARD_INTERFACES
from orchestrator.csc.model import (
    DirectedGraph,
    Edge,
    EndScript,
    Medium,
    Mote,
    MoteType,
    Simulation,
    Udgm,
    UdgmConstantLoss,
)
from orchestrator.errors import Fault, FaultyInput
from orchestrator.scenario.model import Cell, LinkedRadioSpec
from orchestrator.topology import links as measured
from orchestrator.topology import shapes
from orchestrator.topology.connectivity import (
    distance,
    neighbours,
    network,
    next_hops,
    route_hops,
    subscriber,
)
from orchestrator.topology.model import Layout, Node
from orchestrator.vocabulary.parameters import listed
from orchestrator.vocabulary.units import LENGTH, show
from orchestrator.words import did_you_mean

CONTROL_DISTANCE_M = 1.0
_MOST_FAULTS = 100  # of EEPROM fields, counted over motes: as a rule one field is wrong in all of them


@dataclass(frozen=True)
class Problem:
    """What is wrong with a cell as a whole, and the section of the scenario ("topology", "application") it is in."""

    section: str
    what: str
    remedy: str


def application(where: str) -> Application:
    """The descriptor of an application by its name or folder, read once as long as it stays the same."""
    try:
        known = os.stat(descriptor.file(where))
        return _descriptor(where, descriptor.folder(), known.st_mtime_ns, known.st_size)
    except OSError:
        return descriptor.load(where)  # says what is missing


@lru_cache(maxsize=64)
def _descriptor(where: str, folder: Path, changed_ns: int, size: int) -> Application:
    return descriptor.load(where)


def problems(cell: Cell, seed: int = 1) -> tuple[list[Problem], int]:
    """Everything that keeps a cell of valid settings from being simulated, and how many motes it has."""
    app = application(cell.application.where)
    try:
        layout = _layout(cell, app)
    except ValueError as wrong:
        return [Problem("topology", str(wrong), "use smaller numbers")], 0
    found = _links(layout, cell)
    missing = sorted({node.role for node in layout.nodes} - set(app.roles))
    if missing:
        what = f"the application {app.name} has no role {', '.join(missing)}"
        found.append(Problem("topology", what, f"its roles: {', '.join(app.roles)}"))
        return found, len(layout.nodes)
    try:
        images(app, layout, cell, seed)
    except FaultyInput as faulty:
        first = {fault.line: fault for fault in reversed(faulty.faults)}  # of each field, the first mote's
        of_the_layout = {field.line for field in app.eeprom if field.source in eeprom.OF_THE_LAYOUT}
        for fault in first.values():
            section = "topology" if fault.line in of_the_layout else "application"
            found.append(Problem(section, f"{fault.what} ({fault.file}:{fault.line})", fault.remedy))
    return found, len(layout.nodes)


def layout(cell: Cell) -> Layout:
    """The cell's nodes with what they do in it, control node included. Raises FaultyInput if the cell cannot be simulated."""
    app = application(cell.application.where)
    return acting(app, _checked(cell, app), cell.application.parameters)


def acting(app: Application, placed: Layout, parameters: Mapping[str, Any]) -> Layout:
    """The layout with the roles that the application's parameters give (`parts:`), and without next hops where it
    configures none (`routes:`). The EEPROM images are made of the layout as it was placed."""
    values = app.complete(parameters)
    who = {part: set(listed(values[name])) for part, name in app.parts.items()}

    def acts(node: Node) -> Node:
        node = node if app.routes == CONFIGURED else replace(node, parent=0, second=0)
        if not who or node.role == "control":
            return node
        roles = [part for part in ("subscriber", "publisher") if node.name in who.get(part, ())]
        return replace(node, role=(roles or ["relay"])[0], also=roles[1] if len(roles) > 1 else "", dies=node.name in who.get("dies", ()))

    return replace(placed, nodes=tuple(map(acts, placed.nodes)))


def _checked(cell: Cell, app: Application) -> Layout:
    try:
        made = _layout(cell, app)
        faults = [_fault(cell, problem) for problem in _links(made, cell)]
    except ValueError as wrong:
        faults = [_fault(cell, Problem("topology", str(wrong), "use smaller numbers"))]
    if faults:
        raise FaultyInput(faults)
    return made


def simulation(cell: Cell, seed: int, *, source: str | None = None, commands: str | None = None) -> Simulation:
    """The cell with one seed as a .csc's values.

    `source` and `commands` go into the mote type as they are; by default the store's form: the application's C file
    under `firmware/` beside the experiments, and the make call that builds this cell's variant there.
    Raises FaultyInput if the cell cannot be simulated.
    """
    app = application(cell.application.where)
    placed = _checked(cell, app)
    encoded = images(app, placed, cell, seed)
    times = course(app, placed, cell)
    mote_type = MoteType(
        identifier=app.identifier,
        description=app.summary or app.name,
        source=source or f"[CONFIG_DIR]/../../../firmware/{app.name}/{app.name}.c",
        commands=commands or make_call(app, cell),
        interfaces=STANDARD_INTERFACES,
    )
    return Simulation(
        title=f"{app.name} {cell.name}",
        seed=seed,
        motedelay_us=cell.start_delay_us,
        medium=medium(cell, placed),
        mote_types=(mote_type,),
        motes=tuple(
            Mote(app.identifier, node.mote, node.x, node.y, eeprom=image or None)
            for node, image in zip(placed.nodes, encoded, strict=True)
        ),
        script=EndScript(
            timeout_us=times.ends_us,
            success_line=app.success_line,
            fail_line=app.fail_line,
            ends_at_verdict=not times.is_known,
        ),
    )


def medium(cell: Cell, placed: Layout) -> Medium:
    """The radio medium between the layout's motes."""
    radio = cell.radio
    if not isinstance(radio, LinkedRadioSpec):
        kind = UdgmConstantLoss if radio.medium == "udgm-constant-loss" else Udgm
        return kind(radio.range_m, radio.interference_m, radio.tx_ratio, radio.rx_ratio)
    motes = {node.name: node.mote for node in placed.nodes}
    edges = [
        Edge(motes[link.source], motes[link.destination], link.ratio, link.rssi_dbm, link.lqi, link.delay_us, link.channel)
        for link in measured.with_control(radio.links, placed)
    ]
    # Edges of late motes last: Cooja reads them while it still takes the last motes in, and fails if it comes too early.
    return DirectedGraph(tuple(sorted(edges, key=lambda edge: (max(edge.source, edge.destination), edge.source, edge.destination))))


def make_call(app: Application, cell: Cell) -> str:
    """The build command of the cell's firmware, as Cooja runs it in the source's folder."""
    variables = app.variant(cell.application.parameters)
    return " ".join(["$(MAKE) -j$(CPUS)", f"{app.name}.cooja", "TARGET=cooja", *(f"{k}={v}" for k, v in variables.items())])


def images(app: Application, placed: Layout, cell: Cell, seed: int) -> list[bytes]:
    """Each mote's EEPROM image, in the order of the layout's nodes. Raises FaultyInput for what does not fit."""
    times = course(app, placed, cell)
    common = {
        "seed": seed,
        "duration": cell.duration_us,
        "drain": cell.drain_us,
        "begins": times.begins_us if times.is_known else 0,
        "trace": cell.trace,
        "control": next((node.mote for node in placed.nodes if node.role == "control"), 0),
        "subscriber": subscriber(placed).mote,
        "publishers": sum(node.role == "publisher" for node in placed.nodes),
        **{f"parameter.{name}": value for name, value in app.complete(cell.application.parameters).items()},
    }
    routes = _Routes(placed)
    lists = {name: listed(common[f"parameter.{name}"]) for name, declared in app.parameters.items() if declared.type == "motes"}
    faults = _strangers(app, placed, lists)
    made = []
    for node in placed.nodes:
        if len(faults) > _MOST_FAULTS:
            break
        try:
            places = {f"listed.{name}": names.index(node.name) + 1 if node.name in names else 0 for name, names in lists.items()}
            made.append(eeprom.encode(app, common | places | routes.of(node), f"mote {node.mote} ({node.name})"))
        except FaultyInput as faulty:
            faults.extend(faulty.faults)
    if faults:
        raise FaultyInput(faults)
    return made


def _strangers(app: Application, placed: Layout, lists: dict[str, list[str]]) -> list[Fault]:
    """Names in parameters that no node has."""
    known = [node.name for node in placed.nodes]
    fields = {field.source: field.line for field in app.eeprom}
    return [
        Fault(str(app.file), fields.get(f"listed.{name}", 0), f"{name}: there is no {_some(strange)}", did_you_mean(strange[0], known))
        for name, names in lists.items()
        if (strange := [one for one in names if one not in known])
    ]


class _Routes:
    """What a mote's place in the configured topology says: its next hop, children, depth, routes through it."""

    def __init__(self, placed: Layout):
        nodes = network(placed)
        self.root = subscriber(placed).mote
        self.ids = [node.mote for node in placed.nodes]
        self.at = {mote: number for number, mote in enumerate(self.ids)}
        self.depth = route_hops(nodes, self.root)
        self.deepest = max(0, *self.depth.values())
        publishers = [node.mote for node in placed.nodes if node.role == "publisher"]
        self.index = {mote: number for number, mote in enumerate(publishers, 1)}
        self.children: dict[int, list[int]] = {mote: [] for mote in self.ids}
        for node in nodes:
            if node.parent:
                self.children[node.parent].append(node.mote)
        self.through = self._passing(nodes, self.depth, 1)
        self.second_through = dict.fromkeys(self.ids, 0)
        if any(node.topic == 2 for node in nodes):
            others = tuple(replace(node, parent=node.second or node.parent) for node in nodes)
            self.second_through = self._passing(others, route_hops(others, self.root), 2)
            for node in nodes:
                if node.second:
                    self.children[node.second].append(node.mote)

    def _passing(self, nodes: tuple[Node, ...], hops: dict[int, int], topic: int) -> dict[int, int]:
        """mote -> how many of a topic's publishers' routes pass it, itself included."""
        through = dict.fromkeys(self.ids, 0)
        # Children before parents, so that each mote's count is complete when it is added to its next hop's.
        for node in sorted(nodes, key=lambda node: -hops[node.mote]):
            through[node.mote] += node.mote in self.index and node.topic == topic
            if node.parent:
                through[node.parent] += through[node.mote]
        return through

    def of(self, node: Node) -> dict:
        children, at = self.children[node.mote], self.at[node.mote]
        return {
            "role": node.role,
            "id": node.mote,
            "index": self.index.get(node.mote, 0),
            "parent": node.parent,
            "children": children,
            "neighbours": [hop for hop in (node.parent, node.second) if hop] + children,
            "topic": node.topic,
            "second_parent": node.second,
            "second_through": self.second_through[node.mote],
            "publishers_through": self.through[node.mote],
            "depth": max(self.depth.get(node.mote, 0), 0),
            "deepest": self.deepest,
            "motes": self.ids[:at] + self.ids[at + 1 :],  # copied, not filtered: 10,000 motes ask
        }


def _layout(cell: Cell, app: Application) -> Layout:
    return with_control(shapes.layout(cell.topology, cell.radio.reach), app)


def with_control(made: Layout, app: Application) -> Layout:
    """The layout with the control node, if the application wants one and the layout has none."""
    if app.control_node and all(node.role != "control" for node in made.nodes):
        return replace(made, nodes=(*made.nodes, _control(made)))
    return made


def _control(made: Layout) -> Node:
    """The control node: the last id, 1 m beside the subscriber, across the direction to its first neighbour.

    It stands on the other side if some node is there already, so that it never sits on another mote.
    """
    root = subscriber(made)
    first = next(node for node in made.nodes if node.mote != root.mote)
    away = distance(root, first) or 1.0
    across_x, across_y = -(first.y - root.y) / away, (first.x - root.x) / away
    if (across_x, across_y) == (0.0, 0.0):
        across_y = 1.0
    places = [
        (round(root.x + side * across_x * CONTROL_DISTANCE_M, 3), round(root.y + side * across_y * CONTROL_DISTANCE_M, 3))
        for side in (1, -1)
    ]
    taken = {(node.x, node.y) for node in made.nodes}
    x, y = next((place for place in places if place not in taken), places[0])
    return Node(max(node.mote for node in made.nodes) + 1, "C", "control", x + 0.0, y + 0.0)


def _links(made: Layout, cell: Cell) -> list[Problem]:
    """Next hops that are missing or that the radio does not reach.

    UDGM hears at most at the range, and only nearer than the larger of range and interference range.
    """
    if isinstance(cell.radio, LinkedRadioSpec):
        return _measured_links(made, cell.radio)
    by_mote = {node.mote: node for node in made.nodes}
    reach, candidates = cell.radio.range_m, max(cell.radio.range_m, cell.radio.interference_m)
    lost, far = [], []
    for node in network(made):
        if node.role == "subscriber":
            continue
        if not node.parent:
            lost.append(node.name)
            continue
        for hop in next_hops(node):
            away = distance(node, by_mote[hop])
            if away > reach or away >= candidates:
                far.append((away, node.name, by_mote[hop].name))
    found = []
    if lost:
        what = f"at a range of {show(reach, LENGTH)} {_some(lost)} {'has' if len(lost) == 1 else 'have'} no way to the subscriber"
        found.append(Problem("topology", what, "put the nodes nearer together, or raise radio.range"))
    if far:
        away, name, hop = max(far, key=lambda link: link[0])
        more = f" ({len(far)} links are too long)" if len(far) > 1 else ""
        # A link of just the range can be a hair too long in binary numbers, for Cooja as for us: digits as needed.
        exact = f"{away:.3f}" if away - reach > 5e-4 else repr(away)
        edge = "" if away > reach else ", the interference range is not larger"
        what = f"{name} is {exact} m from its next hop {hop}, the range is {show(reach, LENGTH)}{edge}{more}"
        remedy = f"put the nodes nearer together, or set radio.range above {math.ceil(away)} m"
        found.append(Problem("topology", what, remedy))
    return found


def _measured_links(made: Layout, radio: LinkedRadioSpec) -> list[Problem]:
    """The same over measured links: a next hop needs one there and one back."""
    names = {node.mote: node.name for node in made.nodes}
    strangers = measured.unknown(radio.links, made)
    if strangers:
        return [Problem("radio", f"{radio.file} names {_some(strangers)}, which the topology does not have",
                        f"its nodes: {_some(list(names.values()))}")]
    found = []
    lost = [node.name for node in network(made) if node.role != "subscriber" and not node.parent]
    if lost:
        what = f"over the links of {radio.file} {_some(lost)} {'has' if len(lost) == 1 else 'have'} no way to the subscriber"
        found.append(Problem("radio", what, "add links both ways, with a ratio above 0"))
    linked = {mote: {other.mote for other in others} for mote, others in neighbours(network(made), radio.links).items()}
    broken = [(node.name, names[hop]) for node in network(made) for hop in next_hops(node) if hop not in linked[node.mote]]
    if broken:
        name, hop = broken[0]
        more = f" ({len(broken)} next hops lack links)" if len(broken) > 1 else ""
        what = f"{name} and its next hop {hop} have no link both ways in {radio.file}{more}"
        found.append(Problem("radio", what, f"add {name},{hop} and {hop},{name}"))
    return found


def _some(names: list[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def _fault(cell: Cell, problem: Problem) -> Fault:
    return Fault(f"cell {cell.name}", 0, f"{problem.section}: {problem.what}", problem.remedy)
