# SPDX-License-Identifier: Apache-2.0
"""A collector of faults: readers go on after a fault, so that a user sees all of them at once."""

from __future__ import annotations

from collections.abc import Iterable

from orchestrator.errors import Fault, FaultyInput, WrongUsage

MOST = 200  # a file with more faults than this is of another kind; the rest is counted, not listed


class Faults:
    """Collect the faults of a file, and of files that it names: each once, listed in the order of lines."""

    def __init__(self, file: str):
        self.file = file
        self._found: dict[Fault, None] = {}
        self._beyond = 0

    def add(self, line: int, what: str, remedy: str, file: str | None = None) -> None:
        """Add a fault.

        `file`: the line's; by default the one that the line itself names (document.LineOf), else the one that
        is being read.
        """
        fault = Fault(file or getattr(line, "file", self.file), int(line), what, remedy)
        if fault in self._found:
            return
        if len(self._found) >= MOST:
            self._beyond += 1
        else:
            self._found[fault] = None

    def extend(self, faults: Iterable[Fault]) -> None:
        for fault in faults:
            self.add(fault.line, fault.what, fault.remedy, fault.file)

    def __len__(self) -> int:
        return len(self._found)

    def raise_any(self) -> None:
        """Raise FaultyInput with everything found, if anything was."""
        if not self._found:
            return
        listed = sorted(self._found, key=lambda fault: (fault.file != self.file, fault.file, fault.line))
        if self._beyond:
            listed.append(
                Fault(
                    self.file, 0, f"and {self._beyond} more faults", "correct the first ones and check again"
                )
            )
        raise FaultyInput(listed)

    def raise_usage(self) -> None:
        """Raise WrongUsage with everything found, if anything was, for faults of the command line."""
        try:
            self.raise_any()
        except FaultyInput as error:
            raise WrongUsage(
                "\n".join(f"{fault.what}\n    {fault.remedy}" for fault in error.faults)
            ) from None
