# SPDX-License-Identifier: Apache-2.0
"""Tables in the terminal: every command's, by one rule.

No number, name or path is ever broken. Prose wraps between words; columns that then still don't fit the
terminal are in a second block below, after the key columns again. In a pipe there is one block, as wide as
it needs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from rich.console import Console, ConsoleOptions
from rich.text import Text

from orchestrator.cli.numbers import shown
from orchestrator.console import width

GAP = "  "
_PROSE = 20  # columns that prose keeps before another column goes to the next block
_ADJUSTED = re.compile(r"[ \n]+")  # not at no-break spaces


@dataclass(frozen=True)
class Column:
    """A column. `number`: right-aligned; `key`: repeated in every block; `prose`: wraps if necessary."""

    name: str
    number: bool = False
    key: bool = False
    prose: bool = False


def numbers(*names: str) -> list[Column]:
    """Return columns of numbers."""
    return [Column(name, number=True) for name in names]


Cell = str | tuple[str, str] | None  # None: nothing is known; a pair: with rich's style


class Table:
    """A title, a note below it, and rows of cells, one a column. Without a key, the first column is it.

    Shown by rich, at the width that it has then.
    """

    def __init__(
        self, title: str, columns: Sequence[Column | str], rows: Iterable[Sequence[Cell]], note: str = ""
    ):
        self.title, self.note = title, note
        self.columns = [column if isinstance(column, Column) else Column(column) for column in columns]
        if self.columns and not any(column.key for column in self.columns):
            first = self.columns[0]
            self.columns[0] = Column(first.name, first.number, True, first.prose)
        self.rows = [[_cell(cell) for cell in row] for row in rows]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        yield from self.lines(width())

    def lines(self, width: int | None) -> Iterator[Text]:
        """Yield the lines at a width (None: as wide as it needs)."""
        if self.title:
            yield _line(shown(self.title), "bold", width)
        if self.note:
            yield _line(shown(self.note), "dim", width)
        for number, block in enumerate(_blocks(self.columns, self.rows, width)):
            if number:
                yield Text("")
            yield from self._block(block, width)
        yield Text("")

    def _block(self, block: Sequence[int], width: int | None) -> Iterator[Text]:
        sizes = _sizes(self.columns, self.rows, block, width)
        yield from self._row(
            [(shown(self.columns[place].name), "bold") for place in block], block, sizes, bottom=True
        )
        yield Text(
            "─" * (sum(sizes.values()) + len(GAP) * (len(block) - 1)), "dim", no_wrap=True, overflow="ignore"
        )
        for row in self.rows:
            yield from self._row([row[place] for place in block], block, sizes)

    def _row(
        self,
        cells: Sequence[tuple[str, str]],
        block: Sequence[int],
        sizes: dict[int, int],
        bottom: bool = False,
    ) -> Iterator[Text]:
        """Yield the lines of a row. `bottom`: short cells stand at its end, as headings do."""
        wrapped = [_wrapped(text, sizes[place]) for (text, _), place in zip(cells, block, strict=True)]
        most = max(map(len, wrapped))
        if bottom:
            wrapped = [[""] * (most - len(lines)) + lines for lines in wrapped]
        for parts in zip_longest(*wrapped, fillvalue=""):
            line = Text(no_wrap=True, overflow="ignore")
            for part, (_, style), place in zip(parts, cells, block, strict=True):
                pad = " " * (sizes[place] - len(part))
                line.append(pad if self.columns[place].number else "")
                line.append(part, style)
                line.append(("" if self.columns[place].number else pad) + (GAP if place != block[-1] else ""))
            line.rstrip()
            yield line


def _cell(cell: Cell) -> tuple[str, str]:
    text, style = cell if isinstance(cell, tuple) else (cell, "")
    return ("–" if text is None else shown(text)), style


def _line(text: str, style: str, width: int | None) -> Text:
    return Text("\n".join(_wrapped(text, width or len(text))), style, no_wrap=True, overflow="ignore")


def _wrapped(text: str, width: int) -> list[str]:
    """At most `width` wide where words allow it; a word is never broken."""
    if len(text) <= width and "\n" not in text:
        return [text]
    lines: list[str] = []
    for part in text.split("\n"):
        line = ""
        for word in _ADJUSTED.split(part):
            if line and len(line) + 1 + len(word) > width:
                lines.append(line)
                line = word
            else:
                line = f"{line} {word}" if line else word
        lines.append(line)
    return lines


def _natural(texts: Iterable[str]) -> int:
    return max((len(line) for text in texts for line in text.split("\n")), default=0)


def _longest_word(texts: Iterable[str]) -> int:
    return max((len(word) for text in texts for word in _ADJUSTED.split(text)), default=0)


def _least(column: Column, cells: Sequence[str]) -> int:
    """Return a column's least width: some words of prose, otherwise its widest entry; a heading wraps."""
    heading = _longest_word([column.name])
    if not column.prose:
        return max(heading, _natural(cells))
    return max(heading, _longest_word(cells), min(_PROSE, _natural(cells)))


def _of(rows: Sequence[Sequence[tuple[str, str]]], place: int) -> list[str]:
    return [row[place][0] for row in rows]


def _blocks(
    columns: Sequence[Column], rows: Sequence[Sequence[tuple[str, str]]], width: int | None
) -> list[list[int]]:
    """Places of columns, in groups that fit beside the key columns."""
    places = list(range(len(columns)))
    least = {place: _least(columns[place], _of(rows, place)) for place in places}
    keys = [place for place in places if columns[place].key]
    if width is None or sum(least.values()) + len(GAP) * (len(places) - 1) <= width:
        return [places]
    room = width - sum(least[place] + len(GAP) for place in keys)
    blocks: list[list[int]] = [[]]
    left = room
    for place in places:
        if place in keys:
            continue
        if blocks[-1] and least[place] > left:
            blocks.append([])
            left = room
        blocks[-1].append(place)
        left -= least[place] + len(GAP)
    return [sorted([*keys, *block]) for block in blocks]


def _sizes(
    columns: Sequence[Column],
    rows: Sequence[Sequence[tuple[str, str]]],
    block: Sequence[int],
    width: int | None,
) -> dict[int, int]:
    """Each column's width: what it wants as far as there is room, prose and headings giving way."""
    wanted = {place: max(len(columns[place].name), _natural(_of(rows, place))) for place in block}
    if width is None:
        return wanted
    least = {place: _least(columns[place], _of(rows, place)) for place in block}
    sizes = dict(least)
    left = width - sum(sizes.values()) - len(GAP) * (len(block) - 1)
    while left > 0 and (short := [place for place in block if sizes[place] < wanted[place]]):
        for place in short[:left]:
            sizes[place] += 1
        left = width - sum(sizes.values()) - len(GAP) * (len(block) - 1)
    return sizes
