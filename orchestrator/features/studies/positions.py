# SPDX-License-Identifier: Apache-2.0
"""Reads where the motes of a study stand, from a CSV file: name,x,y, and role for the mote type if wanted.

`x` and `y` are metres unless a unit is written. Without roles, the mote types take the places in their order.
"""

from __future__ import annotations

import re
from pathlib import Path

from orchestrator.topology import csv_rows
from orchestrator.topology.positions import Position
from orchestrator.topology.shape import FAR, MOST_MOTES, millimetres
from orchestrator.vocabulary import document
from orchestrator.vocabulary.document import Scalar
from orchestrator.vocabulary.faults import Faults
from orchestrator.vocabulary.parameters import Parameter, check

NAME = "positions"
COLUMNS = ("name", "x", "y", "role")
HEAD = "the first line is: name,x,y and, if wanted, role with the mote type"
_COORDINATE = Parameter("coordinate", "length", minimum=-FAR, maximum=FAR)
_BARE = re.compile(r"[+-]?[0-9]{1,9}(\.[0-9]{1,9})?", re.ASCII)
_CALLED = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,31}", re.ASCII)


def read(path: Path, name: str) -> tuple[Position, ...]:
    """Return the rows of a file, whose role is a mote type or ""; `name` is what messages call it.

    Raises FaultyInput with every fault.
    """
    faults = Faults(name)
    data = csv_rows.content(path, document.MOST_BYTES, faults)
    text = document.decode(data, faults)
    faults.raise_any()
    positions: list[Position] = []
    first: dict[str, int] = {}
    for line, row in csv_rows.rows(text, COLUMNS, 3, "positions", HEAD, faults):
        place = _place(line, row, faults)
        if place is None:
            continue
        if place.name in first:
            faults.add(line, f"{place.name} appears twice (first in line {first[place.name]})", "rename one")
        first.setdefault(place.name, line)
        positions.append(place)
    roles = {bool(place.role) for place in positions}
    if len(roles) > 1:
        line = next(first[place.name] for place in positions if not place.role)
        faults.add(line, "no role, which other positions have", "give all positions a role, or none")
    if not positions and not len(faults):
        faults.add(1, "the file holds no positions", HEAD)
    if len(positions) > MOST_MOTES:
        faults.add(0, f"{len(positions)} positions", f"at most {MOST_MOTES} motes are simulated")
    faults.raise_any()
    return tuple(positions)


def _place(line: int, row: dict[str, str], faults: Faults) -> Position | None:
    before = len(faults)
    for word in COLUMNS[:3]:
        if not row.get(word):
            faults.add(line, f"no {word}", "every position has name, x and y")
    if len(faults) > before:
        return None
    if not _CALLED.fullmatch(row["name"]):
        faults.add(line, f"{row['name'][:40]!r} is not a valid name", "use letters, digits, `_`, `.` and `-`")
    values = [
        check(
            _COORDINATE, Scalar(row[axis] + (" m" if _BARE.fullmatch(row[axis]) else ""), line), axis, faults
        )
        for axis in ("x", "y")
    ]
    if len(faults) > before:
        return None
    return Position(row["name"], row.get("role", ""), *map(millimetres, values))
