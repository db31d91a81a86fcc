# SPDX-License-Identifier: Apache-2.0
"""Decides of which runs the built-in metrics must be computed; the values of all others stay as they are.

A run's values depend on its own rows, which its fingerprint in the index of tables stands for, on the code
that makes tables and metrics, and in two ways on other runs (Family.compared and Family.printed). The index
of metrics remembers all this (`Basis`). Where it doesn't suffice, all runs are computed.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet

from orchestrate_spark.metrics import families
from orchestrate_spark.tables import schema


@dataclass(frozen=True)
class Basis:
    """What the values of the built-in metrics were computed from.

    `code`: a digest of what makes tables and metrics. `runs`: by id, each run's fingerprint and, after a
    space, what it has in common with the runs that it is compared with. `printed`: by table and
    application, a run that has rows in it.
    """

    code: str
    runs: Mapping[str, str]
    printed: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @classmethod
    def of(cls, stored: Any) -> Basis | None:
        """Return the basis in an index of metrics; None if it has none."""
        try:
            return cls(str(stored["code"]), dict(stored["runs"]), dict(stored["printed"]))
        except (KeyError, TypeError, ValueError):
            return None


@dataclass(frozen=True)
class Increment:
    """What is to be computed.

    `runs`: the runs whose values are; None for all that count. `gone`: those whose values were there before
    and must leave, `runs` among them. `batches`: the names of the tables' files in which `runs` are.
    """

    runs: tuple[str, ...] | None
    gone: frozenset[str] = frozenset()
    batches: tuple[str, ...] | None = None


def basis(folder: Path, tables: Mapping, code: str, chosen: Sequence[str]) -> Basis:
    """Return what the values of these runs follow from, but for `printed`. `tables`: the tables' index."""
    held = tables.get("batches", {})
    prints = {
        run: print_ + _of_sources(batch, run)
        for batch in held.values()
        for run, print_ in batch["runs"].items()
    }
    columns = dict.fromkeys(name for family in families() for name in family.compared)
    rows = _runs(folder, held, ("run_id", *columns))
    rows = rows.filter(pc.is_in(rows["run_id"], pa.array(chosen, pa.string())))
    texts = [rows[name].cast(pa.string()) for name in columns]
    # A null equals nothing: such a run is compared with no other.
    keys = pc.coalesce(pc.binary_join_element_wise(*texts, ":"), rows["run_id"])
    of = dict(zip(rows["run_id"].to_pylist(), keys.to_pylist()))
    return Basis(code, {run: f"{prints.get(run, '')} {of[run]}" for run in sorted(of)})


def _of_sources(batch: Mapping, run: str) -> str:
    """Return what the rows of sources were made from, as the index has it (orchestrate_spark.sources)."""
    return "".join(
        f"+{name}:{record['version']}:{record['files'].get(run, '')}"
        for name, record in sorted(batch.get("sources", {}).items())
    )


def plan(folder: Path, tables: Mapping, before: Basis | None, now: Basis) -> tuple[Increment, Basis]:
    """Return what to compute, and `now` with what stays true of `printed`.

    `before`: the basis of the values that are there, None if there are none that are whole.
    """
    everything = Increment(None), now
    if before is None or before.code != now.code:
        return everything
    same = {run for run, of in now.runs.items() if before.runs.get(run) == of}
    if not same:
        return everything
    changed = [*(of for run, of in now.runs.items() if run not in same)]
    changed += [of for run, of in before.runs.items() if run not in same]
    groups = {_group(of) for of in changed}
    todo = {run for run, of in now.runs.items() if run not in same or _group(of) in groups}
    held = tables.get("batches", {})
    printed: dict[str, dict[str, str]] = {}
    new = [run for run in now.runs if run not in same]
    applications = _applications(folder, held, new) if new else {}
    for table in _printed_tables():
        witnesses = before.printed.get(table, {})
        if not same.issuperset(witnesses.values()):
            return everything  # who else printed is not known
        printing = {applications[run] for run in _with_rows(folder, held, table, new)}
        if printing - set(witnesses):
            return everything  # earlier runs of the application may have printed none of it, which now counts
        todo |= {witnesses[name] for name in set(applications.values()) - printing if name in witnesses}
        printed[table] = dict(witnesses)
    if len(todo) == len(now.runs):
        return everything
    increment = Increment(
        tuple(sorted(todo)),
        frozenset(before.runs.keys() - (same - todo)),
        tuple(name for name, batch in held.items() if not todo.isdisjoint(batch["runs"])),
    )
    return increment, Basis(now.code, now.runs, printed)


def witnesses(folder: Path, tables: Mapping, now: Basis) -> Basis:
    """Return the basis with, for each table that matters, a run of each application that has rows in it."""
    held = tables.get("batches", {})
    printed: dict[str, dict[str, str]] = {}
    for table in _printed_tables():
        applications = _applications(folder, held, _with_rows(folder, held, table, now.runs))
        printed[table] = {}
        for run, name in applications.items():
            printed[table].setdefault(name, run)
    return Basis(now.code, now.runs, printed)


def _printed_tables() -> list[str]:
    return sorted({family.printed for family in families()} - {""})


def _group(of: str) -> str:
    return of.partition(" ")[2]


def _with_rows(folder: Path, held: Mapping, table: str, runs: Collection[str]) -> list[str]:
    """Return those of these runs that have rows in the table."""
    wanted, found = set(runs), set()
    for name, batch in held.items():
        if wanted.isdisjoint(batch["runs"]):
            continue
        with parquet.ParquetFile(folder / "tables" / table / f"{name}.parquet") as file:
            for part in file.iter_batches(columns=["run_id"]):
                found |= wanted.intersection(part.column(0).unique().to_pylist())
    return sorted(found)


def _applications(folder: Path, held: Mapping, runs: Sequence[str]) -> dict[str, str]:
    """Return the name of each run's application, empty if it has none."""
    wanted = set(runs)
    batches = {name: batch for name, batch in held.items() if not wanted.isdisjoint(batch["runs"])}
    rows = _runs(folder, batches, ("run_id", "parameters"))
    rows = rows.filter(pc.is_in(rows["run_id"], pa.array(runs, pa.string())))
    return {run: _application(told) for run, told in zip(*(column.to_pylist() for column in rows.columns))}


def _application(parameters: str | None) -> str:
    try:
        name = json.loads(parameters or "{}")["application"]["name"]
    except (KeyError, TypeError, ValueError):
        return ""
    return name if isinstance(name, str) else json.dumps(name)


def _runs(folder: Path, held: Iterable[str], columns: Sequence[str]) -> pa.Table:
    """Return columns of the table `runs` in these batches."""
    wanted = pa.schema([field for field in schema("runs") if field.name in columns])
    parts = [
        parquet.read_table(
            folder / "tables" / "runs" / f"{name}.parquet", schema=wanted, page_checksum_verification=True
        )
        for name in held
    ]
    return pa.concat_tables([wanted.empty_table(), *parts]).select(list(columns))
