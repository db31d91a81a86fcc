# SPDX-License-Identifier: Apache-2.0
"""Whether a .csc would load, and all that was found about it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from orchestrator.csc.faults import Finding


class Verdict(StrEnum):
    """Whether Cooja loads a file."""

    LOADS = "loads"
    NOTES = "loads with notes"
    FAILS = "does not load"


@dataclass(frozen=True)
class Report:
    """Of one file, for one Cooja."""

    file: str
    rules: str
    findings: tuple[Finding, ...]

    @property
    def verdict(self) -> Verdict:
        if any(finding.fatal for finding in self.findings):
            return Verdict.FAILS
        return Verdict.NOTES if self.findings else Verdict.LOADS
