# SPDX-License-Identifier: Apache-2.0
"""Declares the tables that logs become: their columns, and which kind of record fills which table.

Every table starts with the run that its rows belong to (KEYS). Times are microseconds of simulated time, and
motes are Cooja ids.
"""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from orchestrate_spark import sources
from orchestrate_spark.log_format import RECORDS

KEYS: tuple[tuple[str, pa.DataType], ...] = (
    ("experiment", pa.string()),
    ("cell", pa.string()),
    ("seed", pa.int64()),
    ("run_id", pa.string()),
)
EVENT_LIST = pa.list_(pa.struct([("publisher", pa.int32()), ("sequence", pa.int64())]))

_INT, _STR = pa.int64(), pa.string()
_WHERE = (("time_us", _INT), ("mote", _INT))


@dataclass(frozen=True)
class Target:
    """The table of a kind of record.

    `rename`: field -> column. `unique`: columns that, with run and mote, identify one value; a repeated value
    replaces the earlier one (a mote that is asked twice dumps twice). None: every record is a row.
    """

    table: str
    rename: dict[str, str]
    unique: tuple[str, ...] | None = None


TARGETS: dict[str, Target] = {
    "node": Target("nodes", {}, ()),
    "run": Target("phases", {}),
    "cnt": Target("counters", {}, ("name",)),
    "from": Target("deliveries", {}, ("publisher",)),
    "agg": Target("aggregates", {}, ("contributors",)),
    "dly": Target("delays", {}, ("upper_ms",)),
    "nrg": Target("states", {"time_us": "state_us"}, ("state",)),
    "thr": Target("threads", {}, ("name",)),
    "nts": Target("subscriptions", {}, ("event", "subscriber", "thread", "deadline_us")),
    # one row for each mote and policy of its firmware that was loaded or asked
    "pol": Target("policies", {}, ("policy",)),
    # what policies said, conflicts between them and updates of them
    "pev": Target("policy_events", {}),
    "pcf": Target("policy_events", {}),
    "pup": Target("policy_events", {"result": "outcome"}),
    # data distribution: one row for each job of a task, and for each value that a target used
    "job": Target("jobs", {}),
    "age": Target("ages", {}),
    # the trace
    "pub": Target("events", {}),
    "snd": Target("events", {"to": "peer"}),
    "rcv": Target("events", {"from": "peer"}),
    "drp": Target("events", {"from": "peer"}),
    "mrg": Target("events", {"arrived": "events"}),
    "fwd": Target("events", {}),
    "sub": Target("events", {"renewal_ms": "value"}),
    "die": Target("events", {}),
    "rev": Target("events", {"boot": "value"}),
    "dlv": Target("events", {"from": "peer"}),
    # the trace inside a mote: threads and blackboard
    "sch": Target("execution", {}),
    "bpb": Target("execution", {}),
    "ntf": Target("execution", {}),
}
# Tables with many rows for each run, which are handed out as they are read. Rows have the record's kind; a
# column that a kind does not have is null.
TRACES = ("events", "execution", "policy_events")


def _of_records() -> dict[str, tuple[tuple[str, pa.DataType], ...]]:
    """Return the columns of tables that records fill: the fields of their kinds, lists of events last."""
    types = {"int": _INT, "str": _STR, "events": EVENT_LIST}
    found: dict[str, dict[str, pa.DataType]] = {}
    for kind, target in TARGETS.items():
        columns = found.setdefault(target.table, {"kind": _STR} if target.table in TRACES else {})
        columns |= {target.rename.get(name, name): types[type_] for name, type_ in RECORDS[kind]}
    return {
        table: (*_WHERE, *sorted(columns.items(), key=lambda column: column[1] == EVENT_LIST))
        for table, columns in found.items()
    }


# table of logs -> its columns after KEYS; spark/README.md lists them
COLUMNS: dict[str, tuple[tuple[str, pa.DataType], ...]] = {
    # one row for each run: its manifest, and what its log says of the whole run
    "runs": (
        ("trend_id", _STR),
        ("outcome", _STR),
        ("finished", _STR),
        ("aggregate", pa.bool_()),
        ("pair", _STR),
        ("settings", _STR),
        ("parameters", _STR),
        ("statistics", _STR),
        ("engine", _STR),
        ("engine_version", _STR),
        ("rules", _STR),
        ("sim_us", _INT),
        ("wall_s", pa.float64()),
        ("log_bytes", _INT),
        ("lines", _INT),
        ("malformed", _INT),
        ("clock_jumps", _INT),
        ("log_seed", _INT),
        ("verdict", _STR),
        ("ended_us", _INT),
    ),
    # one row for each mote of the run's layout
    "motes": (
        ("mote", _INT),
        ("name", _STR),
        ("role", _STR),
        ("x", pa.float64()),
        ("y", pa.float64()),
        ("parent", _INT),
    ),
    **_of_records(),
    # lines that are not records
    "text": (("line", _INT), *_WHERE, ("text", _STR)),
    # records of kinds that only a user's own application prints, their fields as text
    "records": (("line", _INT), *_WHERE, ("kind", _STR), ("fields", pa.list_(pa.string()))),
    # what did not fit the format: one row for each run and reason; `kept` is true where the line was used all
    # the same
    "damage": (
        ("reason", _STR),
        ("kept", pa.bool_()),
        ("count", _INT),
        ("first_line", _INT),
        ("samples", pa.list_(pa.string())),
    ),
}


def every() -> dict[str, sources.Columns]:
    """Return the columns after KEYS of every table: first those of logs, then those of sources."""
    return COLUMNS | sources.columns()


def schema(table: str) -> pa.Schema:
    """Return the table's Arrow schema, KEYS first; all others (Parquet, pandas, Polars, Spark) follow it."""
    return pa.schema([*KEYS, *(COLUMNS.get(table) or sources.columns()[table])])


def encoded(table: str) -> pa.Schema:
    """Return a table's schema as its files are written: texts of a source's tables are dictionaries.

    A reader sees the same columns as those of `schema`; writing them takes a fraction of the time.
    """
    if table in COLUMNS:
        return schema(table)
    text, numbers = pa.string(), pa.dictionary(pa.int32(), pa.string())
    return pa.schema(
        [field.with_type(numbers if field.type == text else field.type) for field in schema(table)]
    )


def fitted(table: str, rows: pa.Table) -> pa.Table:
    """Return rows in the table's columns. Raises ArrowInvalid if a value doesn't fit.

    Columns that they lack are null, and those that the table does not have are left out.
    """
    return conform(rows, schema(table))


def conform(rows: pa.Table, wanted: pa.Schema) -> pa.Table:
    """Return rows in a schema's columns, as `fitted` does. Raises ArrowInvalid if a value doesn't fit."""
    columns = [
        rows[field.name].cast(field.type)
        if field.name in rows.column_names
        else pa.nulls(rows.num_rows, field.type)
        for field in wanted
    ]
    return pa.Table.from_arrays(columns, schema=wanted)
