# SPDX-License-Identifier: Apache-2.0
"""Generates parts of spark/README.md: `python -m orchestrate_spark.document README.md` updates them."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from orchestrate_spark.log_format import COUNTERS, DAMAGE, FRAME_LINES, MARKER, RECORDS
from orchestrate_spark.metrics import built_in
from orchestrate_spark.metrics.energy_model import CURRENT_MA, MCU_MA, STATES, SUPPLY_V
from orchestrate_spark.tables import KEYS, TARGETS, every

_BLOCK = re.compile(r"(<!-- begin (\w+) -->\n).*?(<!-- end \2 -->)", re.DOTALL)


def _table(heads: tuple[str, ...], rows: Iterable[Sequence[object]]) -> str:
    lines = [heads, tuple("---" for _ in heads), *rows]
    return "".join(
        "| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |\n" for line in lines
    )


def records() -> str:
    """Make the table of records."""
    return _table(
        ("record", "goes to"),
        (
            (
                "`" + MARKER + kind + "".join(f",{name}:{type_}" for name, type_ in fields) + "`",
                f"`{TARGETS[kind].table}`",
            )
            for kind, fields in RECORDS.items()
        ),
    )


def counters() -> str:
    """Make the table of counters."""
    return _table(("counter", "what it counts"), ((f"`{name}`", what) for name, what in COUNTERS.items()))


def frame() -> str:
    """Make the table of Cooja's own lines."""
    return _table(
        ("line", "column of `runs`"), ((f"`{line}`", f"`{column}`") for line, column in FRAME_LINES.items())
    )


def damage() -> str:
    """Make the table of reasons why a line does not fit."""
    return _table(
        ("reason", "what", "used all the same"),
        ((f"`{reason}`", what, "yes" if kept else "no") for reason, (kept, what) in DAMAGE.items()),
    )


def tables() -> str:
    """Make the list of tables with their columns."""
    keys = ", ".join(f"`{name}` {type_}" for name, type_ in KEYS)
    rows = (
        (f"`{name}`", ", ".join(f"`{column}` {type_}" for column, type_ in columns))
        for name, columns in every().items()
    )
    return f"Every table begins with {keys}.\n\n" + _table(("table", "columns"), rows)


def metrics() -> str:
    """Make the table of metrics."""
    return _table(
        ("metric", "unit", "better", "definition", "paper", "made from the records"),
        (
            (
                f"`{name}`",
                metric.unit,
                metric.better or "-",
                metric.definition,
                metric.paper,
                _needed(metric.needs),
            )
            for name, metric in built_in().items()
        ),
    )


def _needed(records: str) -> str:
    return (
        "; or ".join(", ".join(f"`{record}`" for record in one.split()) for one in records.split(" or "))
        if records != "-"
        else records
    )


def energy() -> str:
    """Make the table of states and their currents."""
    return f"Supply: {SUPPLY_V} V.\n\n" + _table(
        ("state of `nrg`", "of", "mA"),
        (
            *(
                (f"`{state}`", f"transceiver, `{radio}`", CURRENT_MA[radio])
                for state, radio in STATES.items()
            ),
            *((f"`{state}`", "microcontroller", ma) for state, ma in MCU_MA.items()),
        ),
    )


PARTS = {part.__name__: part for part in (records, counters, frame, damage, tables, metrics, energy)}


def updated(text: str) -> str:
    """Return the text with each `<!-- begin NAME -->` block as it should be."""
    return _BLOCK.sub(lambda found: found[1] + PARTS[found[2]]() + found[3], text)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        Path(name).write_text(updated(Path(name).read_text(encoding="utf-8")), encoding="utf-8")
