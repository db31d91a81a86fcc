# SPDX-License-Identifier: Apache-2.0
"""Reads positions from a file beside the scenario: CSV with a head line, or YAML; name, role, x, y[, parent].

`x` and `y` are metres (a unit may be written: "1.5 km"); `parent` names the next hop towards the subscriber,
and where it is empty the next hop is searched over the radio's range. One node has the role subscriber. Mote
ids: the subscriber, publishers, relays, other roles, the control node, each in the file's order.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from orchestrator.topology import csv_rows
from orchestrator.topology.connectivity import routed
from orchestrator.topology.model import Layout, Node
from orchestrator.topology.shape import FAR, MOST_MOTES, Shape, millimetres
from orchestrator.vocabulary import document
from orchestrator.vocabulary.document import Scalar, Sequence
from orchestrator.vocabulary.faults import Faults
from orchestrator.vocabulary.parameters import Parameter, check
from orchestrator.words import did_you_mean

COLUMNS = ("name", "role", "x", "y", "parent")
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,31}", re.ASCII)
ROLE = re.compile(r"[a-z][a-z0-9-]{0,31}", re.ASCII)
_ORDER = ("subscriber", "publisher", "relay")
_COORDINATE = Parameter("coordinate", "length", minimum=-FAR, maximum=FAR)
_BARE = re.compile(r"[+-]?[0-9]{1,9}(\.[0-9]{1,9})?", re.ASCII)


@dataclass(frozen=True)
class Position:
    """One row of the file. `x` and `y` are metres; `parent` is a name or ""."""

    name: str
    role: str
    x: float
    y: float
    parent: str = ""


def read(path: Path, name: str) -> tuple[Position, ...]:
    """Return the rows of a positions file; `name` is what messages call it.

    Raises FaultyInput with every fault.
    """
    faults = Faults(name)
    data = csv_rows.content(path, document.MOST_BYTES, faults)
    text = document.decode(data, faults)
    rows: list[dict[str, Scalar]] = []
    if text is not None:
        rows = (
            _yaml_rows(text, faults) if path.suffix.lower() in (".yaml", ".yml") else _csv_rows(text, faults)
        )
    positions = [position for row in rows if (position := _position(row, faults)) is not None]
    _check_names(rows, faults)
    if text is not None and not len(faults):
        _check_together(positions, rows, faults)
    faults.raise_any()
    return tuple(positions)


def _csv_rows(text: str, faults: Faults) -> list[dict[str, Scalar]]:
    head = "the first line is: name,role,x,y,parent"
    return [
        {"name": Scalar("", line)} | {word: Scalar(field, line) for word, field in row.items()}
        for line, row in csv_rows.rows(text, COLUMNS, 4, "positions", head, faults)
    ]


def _yaml_rows(text: str, faults: Faults) -> list[dict[str, Scalar]]:
    root = document.parse(text, faults)
    if not isinstance(root, Sequence):
        if not len(faults):
            faults.add(
                1,
                "the file is not a list of positions",
                "write lines like `- {name: S, role: subscriber, x: 0 m, y: 0 m}`",
            )
        return []
    rows = []
    for item in root.items:
        if not isinstance(item, document.Mapping):
            faults.add(item.line, "not a position", "write `- {name: P1, role: publisher, x: 5 m, y: 0 m}`")
            continue
        row = {}
        for key, value in item:
            if key.text not in COLUMNS:
                faults.add(key.line, f"{key.text[:40]!r} is unknown", did_you_mean(key.text, COLUMNS))
            elif not isinstance(value, Scalar):
                faults.add(value.line, f"{key.text} is not one value", "write one value")
            else:
                row[key.text] = value
        rows.append({"name": Scalar("", item.line)} | row)
    return rows


def _position(row: dict[str, Scalar], faults: Faults) -> Position | None:
    line, before = row["name"].line, len(faults)
    for word in COLUMNS[:4]:
        if word not in row or row[word].text == "":
            faults.add(line, f"no {word}", "every position has name, role, x and y")
    if len(faults) > before:
        return None
    name, role, parent = row["name"].text, row["role"].text, row.get("parent", Scalar("", line)).text
    if not NAME.fullmatch(name):
        faults.add(
            line,
            f"{name[:40]!r} is not a valid name",
            "a name is a letter, then letters, digits, `_`, `.` and `-`, at most 32",
        )
    if not ROLE.fullmatch(role):
        faults.add(
            line,
            f"{role[:40]!r} is not a role",
            "use subscriber, publisher, relay or a role of the application",
        )
    x, y = (check(_COORDINATE, _with_unit(row[word]), word, faults) for word in ("x", "y"))
    return Position(name, role, x, y, parent) if len(faults) == before else None


def _with_unit(written: Scalar) -> Scalar:
    """Return a coordinate with its unit; a number without a unit is in metres."""
    return Scalar(written.text + " m", written.line) if _BARE.fullmatch(written.text) else written


def _check_names(rows: list[dict[str, Scalar]], faults: Faults) -> None:
    first: dict[str, int] = {}
    for written in (row["name"] for row in rows if row["name"].text):
        if written.text in first:
            faults.add(
                written.line,
                f"{written.text[:40]} appears twice (first in line {first[written.text]})",
                "rename one",
            )
        first.setdefault(written.text, written.line)


def _check_together(positions: list[Position], rows: list[dict[str, Scalar]], faults: Faults) -> None:
    lines = [row["name"].line for row in rows]
    by_name = {position.name: line for position, line in zip(positions, lines, strict=True)}
    parents = {position.name: position.parent for position in positions if position.role != "subscriber"}
    for position, line in zip(positions, lines, strict=True):
        if position.role == "subscriber" and position.parent:
            faults.add(line, "the subscriber has a parent", "leave its parent empty")
        elif position.parent and position.parent not in by_name:
            faults.add(
                line,
                f"parent {position.parent[:40]!r} is not the name of a node in this file",
                did_you_mean(position.parent, by_name),
            )
        elif position.parent and in_circle(position.name, parents):
            faults.add(
                line, f"the parents of {position.name} form a circle", "let them lead to the subscriber"
            )
    for role, most in (("subscriber", 1), ("control", 1)):
        of_role = [line for position, line in zip(positions, lines, strict=True) if position.role == role]
        for line in of_role[most:]:
            faults.add(line, f"a second {role}", f"one node is the {role}")
        if role == "subscriber" and not of_role:
            faults.add(
                lines[0] if lines else 1, "no node is the subscriber", "give one node the role subscriber"
            )
    if not any(position.role == "publisher" for position in positions):
        faults.add(
            lines[0] if lines else 1, "no node is a publisher", "give at least one node the role publisher"
        )
    if len(positions) > MOST_MOTES:
        faults.add(0, f"{len(positions)} nodes", f"at most {MOST_MOTES} are simulated")


def in_circle(node: Hashable, parents: Mapping[Hashable, Hashable]) -> bool:
    """Whether the way from a node by the parents, of which the last one has none, never ends."""
    seen: set[Hashable] = set()
    while (node := parents.get(node)) and node not in seen:
        seen.add(node)
    return bool(node)


def layout(parameters: Mapping[str, Any], range_m: float) -> Layout:
    """Place the nodes of the file; the parameter `nodes` has its rows (Positions), read by the loader."""
    positions: tuple[Position, ...] = parameters["nodes"]

    def place(position: Position) -> int:
        if position.role == "control":
            return len(_ORDER) + 1
        return _ORDER.index(position.role) if position.role in _ORDER else len(_ORDER)

    ordered = sorted(positions, key=place)  # stable: the file's order within a role
    mote = {position.name: number for number, position in enumerate(ordered, 1)}
    nodes = tuple(
        Node(mote[p.name], p.name, p.role, millimetres(p.x), millimetres(p.y), mote.get(p.parent, 0))
        for p in ordered
    )
    return routed(Layout("positions", nodes), range_m)


SHAPE = Shape(
    "positions",
    "from a CSV or YAML file: name,role,x,y[,parent]",
    (Parameter("file", "file", help="the file's name, in the scenario's folder or below it"),),
    layout,
)
