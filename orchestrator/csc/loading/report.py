# SPDX-License-Identifier: Apache-2.0
"""What was found about whether a .csc would load: each finding with its line, what is so, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

MOST = 200  # of a file with thousands of like findings


class Verdict(StrEnum):
    LOADS = "loads"
    NOTES = "loads with notes"
    FAILS = "does not load"


@dataclass(frozen=True)
class Finding:
    """`fatal`: it keeps the file from loading, from running or from ever ending; else it is a note. `line` 1-based, 0 if of the whole."""

    line: int
    fatal: bool
    what: str
    remedy: str


class Findings:
    """Collects findings; the same one again (of each of a thousand motes) is counted, not repeated."""

    def __init__(self) -> None:
        self._found: dict[tuple[bool, str, str], tuple[int, int]] = {}

    def fault(self, at, what: str, remedy: str) -> None:
        self._add(at, True, what, remedy)

    def note(self, at, what: str, remedy: str = "") -> None:
        self._add(at, False, what, remedy)

    def _add(self, at, fatal: bool, what: str, remedy: str) -> None:
        line = at if isinstance(at, int) else (0 if at is None else at.sourceline or 0)
        first, count = self._found.get((fatal, what, remedy), (line, 0))
        self._found[fatal, what, remedy] = (first, count + 1)

    def all(self) -> tuple[Finding, ...]:
        """By line; at most MOST of either kind, the last then says how many more."""
        found = sorted(
            (Finding(line, fatal, what + (f" ({count} times, first here)" if count > 1 else ""), remedy)
             for (fatal, what, remedy), (line, count) in self._found.items()),
            key=lambda one: (not one.fatal, one.line),
        )
        shown: list[Finding] = []
        for fatal in (True, False):
            kind = [one for one in found if one.fatal is fatal]
            shown += kind[:MOST]
            if len(kind) > MOST:
                shown.append(Finding(0, fatal, f"and {len(kind) - MOST} more", "correct those above first"))
        return tuple(shown)


@dataclass(frozen=True)
class Report:
    """Of one file, for one Cooja."""

    file: str
    rules: str
    findings: tuple[Finding, ...]

    @property
    def verdict(self) -> Verdict:
        if any(one.fatal for one in self.findings):
            return Verdict.FAILS
        return Verdict.NOTES if self.findings else Verdict.LOADS
