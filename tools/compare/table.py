# SPDX-License-Identifier: Apache-2.0
"""Write the tables of docs/evidence/byte-identity.md: Cooja beside the embedded engine, one row for each case
and rule set.

Each comparison gives its rows to `replace`; the rows of other comparisons stay in the file.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from orchestrator.durable import write

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "evidence" / "byte-identity.md"
EQUAL, DIFFERENT, NONE = "equal", "DIFFERENT", "-"
EQUAL_TO_VERDICT = (
    "equal to the verdict"  # but for the time in the last line, after a script's own verdict a race in Cooja
)
BUT_ADDRESSES = "equal but for addresses"  # pointers that firmware prints
NOT_RUN = "not run"  # as a verdict of the embedded engine: refused by name before it starts
_HEAD = ("case", "firmware", "rules", "Cooja", "embedded", "bytes", "Cooja, s", "embedded, s")
_RIGHT = 2  # so many last columns are numbers
_SUM = "Together: "  # begins the line above a table


@dataclass(frozen=True)
class Row:
    """One case under one rule set. `cooja` and `embedded`: the verdicts, NONE of one that didn't run it.

    Times are of whole processes, start-up included, in s; None if it didn't run. `note`: why not, or where
    the bytes differ.
    """

    case: str
    firmware: str
    rules: str
    cooja: str
    embedded: str
    bytes: str
    cooja_s: float | None = None
    embedded_s: float | None = None
    note: str = ""

    @property
    def same(self) -> bool:
        if self.embedded == NOT_RUN:
            return self.cooja == NONE
        return self.bytes in (EQUAL, EQUAL_TO_VERDICT, BUT_ADDRESSES) and self.cooja == self.embedded

    def cells(self) -> tuple[str, ...]:
        said = ": ".join(filter(None, (self.bytes, " ".join(self.note.split()).replace("|", "/"))))
        return (
            self.case,
            self.firmware,
            self.rules,
            self.cooja,
            self.embedded,
            said,
            NONE if self.cooja_s is None else f"{self.cooja_s:.2f}",
            NONE if self.embedded_s is None else f"{self.embedded_s:.3f}",
        )

    def __str__(self) -> str:
        case, firmware, *rest = self.cells()
        return f"{case:<42} {firmware:<22} " + " ".join(f"{cell:>9}" for cell in rest)


def replace(part: str, rows: Iterable[Row], document: Path = DOCUMENT) -> None:
    """Puts the rows under the heading `part`, in place of all rows of the same rule sets there. Sorted by
    case as given, rule sets of one case together."""
    text = document.read_text(encoding="utf-8")
    heading = f"\n## {part}\n"
    before, found, after = text.partition(heading)
    body, next_heading, rest = after.partition("\n## ")
    lines = body.splitlines()
    kept = [line for line in lines if not line.startswith(("|", _SUM))]
    new = [row.cells() for row in rows]
    rules = {cells[2] for cells in new}
    old = [
        cells
        for cells in map(_cells, (line for line in lines if line.startswith("|")))
        if cells[2] not in rules and cells != _HEAD and set(cells[0]) != {"-"}
    ]
    order = {cells[:2]: number for number, cells in reversed(list(enumerate([*new, *old])))}
    table = sorted([*new, *old], key=lambda cells: (order[cells[:2]], cells[2]))
    rule = ("---",) * (len(_HEAD) - _RIGHT) + ("---:",) * _RIGHT
    made = "\n".join("| " + " | ".join(cells) + " |" for cells in (_HEAD, rule, *table))
    said = "\n".join(kept).strip()
    section = heading + (f"\n{said}\n" if said else "") + f"\n{_sum(table)}\n\n{made}\n"
    write(document, (before.rstrip("\n") + "\n" + section + (next_heading + rest if found else "")).encode())


def _sum(table: list[tuple[str, ...]]) -> str:
    """Of the rows that ran in both: how many are alike, and the times."""
    both = [cells for cells in table if NONE not in cells[3:5] and cells[4] != NOT_RUN]
    alike = sum(cells[3] == cells[4] and cells[5].startswith(EQUAL) for cells in both)
    timed = [cells for cells in both if NONE not in cells[6:8]]
    theirs, ours = (sum(float(cells[column]) for cells in timed) for column in (6, 7))
    return (
        f"{_SUM}{alike} of {len(both)} end alike with the same bytes; {theirs:.0f} s in Cooja, {ours:.1f} s "
        "in the embedded engine."
    )


def _cells(line: str) -> tuple[str, ...]:
    return tuple(cell.strip() for cell in line.strip().strip("|").split("|"))
