# SPDX-License-Identifier: Apache-2.0
"""The embedded engine computes right where there are more motes than Sail's usual batch has rows."""

import subprocess
import sys

import pyarrow as pa
import pytest
from orchestrate_spark import embedded, engines
from orchestrate_spark.engines import MOST_ROWS, Sessions
from orchestrate_spark.errors import NoEngine
from orchestrate_spark.metrics import inputs
from orchestrate_spark.stores import open_store
from orchestrate_spark.tables import COLUMNS, schema
from pyarrow import parquet

RUNS, MOTES, COUNTERS = 4_000, 10, 12


def column(field: pa.Field, values: dict[str, list], rows: int) -> pa.Array:
    return pa.array(values.get(field.name, [None] * rows), field.type)


def test_counters_stay_with_their_motes(tmp_path):
    """40,000 motes, in two files as a batch of runs each; a counter's value names its run and mote."""
    ids = [f"{run:08d}" for run in range(RUNS)]
    for name in COLUMNS:
        (tmp_path / "tables" / name).mkdir(parents=True)
        for part in range(2):
            mine = [
                (run, mote, number)
                for run in range(part, RUNS, 2)
                for mote in range(MOTES)
                for number in range(COUNTERS)
            ]
            mine = mine if name in ("counters", "states") else []
            values = {
                "run_id": [ids[run] for run, _, _ in mine],
                "mote": [mote for _, mote, _ in mine],
                "name": [f"counter{number}" for _, _, number in mine],
                "value": [run * MOTES + mote for run, mote, _ in mine],
                "state": [f"state{number}" for _, _, number in mine],
                "state_us": [run * MOTES + mote for run, mote, _ in mine],
            }
            wanted = schema(name)
            rows = pa.Table.from_arrays([column(one, values, len(mine)) for one in wanted], schema=wanted)
            parquet.write_table(rows, tmp_path / "tables" / name / f"{part}.parquet")
    session = Sessions("embedded")()
    embedded.activate(True)
    (tmp_path / "scratch").mkdir()
    found = inputs.read(session, tmp_path, ids, tmp_path / "scratch").motes
    rows = found.select("run_id", "mote", "counters").toArrow().to_pylist()
    assert len(rows) == RUNS * MOTES
    assert all(
        dict(row["counters"])
        == {f"counter{number}": int(row["run_id"]) * MOTES + row["mote"] for number in range(COUNTERS)}
        for row in rows
    )


MAPS = """
import pyarrow as pa
from orchestrate_spark import embedded
from orchestrate_spark import functions as F
from orchestrate_spark.metrics.model import collected_map

embedded.BATCH_ROWS = 8192  # as Sail has it
session = embedded.session()
wanted = {group: {f"n{k}": group * 100 + k for k in range(1 + group % 7)} for group in range(20_000)}
rows = [(group, name, value) for group, values in wanted.items() for name, value in values.items()]
frame = session.createDataFrame(pa.table(dict(zip(("group", "name", "value"), map(list, zip(*rows))))))
direct = F.map_from_entries(F.collect_list(F.struct("name", "value")))
for of in (direct, collected_map("name", "value")):
    found = frame.groupBy("group").agg(of.alias("map")).toArrow().to_pylist()
    print(sum(dict(row["map"]) != wanted[row["group"]] for row in found))
"""


def test_maps_of_more_groups_than_a_batch_are_those_of_their_groups():
    done = subprocess.run([sys.executable, "-c", MAPS], capture_output=True, text=True, check=True)
    direct, ours = map(int, done.stdout.split())
    assert ours == 0
    assert direct > 0, "Sail has mended map_from_entries: remove collected_map"


def test_larger_tables_are_for_apache_spark():
    with pytest.raises(NoEngine, match="local"):
        Sessions("embedded")(MOST_ROWS + 1)


def test_a_query_over_larger_tables_is_for_apache_spark(tmp_path, monkeypatch):
    for name in COLUMNS:
        (tmp_path / "exp" / "tables" / name).mkdir(parents=True)
    counters = schema("counters")
    rows = pa.Table.from_arrays([column(one, {}, 4) for one in counters], schema=counters)
    parquet.write_table(rows, tmp_path / "exp" / "tables" / "counters" / "0.parquet")
    monkeypatch.setattr(engines, "MOST_ROWS", 3)
    store = open_store(tmp_path, master="embedded")
    assert store.sql("select count(*) from runs").toArrow().num_rows == 1
    with pytest.raises(NoEngine, match="local"):
        store.sql("select count(*) from counters")
