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
from orchestrate_spark.tables import COLUMNS, schema
from synthetic import Chain, write_run


@pytest.fixture
def run(tmp_path):
    return write_run(tmp_path / "exp", Chain("A", 3, True, 4, trace=True), 7)


def test_a_run_folder_its_manifest_and_its_log_hold_the_same_records(run):
    folder, manifest = load(run, "arrow"), load(run / "manifest.json", "arrow")
    log = load(run / "COOJA.testlog", "arrow")
    assert list(folder) == list(COLUMNS)
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
