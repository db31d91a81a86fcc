# SPDX-License-Identifier: Apache-2.0
"""A user's own topologies: Python files or entry points that define SHAPE, as the built-in shapes do.

Their layouts are checked, and computed twice: the same parameters must give the same nodes.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from orchestrate_spark import own_code
from orchestrate_spark.errors import FaultyCode
from orchestrate_spark.own_code import Kind, Own

from orchestrator.errors import Fault, FaultyInput
from orchestrator.topology.connectivity import route_hops, routed
from orchestrator.topology.model import Layout, Node
from orchestrator.topology.positions import NAME, ROLE, in_circle
from orchestrator.topology.shape import FAR, MOST_MOTES, Shape, millimetres
from orchestrator.vocabulary.parameters import TYPES, Parameter
from orchestrator.words import counted, first_of

if TYPE_CHECKING:
    from orchestrator.topology.connectivity import Reach

KIND = Kind("topology", "SHAPE", "orchestrate.topologies", "`orchestrate new topology NAME`")
_PARAMETER = re.compile(r"[a-z][a-z0-9-]{0,31}", re.ASCII)
_SHOWN = 5  # names in a message, and faults of nodes that are listed: as a rule all nodes have the same one


@dataclass(frozen=True)
class OwnShape:
    """A user's own shape. `file`: what messages call it. `sha256`: its source's, part of a run's identity."""

    shape: Shape
    file: str
    sha256: str

    @property
    def line(self) -> int:
        """The line where its layout function begins; 0 if that is in another file."""
        code = getattr(self.shape.layout, "__code__", None)
        return code.co_firstlineno if code is not None and code.co_filename == self.file else 0


def is_own(given: str) -> bool:
    """Whether a shape's name can only be that of a user's own shape."""
    return own_code.is_path(given) or given in installed()


def installed() -> list[str]:
    """Return the names of shapes that installed packages offer."""
    return own_code.installed(KIND)


def load(given: str, folder: Path) -> OwnShape:
    """Run the file, whose path is seen from `folder`, or load the entry point.

    Raises FaultyInput with every fault.
    """
    own = own_code.load(KIND, given, folder)
    _check(own)
    return OwnShape(own.value, own.file, own.digest)


def _check(own: Own) -> None:
    shape, flaws = own.value, []

    def flaw(what: str, remedy: str) -> None:
        flaws.append(Fault(own.file, 0, what, remedy))

    if not isinstance(shape, Shape):
        flaw(
            f"SHAPE is of type {type(shape).__name__}",
            "write SHAPE = Shape(name, summary, parameters, layout), of orchestrator.topology.shape",
        )
        raise FaultyCode(flaws)
    if not callable(shape.layout):
        flaw(
            "the shape's layout is not a function",
            "give it a function of (parameters, range_m) that returns a Layout",
        )
    if not isinstance(shape.parameters, tuple) or not all(
        isinstance(one, Parameter) for one in shape.parameters
    ):
        flaw(
            "the shape's parameters are not a tuple of Parameter",
            "write (Parameter('sides', 'int', 6, 3, 100, help='how many'),)",
        )
        raise FaultyCode(flaws)
    names = Counter(one.name for one in shape.parameters)
    for one in shape.parameters:
        if (
            not isinstance(one.name, str)
            or not _PARAMETER.fullmatch(one.name)
            or one.name == "shape"
            or names[one.name] > 1
        ):
            flaw(
                f"{one.name!r} is not a valid name of a parameter, or there twice",
                "use small letters, digits and `-`, each name once, not shape",
            )
        if one.type not in TYPES or one.type == "file":
            flaw(
                f"parameter {one.name} is of type {one.type!r}",
                f"use one of {', '.join(kind for kind in TYPES if kind != 'file')}",
            )
    if flaws:
        raise FaultyCode(flaws)


def nodes(own: OwnShape, parameters: Mapping[str, Any], reach: Reach) -> tuple[Node, ...]:
    """Return the nodes of a shape's layout in mote-id order, with next hops for those that have none.

    Coordinates are cut to whole millimetres. `reach`: the radio's range in metres, or links. Raises
    FaultyInput if the result is no layout or differs between two calls, and ValueError, as every shape does,
    for parameters that do not go together.
    """
    made, again = (
        own_code.guarded(
            own.file,
            "its layout",
            lambda: own.shape.layout(dict(parameters), reach),
            passed=(ValueError,),
            limit_s=own_code.LIMIT_S,
        )
        for _ in range(2)
    )
    faults = [Fault(own.file, own.line, what, remedy) for what, remedy in wrong(made)]
    if not faults and made != again:
        what = "its layout is not the same twice for the same parameters"
        faults = [
            Fault(
                own.file,
                own.line,
                what,
                "draw from random.Random(a parameter of it), nothing from time or the machine",
            )
        ]
    if faults:
        raise FaultyInput(faults)
    ordered = sorted(made.nodes, key=lambda node: node.mote)
    exact = tuple(replace(node, x=millimetres(node.x), y=millimetres(node.y)) for node in ordered)
    return routed(Layout(own.shape.name, exact), reach).nodes


def wrong(made: object) -> list[tuple[str, str]]:
    """Return the faults that keep a function's result from being a layout, each with its remedy."""
    if (
        not isinstance(made, Layout)
        or not isinstance(made.nodes, (tuple, list))
        or not all(isinstance(n, Node) for n in made.nodes)
    ):
        kind = type(made).__name__
        return [
            (
                "its layout gives "
                f"{'a Layout of other things than nodes' if kind == 'Layout' else f'a {kind}, no Layout'}",
                "return Layout(name, (subscriber(), publisher(1, x, y), ...)), of orchestrator.topology",
            )
        ]
    many = made.nodes
    if not 2 <= len(many) <= MOST_MOTES:
        return [
            (
                f"its layout has {counted(len(many), 'node')}",
                f"give a subscriber and at least one publisher, at most {MOST_MOTES} nodes",
            )
        ]
    each = [found for node in many for found in _wrong_node(node)]
    if each:
        more = len(each) - _SHOWN
        return each[:_SHOWN] + (
            [(f"and {more} more faults of its nodes", "mend the first ones")] if more > 0 else []
        )
    return list(_wrong_together(many)) or _wrong_routes(many)


def _wrong_together(many: Sequence[Node]) -> Iterator[tuple[str, str]]:
    """Yield the faults of ids, names and roles of all nodes."""
    ids, names = (Counter(getattr(node, field) for node in many) for field in ("mote", "name"))
    if set(ids) != set(range(1, len(many) + 1)):
        odd = [mote for mote, count in ids.items() if count > 1 or mote > len(many)] or sorted(ids)
        yield (
            f"its mote ids are not 1 to {len(many)}, each once: {first_of(odd, _SHOWN)}",
            "number them without gaps, the subscriber first",
        )
    if twice := [name for name, count in names.items() if count > 1]:
        yield (f"several nodes are called {first_of(twice, _SHOWN)}", "give each a name of its own")
    roles = Counter(node.role for node in many)
    if roles["subscriber"] != 1:
        yield (f"{roles['subscriber']} nodes have the role subscriber", "give it to one node")
    if roles["control"] > 1 or not roles["publisher"]:
        yield (
            "more than one control node, or no publisher",
            "give at least one publisher; applications add a control node themselves",
        )


def _wrong_node(node: Node) -> Iterator[tuple[str, str]]:
    if type(node.mote) is not int or node.mote < 1:
        yield (f"a node has the mote id {node.mote!r}", "ids are whole numbers from 1")
    if not isinstance(node.name, str) or not NAME.fullmatch(node.name):
        yield (
            f"{node.name!r} is not a valid name of a node",
            "a name is a letter, then letters, digits, `_`, `.` and `-`, at most 32",
        )
    if not isinstance(node.role, str) or not ROLE.fullmatch(node.role):
        yield (
            f"node {node.name} has the role {node.role!r}",
            "use subscriber, publisher, relay or a role of the application",
        )
    for axis, value in (("x", node.x), ("y", node.y)):
        if (
            isinstance(value, bool)
            or not isinstance(value, (int, float))
            or not math.isfinite(value)
            or abs(value) > FAR
        ):
            yield (
                f"node {node.name} stands at {axis} = {value!r}",
                f"coordinates are finite metres, at most {FAR:g} from 0",
            )
    if any(type(hop) is not int for hop in (node.parent, node.second)) or node.topic not in (1, 2):
        yield (
            f"node {node.name} has parent {node.parent!r}, second {node.second!r}, topic {node.topic!r}",
            "next hops are mote ids or 0, topics 1 or 2",
        )


def _wrong_routes(many: Sequence[Node]) -> list[tuple[str, str]]:
    ids = {node.mote for node in many}
    strange = [node.name for node in many if not {node.parent, node.second} <= ids | {0}]
    if strange:
        return [
            (
                f"the next hop of {first_of(strange, _SHOWN)} is not a node",
                "name a node's mote id, or 0 to have it searched",
            )
        ]
    root = next(node for node in many if node.role == "subscriber")
    hops, parents = route_hops(tuple(many), root.mote), {node.mote: node.parent for node in many}
    if root.parent or (
        circle := [
            node.name
            for node in many
            if node.parent and hops[node.mote] < 0 and in_circle(node.mote, parents)
        ]
    ):
        where = (
            f"the next hops of {first_of(circle, _SHOWN)} form a circle"
            if not root.parent
            else "the subscriber has a next hop"
        )
        return [(where, "let them lead to the subscriber, which has none")]
    return []
