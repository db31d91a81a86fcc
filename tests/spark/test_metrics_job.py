# SPDX-License-Identifier: Apache-2.0
"""Which runs count, which metrics are computed again and kept, what a user's own rows are checked for, and
what the job says. A stand-in computes; test_metrics.py has Spark.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
from orchestrate_spark import schema_version
from orchestrate_spark.errors import Flaw, NoRuns, TablesFailed
from orchestrate_spark.jobs import metrics as job
from orchestrate_spark.jobs.metrics import Computed, choose, compute
from orchestrate_spark.metrics import own
from orchestrate_spark.metrics.model import Family, Metric
from orchestrate_spark.own_code import Own
from orchestrate_spark.tables import schema
from pyarrow import parquet

RUNS = [  # id, cell, seed, outcome, finished
    ("a", "A", 1, "ok", "2026-01-01"),
    ("b", "A", 1, "ok", "2026-01-02"),
    ("c", "A", 1, "crash", "2026-01-03"),
    ("d", "A", 2, "unknown", None),
    ("e", "B", 1, "failed verdict", "2026-01-01"),
    ("f", "B", 2, "ok", None),
    ("g", "B", 2, "ok", None),
]


def tables(folder: Path, runs=RUNS, name="x") -> Path:
    rows = [
        {"experiment": "exp", "cell": cell, "seed": seed, "run_id": run, "outcome": outcome, "finished": at}
        for run, cell, seed, outcome, at in runs
    ]
    file = folder / "tables" / "runs" / f"{name}.parquet"
    file.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(pa.Table.from_pylist(rows, schema=schema("runs")), file)
    return file


def test_of_each_cell_and_seed_the_newest_run_counts_that_ended_well(tmp_path):
    tables(tmp_path, RUNS[:3], "y")
    tables(tmp_path, RUNS[3:])
    assert choose(tmp_path) == {"d": ("exp", "A"), "g": ("exp", "B"), "b": ("exp", "A")}
    assert choose(tmp_path, ["a", "c", "f"]) == {"f": ("exp", "B"), "a": ("exp", "A")}
    assert choose(tmp_path, ["c"]) == {}


def test_without_tables_or_with_damaged_ones_nothing_counts(tmp_path):
    with pytest.raises(NoRuns) as raised:
        choose(tmp_path)
    assert str(raised.value) == f"{tmp_path}: no tables in it\n    ingest its runs first"
    tables(tmp_path).write_bytes(b"PAR1")
    with pytest.raises(
        TablesFailed, match=f"(?s)^{tmp_path}/tables/runs: .*\n    ingest again, which makes damaged"
    ):
        choose(tmp_path)


def test_a_table_that_can_t_be_read_is_not_taken_for_an_empty_one(tmp_path):
    file = tables(tmp_path)
    tables(tmp_path, RUNS[:2], "y")
    assert (job._rows(tmp_path, "runs"), job._rows(tmp_path, "counters")) == (9, 0)
    file.write_bytes(b"PAR1")
    assert job._rows(tmp_path, "runs") == 1


# --- what is computed again


def family(name: str, digest: str = "1") -> Own:
    return Own(f"{name}.py", f"{name}.py", digest, Family(name, None, {f"m_{name}": ("s", "what", "-")}))


def rows(metric: str) -> tuple[pa.Table, pa.Table]:
    per_run = {"experiment": "exp", "cell": "A", "seed": 1, "run_id": "b", "metric": metric, "key": "total"}
    summary = {"experiment": "exp", "cell": "A", "metric": metric, "key": "total", "n": 1, "mean": 2.0}
    return (
        pa.Table.from_pylist([per_run | {"value": 2.0}], schema=job.PER_RUN),
        pa.Table.from_pylist([summary], schema=job.SUMMARY),
    )


@pytest.fixture
def exp(tmp_path, monkeypatch):
    """An experiment with tables, and what is asked to be computed of it: whether the built-in metrics are,
    and which of a user's own; those called `bad` fail.
    """
    tables(tmp_path)
    monkeypatch.setattr(schema_version, "check", lambda folder: None)
    asked: list = []

    def computed(folder, new, chosen, spark, usual, own, flaws, told):
        asked.append((sorted(chosen), usual, [one.value.name for one in own]))

        def written(stem, metric):
            for (name, wanted), made in zip(job.TABLES.items(), rows(metric)):
                job.write(made, wanted, new / name / f"{stem}.parquet")
            return {"name": f"the engine of {metric}"}

        if usual:
            yield None, written("part-0", "built_in")
        for one in own:
            if one.value.name == "bad":
                flaws.append(Flaw("bad.py", 3, "raises KeyError", "mend it"))
            else:
                yield one, written(f"own-{one.value.name}", f"m_{one.value.name}")

    monkeypatch.setattr(job, "_compute", computed)
    return tmp_path, asked


def kept(folder: Path) -> list[str]:
    found = pd.read_parquet(folder / "metrics" / "per_run")
    summed = pd.read_parquet(folder / "metrics" / "summary")
    assert sorted(found.metric) == sorted(summed.metric)
    return sorted(found.metric)


def test_only_what_has_changed_is_computed(exp):
    folder, asked = exp
    assert compute(folder) == Computed(3)
    assert compute(folder, own=[family("a"), family("b")]) == Computed(3, ("a", "b"))
    assert kept(folder) == ["built_in", "m_a", "m_b"]
    assert compute(folder) == Computed(3, ("a", "b")), "what is there stays"
    assert compute(folder, own=[family("a", "2"), family("b")]) == Computed(3, ("a", "b"))
    assert compute(folder, own=[family("b")]) == Computed(3, ("b",), ("a",))
    assert kept(folder) == ["built_in", "m_b"]
    assert {stem: engine["name"] for stem, engine in job.engines_in(folder).items()} == {
        "part-0": "the engine of built_in",
        "own-b": "the engine of m_b",
    }
    all_runs = ["b", "d", "g"]
    assert asked == [
        (all_runs, True, []),
        (all_runs, False, ["a", "b"]),
        (all_runs, False, ["a"]),
        (all_runs, False, []),
    ]
    asked.clear()
    assert compute(folder, ["b"]) == Computed(1, (), ("b",)), "its values are of other runs"
    assert asked == [(["b"], True, [])] and kept(folder) == ["built_in"]


def test_an_own_metric_that_fails_is_told_and_the_others_are_kept(exp):
    folder, _ = exp
    flaws = (Flaw("bad.py", 3, "raises KeyError", "mend it"),)
    assert compute(folder, own=[family("bad"), family("a")]) == Computed(3, ("a",), (), flaws)
    assert kept(folder) == ["built_in", "m_a"]
    assert compute(folder, own=[family("bad"), family("a")]) == Computed(3, ("a",), (), flaws), "tried again"


@pytest.mark.parametrize("file", ["per_run/part-0", "summary/part-0", "per_run/own-a", "summary/own-a"])
def test_a_damaged_file_is_made_anew(exp, file):
    folder, asked = exp
    compute(folder, own=[family("a")])
    asked.clear()
    (folder / "metrics" / f"{file}.parquet").write_bytes(b"PAR1")
    assert compute(folder, own=[family("a")]) == Computed(3, ("a",))
    usual = file.endswith("part-0")
    assert asked == [(["b", "d", "g"], usual, [] if usual else ["a"])]
    assert kept(folder) == ["built_in", "m_a"]


def test_what_is_kept_says_what_it_is(exp):
    folder, _ = exp
    compute(folder, own=[family("a", "digest")])
    (told,) = job.own_in(folder).items()
    assert told[0] == "a" and (told[1]["given"], told[1]["sha256"]) == ("a.py", "digest")
    assert job.own_metrics_in(folder) == {"m_a": Metric.of(("s", "what", "-"))}
    index = json.loads((folder / "metrics" / "index.json").read_text())
    names = (index["built_in"], told[1]["base"], told[1]["identity"], (folder / "metrics").resolve().name)
    assert all(re.fullmatch("[0-9a-f]{20}", name) for name in names) and len(set(names)) == 4
    (folder / "metrics" / "index.json").write_text('{"own": ["a"]}')
    assert job.own_in(folder) == {} and job.own_metrics_in(folder) == {}
    (folder / "metrics" / "index.json").write_text(
        '{"own": {"a": {"metrics": {"m": ["s", "what", "-"], "h": ["s", "b", "-"]}, "histograms": ["h"]}}}'
    )
    assert {name: one.kind for name, one in job.own_metrics_in(folder).items()} == {"m": "", "h": "histogram"}


def test_rows_are_written_in_order(tmp_path):
    columns = ("cell", "seed", "run_id", "metric", "key")
    given = [
        ("B", 1, "a", "x", "k"),
        ("A", 2, "a", "x", "k"),
        ("A", 1, "b", "x", "k"),
        ("A", 1, "a", "y", "k"),
        ("A", 1, "a", "x", "m"),
        ("A", 1, "a", "x", "k"),
    ]
    rows = [dict(zip(columns, row, strict=True)) | {"experiment": "e", "value": 1} for row in given]
    job.write(pa.Table.from_pylist(rows), job.PER_RUN, tmp_path / "new" / "a.parquet")
    written = parquet.read_table(tmp_path / "new" / "a.parquet")
    assert written.schema.equals(job.PER_RUN)
    assert [tuple(row[name] for name in columns) for row in written.to_pylist()] == sorted(given)


# --- what a user's own rows are checked for


def checked(*found, runs=("r1", "r2")):
    columns = ("run_id", "metric", "key", "value")
    types = [("run_id", pa.string()), ("metric", pa.string()), ("key", pa.string()), ("value", pa.float64())]
    table = pa.Table.from_pylist([dict(zip(columns, row, strict=True)) for row in found], pa.schema(types))
    return own.checked(family("a"), table, runs)


GOOD = ("r1", "m_a", "total", 1.0)


def test_rows_without_a_value_are_left_out():
    assert checked(GOOD, ("r2", "m_a", "total", None)).to_pylist() == [
        {"run_id": "r1", "metric": "m_a", "key": "total", "value": 1.0}
    ]
    assert checked().num_rows == 0


NAN = float("nan")
