# SPDX-License-Identifier: Apache-2.0
"""What few readers read is folded: it is a click (or a link to it, or the browser's search) away, and not
printed.
"""

from __future__ import annotations

from orchestrator.report.model import Block, Contradiction, Gallery, Listing, Section, Table, of_section
from orchestrator.words import counted

SECTIONS = ("provenance", "scenario", "nodes", "topology", "sensitivity")  # by the start of their ids
MOST_ROWS = 24  # of a table
MOST_FIGURES = 12  # of a gallery


def section(one: Section) -> bool:
    """Whether it is folded as a whole."""
    return one.id.startswith(SECTIONS)


def block(one: Block) -> str:
    """What a folded block is called; nothing for one that is not folded."""
    if isinstance(one, Table) and len(one.rows) > MOST_ROWS:
        return f"{one.title}: {counted(len(one.rows), 'row')}"
    if isinstance(one, Contradiction):
        return f"{one.title}: {counted(len(one.readings), 'reading')}"
    return (
        f"{counted(len(one.figures), 'figure')}"
        if isinstance(one, Gallery) and len(one.figures) > MOST_FIGURES
        else ""
    )


def contents(one: Section) -> str:
    """What is inside of a folded section."""
    figures = of_section(one)
    parts = [figures[0].title if len(figures) == 1 else counted(len(figures), "figure")] if figures else []
    parts += [each.title for each in one.blocks if isinstance(each, Table | Listing)]
    return ", ".join(parts) or one.title
