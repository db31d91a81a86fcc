# SPDX-License-Identifier: Apache-2.0
"""Reads a paper's table of scheduling parameters as it is printed.

Its columns are names, then whole microseconds with or without commas between thousands. Tabs or at least two
spaces separate them.
"""

from __future__ import annotations

import re
from pathlib import Path

from orchestrator.features.distribution.model import Timing
from orchestrator.vocabulary import document, units
from orchestrator.vocabulary.document import LineOf, Mapping, Scalar
from orchestrator.vocabulary.faults import Faults
from orchestrator.vocabulary.units import short

MOST_BYTES = 1 << 20
HEADINGS = {
    "name": "name",
    "period": "period",
    "release": "release",
    "deadline": "deadline",
    "exec time": "execution",
}
_GAP = re.compile(r"\t+| {2,}")
_UNIT = re.compile(r"(.*?),?\s*(?:µsec|μsec|usec|µs|us)?", re.ASCII)
_NUMBER = re.compile(r"[0-9]{1,3}(,[0-9]{3}){1,6}|[0-9]{1,18}", re.ASCII)


def read(path: Path, line: int, faults: Faults) -> dict[str, Mapping]:
    """Return the rows by name, each as a mapping that an entry of a file could have; faults are noted.

    `line`: the line in which a system's file names the table.
    """
    try:
        with path.open("rb") as stream:
            data = stream.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        faults.add(line, f"no table {str(path)!r}: {reason}", "name a file beside this one")
        return {}
    within = Faults(str(path))
    text = document.decode(data, within, MOST_BYTES)
    rows = {} if text is None else _rows(text, str(path), within)
    try:
        within.raise_any()
    except Exception as error:  # noqa: BLE001 - a FaultyInput: its faults join those of the file
        faults.extend(error.faults)  # type: ignore[attr-defined]
    return rows


def timing(row: Mapping) -> Timing:
    """Return a row's scheduling parameters."""
    return Timing(**{key.text: units.parse(node.text, units.TIME) for key, node in row})  # type: ignore[union-attr]


def _rows(text: str, file: str, faults: Faults) -> dict[str, Mapping]:
    rows: dict[str, Mapping] = {}
    headings: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        cells = [cell.strip() for cell in _GAP.split(line.strip())]
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if not headings:
            headings = [HEADINGS.get(_UNIT.fullmatch(cell)[1].lower(), "") for cell in cells]
            if headings != list(HEADINGS.values()):
                faults.add(number, "the first line has other headings", f"write {', '.join(HEADINGS)}")
                return {}
            continue
        if len(cells) != len(headings):
            faults.add(
                number,
                f"{len(cells)} columns instead of {len(headings)}",
                "put a tab or two spaces between columns",
            )
        elif wrong := [cell for cell in cells[1:] if not _NUMBER.fullmatch(cell)]:
            faults.add(
                number, f"{short(wrong[0])} is not a number of microseconds", "write it as 100000 or 100,000"
            )
        elif cells[0] in rows:
            faults.add(number, f"{short(cells[0])} is there twice", "keep one of the rows")
        else:
            at = LineOf(number, file)
            pairs = zip(headings[1:], (cell.replace(",", "") for cell in cells[1:]))
            rows[cells[0]] = Mapping(
                tuple((Scalar(name, at), Scalar(f"{value} us", at)) for name, value in pairs), at
            )
    if not headings:
        faults.add(0, "the table is empty", f"its first line has the headings {', '.join(HEADINGS)}")
    return rows
