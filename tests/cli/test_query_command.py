# SPDX-License-Identifier: Apache-2.0
"""`orchestrate query`: what needs no Spark, and how rows are printed and written."""

from __future__ import annotations

import errno
import json
import os
import sys

import pyarrow as pa
import pytest
from pyarrow import parquet

from orchestrator import durable
from orchestrator.cli import query
from orchestrator.cli.app import main

ROWS = pa.table(
    {
        "cell": ["a", None],
        "n": pa.array([1063, 2], pa.int64()),
        "share": [0.5, None],
        "events": [[{"publisher": 3, "sequence": 17}], []],
    }
)


@pytest.fixture
def answered(monkeypatch):
    """Queries as they were asked; each is answered with ROWS."""
    asked = []
    monkeypatch.setattr(query, "_asked", lambda args, text: asked.append(text) or ROWS)
    return asked


def test_tables_and_columns_are_listed_without_spark(capsys):
    assert main(["query", "--tables"]) == 0
    listed = capsys.readouterr().out
    assert "per_run" in listed and "publishers_through" in listed
    assert main(["query", "--tables", "nodes", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["nodes"]["seed"] == "int64"
    assert main(["query", "--tables", "node"]) == 9
    assert "did you mean nodes" in capsys.readouterr().err


def test_rows_are_shown_and_written(answered, capsys, tmp_path):
    assert main(["query", "select 1"]) == 0
    assert "1063" in (shown := capsys.readouterr().out) and '"publisher": 3' in shown and "–" in shown
    assert main(["query", "select 1", "--csv"]) == 0
    assert capsys.readouterr().out == (
        'cell,n,share,events\na,1063,0.5,"[{""publisher"": 3, ""sequence"": 17}]"\n,2,,[]\n'
    )
    assert main(["query", "select 1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == ROWS.to_pylist()
    for form in query.FORMS:
        assert main(["query", "select 1", "--out", str(tmp_path / f"rows{form}")]) == 0
    assert parquet.read_table(tmp_path / "rows.parquet") == ROWS
    assert json.loads((tmp_path / "rows.json").read_text()) == ROWS.to_pylist()
    assert (tmp_path / "rows.csv").read_text().startswith("cell,n,")


def test_the_query_comes_from_standard_input(answered, monkeypatch):
    import io

    monkeypatch.setattr(sys, "stdin", io.StringIO("select 2\n"))
    assert main(["query", "-"]) == 0 and answered == ["select 2\n"]


def test_a_file_of_rows_stays_as_it_was_if_they_can_t_be_written(answered, monkeypatch, capsys, tmp_path):
    kept = tmp_path / "rows.csv"
    kept.write_text("n\n1\n")
    monkeypatch.setattr(durable.os, "fsync", lambda file: fail(errno.ENOSPC))
    assert main(["query", "select 1", "--out", str(kept)]) == 8
    assert "No space left" in capsys.readouterr().err
    assert kept.read_text() == "n\n1\n" and os.listdir(tmp_path) == ["rows.csv"]


def fail(code: int):
    raise OSError(code, os.strerror(code))


def test_wrong_usage(answered, capsys, tmp_path):
    assert main(["query"]) == 2 and "no query" in capsys.readouterr().err
    assert main(["query", "select 1", "--out", "rows.xlsx"]) == 2 and ".parquet" in capsys.readouterr().err
    assert main(["query", "select 1", "--out", str(tmp_path / "no" / "rows.csv")]) == 8


def test_an_experiment_without_tables_is_told_without_spark(capsys, tmp_path):
    (tmp_path / "chain" / "runs").mkdir(parents=True)
    assert main(["query", "select 1", "--store", str(tmp_path)]) == 9
    assert "no experiment in it has tables" in capsys.readouterr().err
    assert main(["query", "select 1", "-e", "chian", "--store", str(tmp_path)]) == 9
    assert "did you mean chain" in capsys.readouterr().err


class Opened:
    """A store whose queries are noted; `unread`: its finished runs without tables."""

    def __init__(self, unread: dict[str, int], error: Exception | None = None):
        self.there, self.error, self.asked = unread, error, []

    def unread(self) -> dict[str, int]:
        return self.there

    def arrow(self, text: str, most: int | None) -> pa.Table:
        self.asked.append((text, most))
        if self.error is not None:
            raise self.error
        return ROWS


@pytest.mark.parametrize(
    ("words", "most"),
    [([], query.SHOWN_ROWS + 1), (["--csv"], None), (["--json"], None), (["--out", "rows.csv"], None)],
)
def test_only_as_many_rows_are_asked_as_are_shown(words, most, monkeypatch, tmp_path, capsys):
    (tmp_path / "chain" / "runs").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    opened, given = Opened({"chain": 1, "tree": 2000}), []
    monkeypatch.setattr(
        "orchestrate_spark.stores.open_store", lambda *where, spark: given.append(where) or opened
    )
    assert main(["query", "select 1", "-e", "chain", "--store", str(tmp_path), *words]) == 0
    assert opened.asked == [("select 1", most)] and given == [(tmp_path, ["chain"])]
    assert capsys.readouterr().err == (
        "orchestrate: chain has 1 finished run that its tables don't have yet\n"
        "    `orchestrate ingest chain --metrics` reads them\n"
        "orchestrate: tree has 2,000 finished runs that its tables don't have yet\n"
        "    `orchestrate ingest tree --metrics` reads them\n"
    )


def test_a_query_that_is_wrong_says_where_the_tables_are_listed(monkeypatch, tmp_path, capsys):
    from orchestrate_spark.errors import WrongQuery

    opened = Opened({}, WrongQuery("no column cel"))
    monkeypatch.setattr("orchestrate_spark.stores.open_store", lambda *where, spark: opened)
    assert main(["query", "select cel", "--store", str(tmp_path)]) == 2
    assert capsys.readouterr().err == (
        "orchestrate: no column cel\n    `orchestrate query --tables [TABLE]` lists tables and columns\n"
    )
