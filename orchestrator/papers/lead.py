# SPDX-License-Identifier: Apache-2.0
"""The section that a paper's page begins with: how many of the tested claims hold, and which don't."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from orchestrator.papers.check import EQUAL, FAILS, HOLDS, MISSING, REVERSED, UNDECIDED, Check, checks_table
from orchestrator.report.model import Section, paragraph
from orchestrator.words import counted, enumerated

# Verdict -> what a claim with it does, of one claim and of several.
_WORDS = {
    HOLDS: ("holds", "hold"),
    FAILS: ("does not hold", "do not hold"),
    REVERSED: ("is reversed", "are reversed"),
    UNDECIDED: ("shows no difference", "show no difference"),
    EQUAL: ("shows no difference in any seed", "show no difference in any seed"),
    MISSING: ("was not measured", "were not measured"),
}


def sections(tested: Sequence[Check]) -> list[Section]:
    """Return the section, if any claim was tested."""
    if not tested:
        return []
    counts = Counter(check.verdict for check in tested)
    parts = [
        f"{counts[verdict]} {words[counts[verdict] > 1]}"
        for verdict, words in _WORDS.items()
        if counts[verdict]
    ]
    text = paragraph(f"Of {counted(len(tested), 'claim')} that this page tests, {enumerated(parts)}.", "lead")
    against = [check for check in tested if check.verdict in (FAILS, REVERSED)]
    tables = [checks_table(against, "What does not hold")] if against else []
    return [Section("found", "What was found", (text, *tables), "Found")]
