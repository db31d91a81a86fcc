# SPDX-License-Identifier: Apache-2.0
"""Declares the tables that logs become: their columns, and which kind of record fills which table.

Every table starts with the run that its rows belong to (KEYS). Times are microseconds of simulated time, and
motes are Cooja ids.
"""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

KEYS: tuple[tuple[str, pa.DataType], ...] = (
    ("experiment", pa.string()),
    ("cell", pa.string()),
    ("seed", pa.int64()),
    ("run_id", pa.string()),
)
EVENT_LIST = pa.list_(pa.struct([("publisher", pa.int32()), ("sequence", pa.int64())]))

_INT, _STR = pa.int64(), pa.string()
_WHERE = (("time_us", _INT), ("mote", _INT))

# table -> its columns after KEYS; spark/README.md lists them
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
    "nodes": (*_WHERE, ("role", _STR), ("index", _INT), ("parent", _INT), ("publishers_through", _INT)),
    "phases": (*_WHERE, ("phase", _STR), ("detail", _INT)),
    "counters": (*_WHERE, ("name", _STR), ("value", _INT)),
    "deliveries": (*_WHERE, ("publisher", _INT), ("events", _INT), ("duplicates", _INT)),
    "aggregates": (*_WHERE, ("contributors", _INT), ("count", _INT)),
    "delays": (*_WHERE, ("upper_ms", _INT), ("count", _INT)),
    "states": (*_WHERE, ("state", _STR), ("state_us", _INT)),
    "threads": (
        *_WHERE,
        ("name", _STR),
        ("priority", _INT),
        ("cpu_us", _INT),
        ("switches", _INT),
        ("stack_used", _INT),
        ("stack_size", _INT),
    ),
    "subscriptions": (
        *_WHERE,
        ("event", _INT),
        ("subscriber", _INT),
        ("thread", _STR),
        ("deadline_us", _INT),
        ("notified", _INT),
        ("missed", _INT),
        ("total_us", _INT),
        ("max_us", _INT),
    ),
    # one row for each mote and policy of its firmware that was loaded or asked
    "policies": (
        *_WHERE,
        ("policy", _STR),
        ("loaded", _INT),
        ("state", _INT),
        ("accepted", _INT),
        ("discarded", _INT),
        ("no_rule", _INT),
    ),
    # what policies said (kind pev), conflicts between them (pcf) and updates of them (pup), one row for each
    # record; a column that a kind does not have is null
    "policy_events": (
        *_WHERE,
        ("kind", _STR),
        ("policy", _STR),
        ("point", _STR),
        ("operation", _STR),
        ("topic", _STR),
        ("outcome", _STR),
        ("state", _INT),
        ("accepts", _INT),
        ("discards", _INT),
        ("what", _STR),
        ("other", _INT),
    ),
    # the trace, one row for each record; a column that a kind does not have is null
    # data distribution: one row for each job of a task, and for each value that a target used
    "jobs": (
        *_WHERE,
        ("task", _STR),
        ("kind", _STR),
        ("number", _INT),
        ("release_us", _INT),
        ("response_us", _INT),
        ("deadline_us", _INT),
    ),
    "ages": (
        *_WHERE,
        ("target", _STR),
        ("number", _INT),
        ("age_us", _INT),
        ("error_us", _INT),
        ("validity_us", _INT),
    ),
    # the trace, one row an event; a column that a kind does not have is null
    "events": (
        *_WHERE,
        ("kind", _STR),
        ("subject", _STR),
        ("publisher", _INT),
        ("sequence", _INT),
        ("value", _INT),
        ("peer", _INT),
        ("frame", _INT),
        ("reason", _STR),
        ("events", EVENT_LIST),
        ("stored", EVENT_LIST),
    ),
    # the trace inside a mote (threads and blackboard), one row for each record; a column that a kind does not
    # have is null
    "execution": (
        *_WHERE,
        ("kind", _STR),
        ("thread", _STR),
        ("why", _STR),
        ("event", _INT),
        ("value", _INT),
        ("subscriber", _INT),
        ("delay_us", _INT),
        ("deadline_us", _INT),
    ),
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
    "job": Target("jobs", {}),
    "age": Target("ages", {}),
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
    "thr": Target("threads", {}, ("name",)),
    "nts": Target("subscriptions", {}, ("event", "subscriber", "thread", "deadline_us")),
    "pol": Target("policies", {}, ("policy",)),
    "pev": Target("policy_events", {}),
    "pcf": Target("policy_events", {}),
    "pup": Target("policy_events", {"result": "outcome"}),
    "sch": Target("execution", {}),
    "bpb": Target("execution", {}),
    "ntf": Target("execution", {}),
}
# Tables with many rows for each run, which are handed out as they are read; rows have the record's kind.
TRACES = ("events", "execution", "policy_events")


def schema(table: str) -> pa.Schema:
    """Return the table's Arrow schema, KEYS first; all others (Parquet, pandas, Polars, Spark) follow it."""
    return pa.schema([*KEYS, *COLUMNS[table]])
