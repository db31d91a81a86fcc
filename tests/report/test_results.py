# SPDX-License-Identifier: Apache-2.0
"""What a report asks of an experiment's results: values, keys, seeds and the plan's cells, in their order."""

from __future__ import annotations

import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet
from test_recorded_pages import results

from orchestrator.errors import NoSuchThing, StorageFailed
from orchestrator.report.data import PER_RUN_COLUMNS, per_run_table, read
from tests import manifests

SENT = "packets_sent"


@pytest.fixture(scope="module")
def found():
    some = [(SENT, "P10", 1.0), (SENT, "P2", 2.0), (SENT, "total", 3.0)]
    values = {
        "a": {2: [*some, ("event_loss_rate", "total", 0.25)], 1: [(SENT, "P2", 5.0)]},
        "b": {7: [("retries", "total", 0.0)]},
    }
    made = [manifests.manifest(f"{cell}{seed}", cell=cell, seed=seed) for cell, seed in (("a", 1), ("a", 2))]
    return results(values, manifests=tuple(made), cells=("b", "a"), plan=("a2", "a1", "z9"))


def test_values_by_seed(found):
    assert found.values("a", SENT, "P2").to_dict() == {1: 5.0, 2: 2.0}
    assert found.values("a", SENT).to_dict() == {2: 3.0} and len(found.values("b", SENT)) == 0
    assert found.counts("a", SENT, "P10").to_dict() == {1: 0.0, 2: 1.0}
    assert found.summed("a", SENT).to_dict() == {1: 5.0, 2: 3.0} and len(found.summed("b", SENT)) == 0
    share = found.estimate("a", "event_loss_rate", scale=100)
    assert (share.n, share.mean) == (1, 25.0) and not found.estimate("b", SENT).known


def test_what_there_is(found):
    assert found.keys(SENT) == found.keys(SENT, "a") == ["P2", "P10", "total"] and found.keys(SENT, "b") == []
    assert found.cells_with(SENT) == ["a"] and found.metrics() == ["event_loss_rate", SENT, "retries"]
    assert [found.place(cell) for cell in ("a", "b")] == [1, 0]
    assert found.seeds("a") == [1, 2] and found.seeds("c") == []
    assert found.manifest("a").seed == 1 and found.manifest("b") is None
    assert found.measured == {"a1", "a2", "b7"}


def test_the_plan(found):
    """Without one, what was made or measured counts."""
    assert found.planned == 3
    line = [(SENT, "S", 1.0)]
    alone = results({"b": {1: line}, "a": {1: line}})
    assert alone.planned == 2
    made = tuple(manifests.manifest(f"{place}" * 20) for place in range(3))
    assert results({"a": {1: line}}, manifests=made).planned == 3


def test_a_table_of_records(tmp_path, found):
    from dataclasses import replace

    there = replace(found, folder=tmp_path)
    none = there.table("events", ["time_us", "mote"])
    assert list(none.columns) == ["time_us", "mote"] and none.empty
    (tmp_path / "tables" / "events").mkdir(parents=True)
    frame = pa.table({"mote": [1, 2], "time_us": [3, 4], "more": [5, 6]})
    parquet.write_table(frame, tmp_path / "tables" / "events" / "part-0.parquet")
    assert there.table("events", ["time_us"]).to_dict("list") == {"time_us": [3, 4]}
    assert there.table("events", ["time_us"], [("mote", "=", 2)]).to_dict("list") == {"time_us": [4]}


def test_metrics_are_read_in_order_whatever_their_files(tmp_path):
    rows = [
        ("e", "b", 1, "r1", "m", "k", 2),
        ("e", "a", 2, "r2", "m", "k", 1),
        ("e", "a", 1, "r3", "m", "k", 1),
    ]
    for place, part in enumerate((rows[:1], rows[1:])):
        frame = pd.DataFrame(part, columns=list(PER_RUN_COLUMNS)).astype(
            {"seed": "int32", "value": "float32"}
        )
        frame["more"] = 1
        parquet.write_table(pa.Table.from_pandas(frame, preserve_index=False), tmp_path / f"{place}.parquet")
    table = per_run_table(tmp_path, "e")
    assert table.index.tolist() == [0, 1, 2] and table["run_id"].tolist() == ["r3", "r2", "r1"]
    assert tuple(table.columns) == PER_RUN_COLUMNS
    assert (table["seed"].dtype, table["value"].dtype) == ("int64", "float64")


def test_faults_name_what_writes_the_metrics_again(tmp_path):
    folder = tmp_path / "e" / "metrics" / "per_run"
    with pytest.raises(NoSuchThing) as raised:
        read(tmp_path, "e")
    assert str(raised.value) == (
        f"no metrics of experiment 'e' in {folder}\n"
        "    run the scenario (`orchestrate run`) or, if its runs are there, `orchestrate metrics e` first"
    )
    folder.mkdir(parents=True)
    (folder / "0.parquet").write_bytes(b"PAR1")
    with pytest.raises(
        StorageFailed,
        match="(?s)^.*: not readable as Parquet: .*\n    write it again with `orchestrate metrics e`$",
    ):
        read(tmp_path, "e")
    parquet.write_table(pa.table({"cell": ["a"], "seed": [1]}), folder / "0.parquet")
    with pytest.raises(StorageFailed) as raised:
        read(tmp_path, "e")
    assert str(raised.value) == (
        f"{folder}: columns missing: experiment, run_id, metric, key, value\n"
        "    write it again with `orchestrate metrics e`"
    )


def test_a_scenario_s_text_comes_as_it_is(tmp_path):
    folder = tmp_path / "e" / "metrics" / "per_run"
    folder.mkdir(parents=True)
    frame = pd.DataFrame([("e", "", 1, "r", SENT, "S", 1.0)], columns=list(PER_RUN_COLUMNS))
    parquet.write_table(pa.Table.from_pandas(frame, preserve_index=False), folder / "0.parquet")
    assert read(tmp_path, "e").scenario == "" and read(tmp_path, "e").cells == ()
    (tmp_path / "e" / "scenario.yaml").write_bytes(b"a: \xff\n")
    assert read(tmp_path, "e").scenario == "a: \ufffd\n"
