# SPDX-License-Identifier: Apache-2.0
"""Which parts of a page are folded, because few readers need them.

They open at a click, at a link to them and in the browser's search; they are not printed.
"""

from __future__ import annotations

from orchestrator.report.model import Block, Contradiction, Gallery, Listing, Section, Table, of_section
from orchestrator.words import counted

SECTIONS = ("provenance", "scenario", "nodes", "topology", "sensitivity")  # the beginnings of their ids
MOST_ROWS = 24  # of a table that is not folded
MOST_FIGURES = 12  # of a gallery that is not folded


def section(one: Section) -> bool:
    """Say whether a section is folded as a whole."""
    return one.id.startswith(SECTIONS)


def block(one: Block) -> str:
    """Return the title of a folded block; "" for one that is not folded."""
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
    """Describe the contents of a folded section."""
    figures = of_section(one)
    parts = [figures[0].title if len(figures) == 1 else counted(len(figures), "figure")] if figures else []
    parts += [each.title for each in one.blocks if isinstance(each, Table | Listing)]
    return ", ".join(parts) or one.title
