# SPDX-License-Identifier: Apache-2.0
"""A run's tables, read by orchestrate_spark.load (no JVM), its errors as ours."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.errors import NoSuchThing

if TYPE_CHECKING:
    import polars as pl


def read(where: Path, tables: Iterable[str]) -> dict[str, pl.DataFrame]:
    """Polars frames by table name (orchestrate_spark.tables). Raises NoSuchThing if there is no readable
    log."""
    every = _parsed(Path(where))
    return {name: every[name] for name in tables}


@lru_cache(
    maxsize=2
)  # a log is parsed whole whatever is wanted of it, and a traced one may have a million lines
def _parsed(where: Path) -> dict[str, pl.DataFrame]:
    from orchestrate_spark.errors import NoRuns
    from orchestrate_spark.load import load

    try:
        return load(where, "polars")
    except NoRuns as error:
        raise NoSuchThing(str(error)) from error
