# SPDX-License-Identifier: Apache-2.0
"""Whether a .csc would load, and all that was found about it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from orchestrator.csc.faults import Finding


class Loading(StrEnum):
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
    def loading(self) -> Loading:
        if any(finding.fatal for finding in self.findings):
            return Loading.FAILS
        return Loading.NOTES if self.findings else Loading.LOADS
