# SPDX-License-Identifier: Apache-2.0
"""Collects what is wrong with a .csc while it is read, and raises all of it at once."""

from __future__ import annotations

from orchestrator.errors import Fault, FaultyInput, Unsupported

_SHOWN = 50  # of a file with thousands of like faults


class Faults:
    """`faulty` for what no Cooja would accept, `unsupported` for what Cooja has and this version does not run."""

    def __init__(self, file: str):
        self.file = file
        self._found: list[Fault] = []
        self._faulty = False
        self._more = 0

    def faulty(self, element, what: str, remedy: str, file: str | None = None) -> None:
        """`file`: one that this one includes."""
        self._faulty = True
        self._add(element, what, remedy, file)

    def unsupported(self, element, what: str, remedy: str) -> None:
        self._add(element, f"not supported: {what}", remedy)

    def elsewhere(self, file: str, line: int, what: str, remedy: str) -> None:
        """Not supported, in a file that this one includes."""
        self._add(line, f"not supported: {what}", remedy, file)

    def _add(self, element, what: str, remedy: str, file: str | None = None) -> None:
        if len(self._found) == _SHOWN:
            self._more += 1
            return
        line = element if isinstance(element, int) else (0 if element is None else element.sourceline or 0)
        self._found.append(Fault(file or self.file, line, what, remedy))

    def raise_any(self) -> None:
        if not self._found:
            return
        found = sorted(self._found, key=lambda fault: fault.line)
        if self._more:
            found.append(Fault(self.file, 0, f"and {self._more} more", "correct those above first"))
        if self._faulty:
            raise FaultyInput(found)
        raise Unsupported("\n".join(str(fault) for fault in found))
