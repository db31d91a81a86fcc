# SPDX-License-Identifier: Apache-2.0
"""Reads a run's tables with orchestrate_spark.load, without a JVM."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl


def read(where: Path, tables: Iterable[str]) -> dict[str, pl.DataFrame]:
    """Return Polars frames by table name (orchestrate_spark.tables). Raises NoSuchThing."""
    every = _parsed(Path(where))
    return {name: every[name] for name in tables}


# A log is parsed whole whichever tables are wanted, and that of a traced run may have a million lines.
@lru_cache(maxsize=2)
def _parsed(where: Path) -> dict[str, pl.DataFrame]:
    from orchestrate_spark.load import load

    return load(where, "polars")
