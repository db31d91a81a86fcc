# SPDX-License-Identifier: Apache-2.0
"""A claim of a paper put to the test on ours: claim, result, evidence."""

from __future__ import annotations

from dataclasses import dataclass

HOLDS, REVERSED, FAILS, MISSING = "holds", "reversed", "does not hold", "not measured"
UNDECIDED, EQUAL = "no difference shown", "equal in every seed"
TONES = {HOLDS: "good", REVERSED: "bad", FAILS: "bad", UNDECIDED: "open", EQUAL: "open", MISSING: "quiet"}


@dataclass(frozen=True)
class Check:
    """`verdict` is one of the words above, `evidence` the measured numbers behind it."""

    id: str
    claim: str
    where: str
    verdict: str
    evidence: str

    @property
    def tone(self) -> str:
        return TONES[self.verdict]
