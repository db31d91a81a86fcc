# SPDX-License-Identifier: Apache-2.0
"""A report as plain values: sections of blocks. The template knows how each kind of block looks."""

from __future__ import annotations

from dataclasses import dataclass

from orchestrator.report.drawing import Drawing
from orchestrator.report.statistics import minus

TONES = ("", "good", "bad", "open", "quiet")


@dataclass(frozen=True)
class Entry:
    """A cell of a table.

    `detail`: a second, smaller line. `tone`: one of TONES. `number`: align right. `href`: where the text
    leads.
    """

    text: str
    detail: str = ""
    tone: str = ""
    number: bool = False
    href: str = ""

    def __post_init__(self):
        if self.number:
            object.__setattr__(self, "text", minus(self.text))
            object.__setattr__(self, "detail", minus(self.detail))


@dataclass(frozen=True)
class Table:
    """A table; the first entry of a row names it.

    `cards`: on a narrow screen each row becomes a card, for tables that are read row by row. Others (matrices
    of numbers) scroll sideways inside their box.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Entry, ...], ...]
    note: str = ""
    cards: bool = True


@dataclass(frozen=True)
class Link:
    """A place of a picture that leads somewhere: `x` and `y` as shares of its width and height."""

    x: float
    y: float
    href: str
    title: str


@dataclass(frozen=True)
class Figure:
    """A figure of a page: a drawing with its caption.

    `name`: of its files in figures/. `caption`: what it shows, with n, unit and reading. `links` lie over it.
    """

    name: str
    title: str
    drawing: Drawing
    caption: str
    alt: str
    wide: bool = False
    links: tuple[Link, ...] = ()

    @property
    def svg(self) -> bytes:
        """The picture as it is in the report."""
        return self.drawing.svg


@dataclass(frozen=True)
class Gallery:
    """Figures side by side where there is room."""

    figures: tuple[Figure, ...]


@dataclass(frozen=True)
class Text:
    """Paragraphs of plain text; `kind` is "", "lead", "note" or "warning"."""

    paragraphs: tuple[str, ...]
    kind: str = ""


def paragraph(text: str, kind: str = "") -> Text:
    """Return one paragraph."""
    return Text((text,), kind)


@dataclass(frozen=True)
class Listing:
    """Verbatim text, e.g. a scenario file."""

    title: str
    text: str


@dataclass(frozen=True)
class Reading:
    """A reading of a contradiction: what it says, its numbers (ours measured), whether we follow it."""

    text: str
    numbers: tuple[str, ...] = ()
    held: bool = False


@dataclass(frozen=True)
class Contradiction:
    """A place where a paper disagrees with itself: its readings, and why we follow one of them."""

    title: str
    where: str
    readings: tuple[Reading, ...]
    why: str


@dataclass(frozen=True)
class Notes:
    """Numbered explanations that tables refer to."""

    title: str
    items: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Beside:
    """Texts beside a figure; on a narrow screen above it."""

    texts: tuple[Text, ...]
    figure: Figure


Block = Table | Figure | Gallery | Text | Listing | Contradiction | Notes | Beside


@dataclass(frozen=True)
class Section:
    """A section of a page. `id`: its anchor. `short`: its name in the list of contents."""

    id: str
    title: str
    blocks: tuple[Block, ...]
    short: str = ""


def of_section(section: Section) -> list[Figure]:
    """Return the figures of a section, in reading order."""
    figures: list[Figure] = []
    for block in section.blocks:
        if isinstance(block, Figure):
            figures.append(block)
        elif isinstance(block, Beside):
            figures.append(block.figure)
        elif isinstance(block, Gallery):
            figures.extend(block.figures)
    return figures
