# SPDX-License-Identifier: Apache-2.0
"""Folds the parts of a page that few readers need.

They open at a click, at a link to them and in the browser's search; they are not printed.
"""

from __future__ import annotations

from orchestrator.report.model import Block, Contradiction, Gallery, Listing, Section, Table, of_section
from orchestrator.words import counted

SECTIONS = ("provenance", "scenario", "nodes", "topology", "sensitivity")  # the beginnings of their ids
MOST_ROWS = 24  # of a table that is not folded
MOST_FIGURES = 12  # of a gallery that is not folded


def section(part: Section) -> bool:
    """Say whether a section is folded as a whole."""
    return part.id.startswith(SECTIONS)


def block(content: Block) -> str:
    """Return the title of a folded block; "" for one that is not folded."""
    if isinstance(content, Table) and len(content.rows) > MOST_ROWS:
        return f"{content.title}: {counted(len(content.rows), 'row')}"
    if isinstance(content, Contradiction):
        return f"{content.title}: {counted(len(content.readings), 'reading')}"
    return (
        f"{counted(len(content.figures), 'figure')}"
        if isinstance(content, Gallery) and len(content.figures) > MOST_FIGURES
        else ""
    )


def contents(section: Section) -> str:
    """Describe the contents of a folded section."""
    figures = of_section(section)
    parts = [figures[0].title if len(figures) == 1 else counted(len(figures), "figure")] if figures else []
    parts += [each.title for each in section.blocks if isinstance(each, Table | Listing)]
    return ", ".join(parts) or section.title
