# SPDX-License-Identifier: Apache-2.0
"""The result of testing a paper's claim on our runs."""

from __future__ import annotations

from dataclasses import dataclass

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
