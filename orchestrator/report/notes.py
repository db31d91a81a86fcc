# SPDX-License-Identifier: Apache-2.0
"""Numbered notes of a section, and the places in its tables that lead to them."""

from __future__ import annotations

import re

from orchestrator.report.model import Notes, Section

_NAMED = re.compile(r"note[ \u00a0]([0-9]+)")


def anchors(section: Section) -> dict[int, str]:
    """Return the HTML id of each of a section's notes, by its number."""
    count = max((len(block.items) for block in section.blocks if isinstance(block, Notes)), default=0)
    return {number: f"note-{section.id}-{number}" for number in range(1, count + 1)}


def noted(text: str, notes: dict[int, str]) -> list[tuple[str, str]]:
    """Split a text where it names notes; each part has the id of the note it leads to, or ""."""
    parts, at = [], 0
    for match in _NAMED.finditer(text):
        if int(match[1]) in notes:
            parts += [(text[at : match.start()], ""), (match[0], notes[int(match[1])])]
            at = match.end()
    return [part for part in (*parts, (text[at:], "")) if part[0]]
