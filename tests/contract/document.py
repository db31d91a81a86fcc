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
_HEAD = ("application", "topology", "metric", "embedded", "Contiki-NG", "difference", "95 % interval", "p", "verdict")


def summary(rows: Sequence[Row], apart: Sequence[str]) -> str:
    counted = Counter(row.verdict for row in rows)
    said = ", ".join(f"{number} {verdict}" for verdict, number in sorted(counted.items()))
    return f"{len({(row.case, row.shape) for row in rows})} cases, {len(rows)} metrics: {said}; {len(apart)} records of only one source"


def renew(rows: Sequence[Row], apart: Sequence[str], seeds: int, document: Path = DOCUMENT) -> None:
    """Replaces what follows the heading."""
    above = document.read_text(encoding="utf-8").partition(_HEADING)[0].rstrip("\n")
    lines = [f"Seeds 1 to {seeds}. {summary(rows, apart)}.", *(f"- {said}" for said in apart), "",
             "| " + " | ".join(_HEAD) + " |", "|" + " --- |" * 3 + " ---: |" * 5 + " --- |",
             *("| " + " | ".join(row.cells()) + " |" for row in rows)]
    write(document, f"{above}\n{_HEADING}{chr(10).join(lines)}\n".encode())
