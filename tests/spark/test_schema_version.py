# SPDX-License-Identifier: Apache-2.0
"""Tables of other versions: older ones are read, kept and migrated; later ones are left alone."""

from __future__ import annotations

import hashlib
import json

import pyarrow as pa
import pytest
from orchestrate_spark import code, schema_version, stores
from orchestrate_spark.errors import TablesFailed
from orchestrate_spark.jobs import ingest as job
from orchestrate_spark.jobs.metrics import choose
from orchestrate_spark.load import load
from orchestrate_spark.tables import COLUMNS, fitted, schema
from synthetic import Chain, write_experiment

CHAIN = Chain("A", 2)


@pytest.fixture
def ingested(tmp_path, spark):
    write_experiment(tmp_path / "exp", [CHAIN], range(1, 4))
    job.ingest(tmp_path / "exp", spark)
    return tmp_path / "exp"


def index(experiment, **changed):
    file = experiment / "tables" / "index.json"
    told = json.loads(file.read_text()) | changed
    file.write_text(json.dumps({key: value for key, value in told.items() if value is not None}))
    return told


def no_spark():
    raise AssertionError("nothing was to be read")


def test_a_change_of_the_columns_has_a_version_of_its_own():
    digest = hashlib.sha256("".join(f"{name}{schema(name)}" for name in COLUMNS).encode()).hexdigest()[:12]
    assert (schema_version.SCHEMA, digest) == (4, "65d4b228ad6e"), (
        "the columns have changed: count SCHEMA up, and say in schema_version.py what becomes of older rows"
    )


@pytest.mark.spark
def test_tables_that_name_no_version_are_read_as_they_are(ingested, spark):
    assert index(ingested)["schema"] == 4
    index(ingested, schema=None)  # as they were before there were versions
    assert job.ingest(ingested, no_spark).added == () and len(load(ingested)["runs"]) == 3
    write_experiment(ingested, [CHAIN], range(4, 5))
    assert len(job.ingest(ingested, spark).added) == 1
    assert index(ingested)["schema"] == 4


@pytest.mark.spark
def test_tables_of_a_later_version_are_left_alone(ingested):
    index(ingested, schema=5)
    before = (ingested / "tables").resolve()
    for reads in (
        lambda: job.ingest(ingested, no_spark),
        lambda: load(ingested),
        lambda: choose(ingested),
        lambda: stores.open_store(ingested.parent),
    ):
        with pytest.raises(TablesFailed, match="of schema 5, known are those to 4; nothing was changed"):
            reads()
    assert (ingested / "tables").resolve() == before


@pytest.mark.spark
def test_rows_of_another_parsers_tables_are_migrated_where_the_log_is_gone(ingested, spark, monkeypatch):
    runs = sorted(folder.name for folder in (ingested / "runs").iterdir())
    counters = load(ingested, "arrow", ["counters"])["counters"]
    (ingested / "runs" / runs[0] / "COOJA.testlog").unlink()
    assert job.ingest(ingested, no_spark).without_log == (runs[0],)  # and nothing has to be done
    monkeypatch.setattr(code, "digest", lambda modules: "another")
    done = job.ingest(ingested, spark)
    assert done.runs == 3 and done.without_log == (runs[0],) and done.damaged == ()
    assert len(index(ingested)["batches"]) == 2  # what was read again, and what was kept
    order = [(name, "ascending") for name in ("seed", "mote", "name")]
    assert load(ingested, "arrow", ["counters"])["counters"].sort_by(order) == counters.sort_by(order)


def test_columns_that_older_rows_lack_are_null_and_others_are_left_out():
    old = schema("nodes").empty_table().drop_columns(["role"])
    old = pa.table({**{name: old[name] for name in old.column_names}, "colour": pa.array([], pa.string())})
    assert fitted("nodes", old).schema == schema("nodes")
    rows = pa.table({"run_id": ["a"], "mote": pa.array([3], pa.int32())})
    assert fitted("nodes", rows).select(["run_id", "mote", "role"]).to_pylist() == [
        {"run_id": "a", "mote": 3, "role": None}
    ]


@pytest.mark.spark
def test_a_torn_file_is_named_and_its_runs_are_read_again(ingested, spark):
    file = next((ingested / "tables" / "counters").glob("*.parquet"))
    rows = load(ingested, "arrow", ["counters"])["counters"]
    file.write_bytes(file.read_bytes()[:100])
    assert job.ingest(ingested, spark).torn == (f"counters/{file.name}",)
    assert load(ingested, "arrow", ["counters"])["counters"] == rows
    assert job.ingest(ingested, no_spark).torn == ()


@pytest.mark.spark
def test_many_small_batches_are_put_together_without_their_logs(tmp_path, spark, monkeypatch):
    monkeypatch.setattr(job, "MANY", 2)
    folder = tmp_path / "exp"
    for seed in (3, 1, 2):
        runs = write_experiment(folder, [Chain("A", 2, trace=True, events=5)], range(seed, seed + 1))
        job.ingest(folder, spark)
    for run in runs:
        (run / "COOJA.testlog").write_bytes(b"")  # nobody reads it for that: it would be refused
    done = job.ingest(folder, spark, arrived=["none"])
    assert done.added == () and done.files == 3
    new = write_experiment(folder, [CHAIN], range(4, 5))
    done = job.ingest(folder, spark, arrived=[new[0].name])
    assert len(done.added) == 1 and done.files == 2 and done.runs == 4
    for table in ("events", "counters", "runs"):
        seeds = load(folder, "arrow", [table])[table]["seed"].to_pylist()
        assert set(seeds) == {1, 2, 3} | ({4} if table != "events" else set())
        merged = [seed for seed in seeds if seed != 4]
        assert merged == sorted(merged)
    events = load(folder, "polars", ["events"])["events"]
    for _, rows in events.group_by("run_id"):
        assert rows["time_us"].is_sorted()
