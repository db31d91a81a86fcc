# SPDX-License-Identifier: Apache-2.0
"""The result of testing a paper's claim on our runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from orchestrator.report.model import Entry, Table

HOLDS, REVERSED, FAILS, MISSING = "holds", "reversed", "does not hold", "not measured"
UNDECIDED, EQUAL = "no difference shown", "equal in every seed"
TONES = {HOLDS: "good", REVERSED: "bad", FAILS: "bad", UNDECIDED: "open", EQUAL: "open", MISSING: "quiet"}


@dataclass(frozen=True)
class Check:
    """A claim with its verdict (one of the words above) and the measured numbers that it is based on."""

    id: str
    claim: str
    where: str
    verdict: str
    evidence: str

    @property
    def tone(self) -> str:
        """The verdict's tone in a report."""
        return TONES[self.verdict]

    @property
    def entries(self) -> tuple[Entry, Entry, Entry]:
        """The claim, its verdict and the evidence in a table."""
        return (
            Entry(self.claim, f"section {self.where}"),
            Entry(self.verdict, tone=self.tone),
            Entry(self.evidence),
        )


def checks_table(tested: Sequence[Check], title: str) -> Table:
    """Return a table of claims with their verdicts and evidence."""
    return Table(title, ("Claim", "Ours", "Evidence"), tuple(check.entries for check in tested))
