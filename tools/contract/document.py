# SPDX-License-Identifier: Apache-2.0
"""docs/evidence/contract.md: its table is made, what stands above the table is written by hand.

A case that a call doesn't measure keeps the rows that an earlier call wrote, and the text says whose they
are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from orchestrator.durable import write
from tools.contract.judge import Row

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "evidence" / "contract.md"
_HEADING = "\n## Measured\n"
_HEAD = (
    "application",
    "topology",
    "metric",
    "seeds",
    "embedded",
    "Contiki-NG",
    "difference",
    "95 % interval",
    "p",
    "verdict",
)


@dataclass(frozen=True)
class KeptRow:
    """A row as an earlier call wrote it."""

    written: tuple[str, ...]

    @property
    def case(self) -> str:
        return self.written[0]

    @property
    def shape(self) -> str:
        return self.written[1]

    @property
    def verdict(self) -> str:
        return self.written[-1]

    def cells(self) -> tuple[str, ...]:
        return self.written


class Standing:
    """What the document says now, by case. Nothing if its seeds are not 1 to `seeds`: one table is of the
    same seeds.
    """

    def __init__(self, seeds: int, document: Path = DOCUMENT) -> None:
        lines = document.read_text(encoding="utf-8").partition(_HEADING)[2].splitlines()
        lines = lines if lines and lines[0].startswith(_seeds(seeds)) else []
        table = [
            tuple(cell.strip() for cell in line.strip("|").split("|"))
            for line in lines
            if line.startswith("| ")
        ]
        self._rows = [KeptRow(cells) for cells in table if len(cells) == len(_HEAD) and cells != _HEAD]
        self._said = [line.removeprefix("- ") for line in lines if line.startswith("- ")]

    def rows(self, case: str, shape: str) -> list[KeptRow]:
        return [row for row in self._rows if (row.case, row.shape) == (case, shape)]

    def apart(self, case: str, shape: str) -> list[str]:
        return [said for said in self._said if said.startswith(f"{case} on {shape}: ")]


def summary(rows: Sequence[Row | KeptRow], apart: Sequence[str]) -> str:
    counted = Counter(row.verdict for row in rows)
    said = ", ".join(f"{number} {verdict}" for verdict, number in sorted(counted.items()))
    return (
        f"{len({(row.case, row.shape) for row in rows})} cases, {len(rows)} metrics: {said}; {len(apart)} "
        "records of only one source"
    )


def renew(
    rows: Sequence[Row | KeptRow],
    apart: Sequence[str],
    seeds: int,
    lacking: Sequence[str] = (),
    refused: Sequence[str] = (),
    document: Path = DOCUMENT,
) -> None:
    """Replaces what follows the heading. `lacking`: cases without rows; `refused`: what applications say no
    to.
    """
    above = document.read_text(encoding="utf-8").partition(_HEADING)[0].rstrip("\n")
    lines = [
        f"{_seeds(seeds)} {summary(rows, apart)}.",
        *_whose(rows),
        *(f"- {said}" for said in apart),
        *(f"- not offered: {said}" for said in refused),
        *(f"- not measured: {said}" for said in lacking),
        "",
        "| " + " | ".join(_HEAD) + " |",
        "|" + " --- |" * 3 + " ---: |" * 6 + " --- |",
        *("| " + " | ".join(row.cells()) + " |" for row in rows),
    ]
    write(document, f"{above}\n{_HEADING}{chr(10).join(lines)}\n".encode())


def _seeds(seeds: int) -> str:
    return f"Seeds 1 to {seeds}; where more are named, those after {seeds} alone."


def _whose(rows: Sequence[Row | KeptRow]) -> list[str]:
    """Which rows this call didn't measure: nothing says that the sources of today would give the same."""
    kept, new = (
        {(row.case, row.shape) for row in rows if isinstance(row, KeptRow) is earlier}
        for earlier in (True, False)
    )
    if not kept:
        return []
    names = ", ".join(sorted({case.partition(" (")[0] for case, _ in kept}))
    return [
        f"The last call measured {len(new)} cases. The rows of the other {len(kept)} ({names}) stand as "
        "earlier calls wrote them, "
        "of the sources and the engine of their day."
    ]
