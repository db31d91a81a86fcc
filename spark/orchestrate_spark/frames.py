# SPDX-License-Identifier: Apache-2.0
"""Makes finished tables of runs: the parser's rows with each run's keys, and the manifests' rows.

Both the Spark jobs and `load` get their rows here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from orchestrate_spark.damage import DAMAGE_COLUMNS, SAMPLE_LENGTH, SAMPLES
from orchestrate_spark.end_records import unfinished as not_finished
from orchestrate_spark.experiment import UNKNOWN, Run
from orchestrate_spark.lines import BLOCK
from orchestrate_spark.log_format import DAMAGE
from orchestrate_spark.parse import LogParser
from orchestrate_spark.tables import COLUMNS, KEYS, fitted, schema

OUTCOMES = {
    "OK": "ok",
    "FAILED": "failed verdict",
    "TIMEOUT": "script timeout",
}  # Cooja's verdict -> a run's outcome
OK, TRUNCATED = "ok", "truncated log"
_NAMES = {"subscriber": "S", "control": "C"}  # as the topologies name their motes


def read(runs: Sequence[Run], block: int = BLOCK) -> Iterator[tuple[str, pa.Table]]:
    """Yield (table, rows) in the table's schema, rows in the order of `runs` and of their lines.

    Parts of the traces, `records` and `text` come as they are read. Afterwards every table that did not come
    yet comes once; it may be empty.
    """
    keys = pa.table({name: pa.array([getattr(run, name) for run in runs], type_) for name, type_ in KEYS})
    parser = LogParser([Path(run.log) for run in runs], block, seen=any(run.foreign for run in runs))
    given: set[str] = set()
    for table, rows in parser.stream():
        given.add(table)
        yield table, _finished(table, rows, keys)
    motes = _motes(runs, parser)
    outcomes = [_outcome(run, verdict) for run, verdict in zip(runs, parser.logs["verdict"])]
    unfinished = _unfinished(runs, outcomes, motes)
    damage = pa.concat_tables([parser.damage, unfinished])
    # A manifest's outcome stays: whoever made the run has judged it. Its motes are named all the same.
    for log in unfinished["log"].to_pylist():
        if runs[log].foreign:
            outcomes[log] = TRUNCATED
    tables = {
        **parser.tables,
        "runs": _runs(runs, parser, outcomes),
        "motes": _with_log(motes),
        "damage": damage.sort_by([("log", "ascending"), ("reason", "ascending")]),
    }
    for table in COLUMNS:
        if table in tables:
            yield table, _finished(table, tables[table], keys)
        elif table not in given:
            yield table, schema(table).empty_table()


def _finished(table: str, rows: pa.Table, keys: pa.Table) -> pa.Table:
    of = keys.take(rows["log"])
    columns = {name: of[name] for name in of.column_names}
    columns |= {name: rows[name] for name in rows.column_names if name != "log"}
    return fitted(table, pa.table(columns))


def _outcome(run: Run, verdict: str | None) -> str:
    told = run.row["outcome"]
    return OUTCOMES.get(verdict or "", UNKNOWN) if told == UNKNOWN else told


def _runs(runs: Sequence[Run], parser: LogParser, outcomes: Sequence[str]) -> pa.Table:
    told = {
        name: pa.array(parser.logs.get(name, [run.row.get(name) for run in runs]), type_)
        for name, type_ in COLUMNS["runs"]
    }
    return pa.table({**told, "outcome": outcomes, "log": pa.array(np.arange(len(runs), dtype=np.int32))})


def _motes(runs: Sequence[Run], parser: LogParser) -> list[dict[str, Any]]:
    """Return the rows of the table `motes` with `log`: those of manifests, and what foreign logs say."""
    told = [{"log": log, **mote} for log, run in enumerate(runs) for mote in run.motes]
    foreign = [log for log, run in enumerate(runs) if run.foreign]
    if not foreign:
        return told
    nodes: dict[tuple[int, int], dict] = {}
    if "nodes" in parser.tables:
        nodes = {(row["log"], row["mote"]): row for row in _of(parser.tables["nodes"], foreign)}
    seen = _of(parser.motes, foreign)
    names = [_name(nodes.get((row["log"], row["mote"]), {})) for row in seen]
    named = Counter((row["log"], name) for row, name in zip(seen, names) if name)
    for row, name in zip(seen, names):
        node = nodes.get((row["log"], row["mote"]), {})
        unique = name and named[row["log"], name] == 1
        row |= {"name": name if unique else f"mote {row['mote']}", "x": None, "y": None}
        row |= {"role": node.get("role"), "parent": node.get("parent")}
    return sorted([*told, *seen], key=lambda row: (row["log"], row["mote"]))


def _of(rows: pa.Table, logs: Sequence[int]) -> list[dict[str, Any]]:
    return rows.filter(pc.is_in(rows["log"], pa.array(logs, pa.int32()))).to_pylist()


def _name(node: Mapping[str, Any]) -> str | None:
    """Return the name that a mote has by its role, None if it has none."""
    return f"P{node['index']}" if node.get("role") == "publisher" else _NAMES.get(node.get("role", ""))


def _with_log(motes: Sequence[dict[str, Any]]) -> pa.Table:
    return pa.Table.from_pylist(list(motes), pa.schema([("log", pa.int32()), *COLUMNS["motes"]]))


def _unfinished(runs: Sequence[Run], outcomes: Sequence[str], motes: Sequence[Mapping[str, Any]]) -> pa.Table:
    """Return rows of `damage` for good runs in which motes didn't live to the end."""
    names: dict[int, dict[int, str]] = {}
    for mote in motes:
        names.setdefault(mote["log"], {})[mote["mote"]] = mote["name"]
    rows = []
    for log, outcome in enumerate(outcomes):
        if outcome not in (OK, UNKNOWN) or log not in names or not Path(runs[log].log).is_file():
            continue
        if found := not_finished(Path(runs[log].log), names[log]):
            said = [f"{names[log][one.mote]} (mote {one.mote}) {one.why}"[:SAMPLE_LENGTH] for one in found]
            row = {"log": log, "reason": "ended", "count": len(found), "first_line": 0}
            rows.append(row | {"samples": said[:SAMPLES], "kept": DAMAGE["ended"][0]})
    return pa.Table.from_pylist(rows, DAMAGE_COLUMNS)
