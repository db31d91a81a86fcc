# SPDX-License-Identifier: Apache-2.0
"""Reads from the tables which records the motes of each cell printed, without a JVM."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from orchestrate_spark.tables import TARGETS, TRACES

_NAMED = {
    "counters": "name",
    **dict.fromkeys(TRACES, "kind"),
}  # the column that tells records of one table apart


def printed(experiment: Path, run_ids: Collection[str]) -> dict[str, set[str]]:
    """Return the kinds of records (`cnt,NAME` for a counter) of these runs by cell.

    A table that can't be read counts as empty.
    """
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow import parquet

    wanted = pa.array(sorted(run_ids), pa.string())
    found: dict[str, set[str]] = {}
    for table in sorted({target.table for target in TARGETS.values()}):
        kinds = [kind for kind, target in TARGETS.items() if target.table == table]
        columns = ["cell", "run_id", *([_NAMED[table]] if table in _NAMED else [])]
        for file in sorted((experiment / "tables" / table).glob("*.parquet")):
            try:
                rows = parquet.read_table(file, columns=columns)
            except (OSError, pa.ArrowException):
                continue
            rows = rows.filter(pc.is_in(rows["run_id"], wanted)).drop_columns(["run_id"])
            for row in rows.group_by(rows.column_names).aggregate([]).to_pylist():
                kind = (
                    kinds[0]
                    if table not in _NAMED
                    else row["kind"]
                    if table in TRACES
                    else f"cnt,{row['name']}"
                )
                found.setdefault(row["cell"], set()).add(kind)
    return found
