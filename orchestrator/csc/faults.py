# SPDX-License-Identifier: Apache-2.0
"""Findings in a .csc: they are collected while a file is judged, and reported all at once."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, NamedTuple

from orchestrator.errors import Fault, FaultyInput, Unsupported

if TYPE_CHECKING:
    from lxml.etree import _Element

_RAISED = 50  # of a file with thousands of like faults, in an error
FIX = "`orchestrate csc fix`"  # in a remedy; the file is added to it
MOST = 200  # of them in a report, of either kind


class Finding(NamedTuple):
    """A finding; `fatal`: it keeps the file from loading, running or ever ending; else it is a note.

    `line` 1-based, 0 if of the whole.
    """

    line: int
    fatal: bool
    what: str
    remedy: str


def only(file: str, line: int, what: str, remedy: str) -> FaultyInput:
    """Return the error for a file whose one fault keeps it from being read any further."""
    return FaultyInput([Fault(file, line, what, remedy)])


class Faults:
    """Collects findings about a .csc, each `at` an element or a line.

    `faulty` for what no Cooja accepts, `unsupported` for what Cooja has and the embedded engine does not run,
    `note` for what keeps no file from running. `file` is set if it is another one, which the .csc names.
    """

    def __init__(self, file: str = ""):
        self.file = file
        self._found: dict[tuple[bool, str, str], tuple[int, int]] = {}
        self._first: list[Fault] = []
        self._more = 0
        self._faulty = False

    def faulty(self, at: _Element | int, what: str, remedy: str, file: str | None = None) -> None:
        self._faulty = True
        self._add(at, True, what, remedy, file)

    def unsupported(self, at: _Element | int, what: str, remedy: str, file: str | None = None) -> None:
        self._add(at, True, f"not supported: {what}", remedy, file)

    def note(self, at: _Element | int, what: str, remedy: str = "") -> None:
        self._add(at, False, what, remedy)

    def ignored(self, child: _Element, where: str) -> None:
        """Note an element that Cooja reads past."""
        self.note(child, f"<{child.tag[:60]}> in {where} is unknown to Cooja and ignored")

    def notes(self) -> tuple[str, ...]:
        """Return the notes as lines of text, in the file's order."""
        return tuple(
            (f"line {finding.line}: " if finding.line else "")
            + finding.what
            + (f"; {finding.remedy}" if finding.remedy else "")
            for finding in self.findings()
            if not finding.fatal
        )

    def _add(self, at: _Element | int, fatal: bool, what: str, remedy: str, file: str | None = None) -> None:
        if self.file:
            remedy = remedy.replace(FIX, f"{FIX[:-1]} {shlex.quote(self.file)} --in-place`")
        line = at if isinstance(at, int) else (0 if at is None else at.sourceline or 0)
        first, count = self._found.get((fatal, what, remedy), (line, 0))
        self._found[fatal, what, remedy] = (first, count + 1)
        if fatal and len(self._first) < _RAISED:
            self._first.append(Fault(file or self.file, line, what, remedy))
        elif fatal:
            self._more += 1

    def listed(self) -> list[Fault]:
        """All that is no note, by line; of more than _RAISED those found first, and how many more."""
        more = (
            [Fault(self.file, 0, f"and {self._more} more", "correct those above first")] if self._more else []
        )
        return sorted(self._first, key=lambda fault: fault.line) + more

    def raise_any(self) -> None:
        """Raise FaultyInput or Unsupported if there is more than notes."""
        if self._faulty:
            raise FaultyInput(self.listed())
        if self._first:
            raise Unsupported("\n".join(map(str, self.listed())))

    def findings(self) -> tuple[Finding, ...]:
        """Faults, then notes, by line; the same one again (of each of a thousand motes) is counted.

        There are at most MOST of either kind; the last then says how many more.
        """
        ordered = sorted(
            (
                Finding(line, fatal, what + (f" ({count} times, first here)" if count > 1 else ""), remedy)
                for (fatal, what, remedy), (line, count) in self._found.items()
            ),
            key=lambda finding: (not finding.fatal, finding.line),
        )
        listed: list[Finding] = []
        for fatal in (True, False):
            kind = [finding for finding in ordered if finding.fatal is fatal]
            listed += kind[:MOST]
            if len(kind) > MOST:
                listed.append(Finding(0, fatal, f"and {len(kind) - MOST} more", "correct those above first"))
        return tuple(listed)
