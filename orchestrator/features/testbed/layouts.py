# SPDX-License-Identifier: Apache-2.0
"""Reads the layouts of an inventory: which motes take part, and where they stand on boards side by side."""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Mapping as Named

from orchestrate_testbed.model import Board, LabLayout, Mote, Spot

from orchestrator.features.testbed import settings
from orchestrator.features.testbed.fields import entries, lengths
from orchestrator.vocabulary.document import Mapping, Node, Scalar, Sequence, wrong_kind
from orchestrator.vocabulary.faults import Faults
from orchestrator.vocabulary.fields import known_keys, named
from orchestrator.vocabulary.units import short
from orchestrator.words import did_you_mean

ALL = "all"  # the layout that every inventory has: all motes but spares
_COMMA = re.compile(r"\s*,\s*")


def layouts(
    root: Mapping, boards: Named[str, Board], motes: Named[str, Mote], faults: Faults
) -> Iterator[LabLayout]:
    """Yield the layouts of a file, and `all`, which has its boards in one row."""
    yield from (
        _Reader(name, node, boards, motes, faults).layout()
        for name, node in entries(root, "layouts", settings.MOST_GATEWAYS, faults)
    )
    section = root.get("layouts")
    if isinstance(section, Mapping) and section.get(ALL) is not None:
        return
    spots = [spot for spot in _in_rows([list(boards.values())], motes) if not motes[spot.mote].spare]
    loose = [
        Spot(mote.name, mote.x, mote.y) for mote in motes.values() if mote.board is None and not mote.spare
    ]
    yield LabLayout(ALL, (*spots, *loose))


def _in_rows(rows: list[list[Board]], motes: Named[str, Mote]) -> Iterator[Spot]:
    """Return the places of motes on boards that lie side by side, in the order of each board's places."""
    by_board: dict[str, list[Mote]] = {}
    for mote in motes.values():
        if mote.board is not None and mote.place is not None:
            by_board.setdefault(mote.board, []).append(mote)
    down = 0.0
    for row in rows:
        right = 0.0
        for board in row:
            for mote in sorted(by_board.get(board.name, ()), key=lambda mote: mote.place or (0, 0)):
                yield Spot(mote.name, round(right + mote.x, 6), round(down + mote.y, 6))
            right += board.size[0]
        down += max((board.size[1] for board in row), default=0.0)


class _Reader:
    """Reads one layout; what is wrong goes to `faults`."""

    def __init__(
        self,
        name: str,
        node: Mapping,
        boards: Named[str, Board],
        motes: Named[str, Mote],
        faults: Faults,
    ):
        self.name, self.node, self.boards, self.motes, self.faults = name, node, boards, motes, faults
        self.what = f"layout {name}"

    def layout(self) -> LabLayout:
        node = self.node
        known_keys(node, f"{self.what}: ", settings.LAYOUT, self.faults)
        rows, chosen = node.get("boards"), node.get("motes")
        if (rows is None) == (chosen is None):
            what = "neither boards nor motes" if rows is None else "boards and motes"
            self.faults.add(node.line, f"{self.what} has {what}", "write one of them")
            return LabLayout(self.name, ())
        if rows is not None:
            spots = list(_in_rows(self.rows(rows), self.motes))
        else:
            names_known = self.known(named(chosen, self.what, self.faults), self.motes, "mote")  # type: ignore[arg-type]
            spots = [Spot(name, self.motes[name].x, self.motes[name].y) for name in names_known]
        out = self.out(spots)
        moved = self.moved(spots)
        spots = [moved.get(spot.mote, spot) for spot in spots if spot.mote not in out]
        if not spots and not len(self.faults):
            self.faults.add(node.line, f"{self.what} has no motes", "name a board that has some")
        return LabLayout(self.name, tuple(spots))

    def rows(self, node: Node) -> list[list[Board]]:
        lines = list(node.items) if isinstance(node, Sequence) else [node]
        rows, seen = [], set()
        for line in lines:
            row = []
            for name in self.known(named(line, self.what, self.faults), self.boards, "board"):
                if name in seen:
                    self.faults.add(line.line, f"{self.what}: board {name} is listed twice", "remove one")
                seen.add(name)
                row.append(self.boards[name])
            rows.append(row)
        return rows

    def out(self, spots: list[Spot]) -> set[str]:
        node = self.node.get("without")
        if node is None:
            return set()
        there = {spot.mote for spot in spots}
        return set(self.known(named(node, self.what, self.faults), dict.fromkeys(sorted(there)), "mote"))

    def moved(self, spots: list[Spot]) -> dict[str, Spot]:
        node = self.node.get("at")
        if node is None:
            return {}
        if not isinstance(node, Mapping):
            wrong_kind(node, f"{self.what}: at", "write `NAME: X, Y`", self.faults)
            return {}
        there = {spot.mote for spot in spots}
        moved_ = {}
        for key, value in node:
            if not self.known([key], dict.fromkeys(sorted(there)), "mote"):
                continue
            if not self.motes[key.text].movable:
                self.faults.add(
                    key.line,
                    f"{self.what}: mote {key.text} isn't movable",
                    "add `movable: true` to it, or leave it where it is",
                )
            text = value.text if isinstance(value, Scalar) else ""
            place = lengths(text, value.line, f"{self.what}: {key.text}", _COMMA, self.faults)
            if len(place) == 2:
                moved_[key.text] = Spot(key.text, *place)
            elif place:
                self.faults.add(
                    value.line, f"{self.what}: {short(text)} is not a position", "write X, Y: 1 m, 20 cm"
                )
        return moved_

    def known(self, names: list[Scalar], there: Named[str, object], what: str) -> list[str]:
        """Return the names that exist, each once; faults are noted for the others."""
        accepted: list[str] = []
        for name in names:
            if name.text not in there:
                self.faults.add(
                    name.line,
                    f"{self.what}: there is no {what} {short(name.text)}",
                    did_you_mean(name.text, there),
                )
            elif what == "mote" and name.text in accepted:
                self.faults.add(name.line, f"{self.what}: mote {name.text} twice", "remove one of them")
            else:
                accepted.append(name.text)
        return accepted
