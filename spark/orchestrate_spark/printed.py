# SPDX-License-Identifier: Apache-2.0
"""Reads from the tables which records the motes of each cell printed, without a JVM."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from orchestrate_spark.log_format import COUNTERS
from orchestrate_spark.tables import TARGETS, TRACES

# table -> column that names what only a user's own application prints, and the names that are ours
_OWN = {"records": ("kind", ()), "counters": ("name", tuple(COUNTERS))}
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


def own(experiment: Path) -> dict[str, int]:
    """Return how many lines have each kind of record that only an application of the user's own prints.

    A counter is called `cnt,NAME`. A table that can't be read counts as empty.
    """
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow import parquet

    found: dict[str, int] = {}
    for table, (column, ours) in _OWN.items():
        for file in sorted((experiment / "tables" / table).glob("*.parquet")):
            try:
                names = parquet.read_table(file, columns=[column])[column]
            except (OSError, pa.ArrowException):
                continue
            names = names.filter(pc.invert(pc.is_in(names, pa.array(ours, pa.string()))))
            for one in names.value_counts().to_pylist():
                name = f"cnt,{one['values']}" if table == "counters" else one["values"]
                found[name] = found.get(name, 0) + one["counts"]
    return found
