# SPDX-License-Identifier: Apache-2.0
"""A page as text, with everything that a reader sees of it, to be compared with a recorded one.

Of a picture it has the numbers and a digest; pictures of each kind are recorded by test_recorded_figures.py.
"""

from __future__ import annotations

import hashlib

from orchestrator import __version__
from orchestrator.report.model import Beside, Block, Entry, Figure, Gallery, Listing, Section, Table, Text
from orchestrator.report.render import Page
from tests.recorded import rounded


def of_page(page: Page) -> str:
    """The whole page."""
    facts = [f"  {label}: {value}" for label, value in page.facts]
    sections = [line for section in page.sections for line in _section(section)]
    text = "\n".join([page.title, page.subtitle, *facts, page.footer, *sections, ""])
    return rounded(text.replace(__version__, "VERSION"))


def of_section(section: Section) -> str:
    """One section."""
    return rounded("\n".join([*_section(section), ""]))


def _section(section: Section) -> list[str]:
    short = f" [{section.short}]" if section.short else ""
    head = f"== {section.title}{short} #{section.id}"
    return ["", head, *(line for block in section.blocks for line in ("", *_block(block)))]


def _block(block: Block) -> list[str]:
    if isinstance(block, Text):
        kind = f"({block.kind}) " if block.kind else ""
        return [kind + one for one in block.paragraphs]
    if isinstance(block, Table):
        rows = [" | ".join(map(_entry, row)) for row in block.rows]
        kind = "cards" if block.cards else "matrix"
        return [f"-- {block.title} ({kind})", " | ".join(block.columns), *rows, *filter(None, [block.note])]
    if isinstance(block, Listing):
        return [f"-- {block.title}", block.text]
    if isinstance(block, Gallery):
        return [line for one in block.figures for line in _figure(one)]
    if isinstance(block, Beside):
        return [*(line for one in block.texts for line in _block(one)), *_figure(block.figure)]
    assert isinstance(block, Figure), block
    return _figure(block)


def _entry(entry: Entry) -> str:
    marks = [f"({entry.detail})"] if entry.detail else []
    marks += [f"!{entry.tone}"] if entry.tone else []
    marks += [f"-> {entry.href}"] if entry.href else []
    return " ".join(["#" * entry.number + entry.text.replace("\n", " / "), *marks]).replace("\n", " / ")


def _figure(figure: Figure) -> list[str]:
    drawing = figure.drawing
    size = f"{drawing.width:g} by {drawing.height:.4g} inches"
    return [
        f"-- {figure.name}: {figure.title}",
        f"   [{figure.alt}], {size}{', wide' if figure.wide else ''}",
        f"   {figure.caption}",
        *(f"   at {link.x:.3f} {link.y:.3f}: {link.title} -> {link.href}" for link in figure.links),
        *(f"   {line}" for line in drawing.file("csv").decode().splitlines()),
        f"   picture {hashlib.sha256(figure.svg).hexdigest()[:12]}",
    ]
