# SPDX-License-Identifier: Apache-2.0
"""The door without Spark."""

from __future__ import annotations

import subprocess
import sys

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from orchestrate_spark.errors import NoRuns
from orchestrate_spark.load import load
from orchestrate_spark.tables import COLUMNS, every, schema
from synthetic import Chain, write_run


@pytest.fixture
def run(tmp_path):
    return write_run(tmp_path / "exp", Chain("A", 3, True, 4, trace=True), 7)


def test_a_run_folder_its_manifest_and_its_log_hold_the_same_records(run):
    folder, manifest = load(run, "arrow"), load(run / "manifest.json", "arrow")
    log = load(run / "COOJA.testlog", "arrow")
    assert list(folder) == list(every())
    for name in COLUMNS:
        assert folder[name].schema.equals(schema(name))
        assert folder[name].equals(manifest[name])
        if name not in ("runs", "motes"):
            dropped = ["experiment", "cell", "seed", "run_id"]
            assert folder[name].drop_columns(dropped).equals(log[name].drop_columns(dropped))
    assert folder["runs"]["cell"].to_pylist() == ["A"] and folder["runs"]["seed"].to_pylist() == [7]
    assert log["runs"]["outcome"].to_pylist() == ["ok"] and log["runs"]["log_seed"].to_pylist() == [7]


def test_a_log_alone_names_its_motes_as_the_topologies_do(run):
    motes = load(run / "COOJA.testlog", "polars", ["motes"])["motes"]
    assert motes["name"].to_list() == [
        "S",
        "P1",
        "P2",
        "P3",
        "mote 5",
    ]  # the control node dumps no node record


@pytest.mark.parametrize(
    ("end", "outcome"),
    [
        ("TEST OK\n", "ok"),
        ("TEST FAILED\n", "failed verdict"),
        ("TEST TIMEOUT\n", "script timeout"),
        ("TEST OK\nTEST FAILED\n", "failed verdict"),
        ("", "unknown"),
    ],
)
def test_a_log_alone_ended_as_its_last_verdict_says(tmp_path, end, outcome):
    (tmp_path / "a.log").write_text(f"1\tID:1\thello\n{end}")
    (row,) = load(tmp_path / "a.log", "arrow", ["runs"])["runs"].to_pylist()
    assert row["outcome"] == outcome


def test_a_run_ended_as_its_manifest_says(tmp_path):
    crashed = write_run(tmp_path / "exp", Chain("A", 1), 1, b"1\tID:1\thello\nTEST OK\n", outcome="crash")
    assert load(crashed, "arrow", ["runs"])["runs"]["outcome"].to_pylist() == ["crash"]


def test_motes_of_a_log_alone_that_would_have_the_same_name_keep_their_numbers(tmp_path):
    (tmp_path / "a.log").write_text(
        "1\tID:7\t!node,subscriber,0,0,2\n1\tID:3\t!node,subscriber,0,0,2\n1\tID:4\t!node,publisher,2,3,1\n"
        "1\tID:5\t!node,control,0,0,0\n1\tID:6\t!node,other,0,4,0\n2\tID:1\tsays only this\n"
    )
    motes = load(tmp_path / "a.log", "polars", ["motes"])["motes"]
    assert motes.select("mote", "name", "role", "x", "y", "parent").rows() == [
        (1, "mote 1", None, None, None, None),
        (3, "mote 3", "subscriber", None, None, 0),
        (4, "P2", "publisher", None, None, 3),
        (5, "C", "control", None, None, 0),
        (6, "mote 6", "other", None, None, 4),
        (7, "mote 7", "subscriber", None, None, 0),
    ]


def test_every_form_has_the_same_rows(run):
    forms = {as_: load(run, as_)["counters"] for as_ in ("pandas", "polars", "arrow")}
    assert isinstance(forms["pandas"], pd.DataFrame) and isinstance(forms["polars"], pl.DataFrame)
    assert isinstance(forms["arrow"], pa.Table)
    rows = forms["arrow"].to_pylist()
    assert len(rows) == 32
    assert forms["pandas"].to_dict("records") == rows == forms["polars"].to_dicts()


def test_faults_are_named(tmp_path, run):
    with pytest.raises(NoRuns, match="no run, no log"):
        load(tmp_path / "none")
    with pytest.raises(ValueError, match="as_ is one of"):
        load(run, "csv")
    with pytest.raises(ValueError, match="no table named x"):
        load(run, tables=["x"])
    (run / "manifest.json").write_text("{")
    with pytest.raises(NoRuns, match="verify the run"):
        load(run)


def test_loading_imports_no_pyspark(run):
    code = (
        f"import sys; from orchestrate_spark.load import load; load({str(run)!r}); print('pyspark' in "
        "sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "False", done.stderr
