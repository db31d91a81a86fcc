# SPDX-License-Identifier: Apache-2.0
"""Reads a run's tables with orchestrate_spark.load, without a JVM."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa


def read(where: Path, tables: Iterable[str]) -> dict[str, pa.Table]:
    """Return Arrow tables by name (orchestrate_spark.tables). Raises NoSuchThing."""
    every = _parsed(Path(where))
    return {name: every[name] for name in tables}


# A log is parsed whole whichever tables are wanted, and that of a traced run may have a million lines.
@lru_cache(maxsize=2)
def _parsed(where: Path) -> dict[str, pa.Table]:
    from orchestrate_spark.load import load

    return load(where, "arrow")


def having(rows: pa.Table, **values: Any) -> pa.Table:
    """Return the rows in which the columns have these values, or one of them if they are in a list."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for name, value in values.items():
        wanted = pa.array(value if isinstance(value, list) else [value], rows.schema.field(name).type)
        rows = rows.filter(pc.is_in(rows[name], wanted))
    return rows
