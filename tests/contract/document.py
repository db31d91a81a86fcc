# SPDX-License-Identifier: Apache-2.0
"""docs/contract.md: its table is made, what stands above the table is written by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from orchestrator.durable import write
from tests.contract.judge import Row

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "contract.md"
_HEADING = "\n## Measured\n"
_HEAD = ("application", "topology", "metric", "seeds", "embedded", "Contiki-NG", "difference", "95 % interval", "p", "verdict")


def summary(rows: Sequence[Row], apart: Sequence[str]) -> str:
    counted = Counter(row.verdict for row in rows)
    said = ", ".join(f"{number} {verdict}" for verdict, number in sorted(counted.items()))
    return f"{len({(row.case, row.shape) for row in rows})} cases, {len(rows)} metrics: {said}; {len(apart)} records of only one source"


def renew(rows: Sequence[Row], apart: Sequence[str], seeds: int, lacking: Sequence[str] = (), refused: Sequence[str] = (),
          document: Path = DOCUMENT) -> None:
    """Replaces what follows the heading. `lacking`: cases that were not measured; `refused`: what applications say no to."""
    above = document.read_text(encoding="utf-8").partition(_HEADING)[0].rstrip("\n")
    lines = [f"Seeds 1 to {seeds}; where more are named, those after {seeds} alone. {summary(rows, apart)}.",
             *(f"- {said}" for said in apart), *(f"- not offered: {said}" for said in refused), *(f"- not measured: {said}" for said in lacking), "",
             "| " + " | ".join(_HEAD) + " |", "|" + " --- |" * 3 + " ---: |" * 6 + " --- |",
             *("| " + " | ".join(row.cells()) + " |" for row in rows)]
    write(document, f"{above}\n{_HEADING}{chr(10).join(lines)}\n".encode())
