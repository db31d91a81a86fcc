# SPDX-License-Identifier: Apache-2.0
"""What is to be computed of the built-in metrics, and what the index remembers of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import pyarrow as pa

from orchestrate_spark import snapshot
from orchestrate_spark.errors import TablesFailed
from orchestrate_spark.jobs import increment

BASIS, CELLS = "basis", "cells"  # in the index: increment.Basis, and each cell with the number of its runs


@dataclass(frozen=True)
class Usual:
    """What to compute of the built-in metrics, and `cells`: those with another number of runs than before."""

    what: increment.Increment
    basis: increment.Basis
    cells: frozenset[tuple[str, str]]
    counts: dict[tuple[str, str], int]
    tables: dict

    @classmethod
    def of(
        cls,
        folder: Path,
        chosen: dict[str, tuple[str, str]],
        made_by: str,
        before: increment.Basis | None,
        cells: object,
    ) -> Usual:
        """Decide it. `cells`: what the index had of them. Raises TablesFailed."""
        tables = snapshot.index(folder, "tables")
        with damage_of_tables(folder):
            now = increment.basis(folder, tables, made_by, list(chosen))
            what, now = increment.plan(folder, tables, before, now)
        counts = dict(Counter(chosen.values()))
        there = {(one[0], one[1]): one[2] for one in cells} if isinstance(cells, list) else {}
        other = frozenset(
            cell for cell in counts.keys() | there.keys() if counts.get(cell) != there.get(cell)
        )
        return cls(what, now, other, counts, tables)

    def state(self, folder: Path) -> dict:
        """Return what the index remembers of it."""
        basis = self.basis
        if self.what.runs is None:
            with damage_of_tables(folder):
                basis = increment.witnesses(folder, self.tables, basis)
        cells = [[*cell, count] for cell, count in sorted(self.counts.items())]
        return {BASIS: asdict(basis), CELLS: cells}


@contextmanager
def damage_of_tables(folder: Path) -> Iterator[None]:
    """Raise TablesFailed, with the remedy, for what Parquet files raise that can't be read."""
    try:
        yield
    except (OSError, pa.ArrowException) as error:
        raise TablesFailed(
            f"{folder / 'tables'}: {error}\n    ingest again, which makes damaged tables anew"
        ) from error
