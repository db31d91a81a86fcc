# SPDX-License-Identifier: Apache-2.0
"""Which runs count, which metrics are computed again and kept, what a user's own rows are checked for, and
what the job says. A stand-in computes; test_metrics.py has Spark.
"""

from __future__ import annotations

import json
import re
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import orchestrate_spark.session
import pandas as pd
import pyarrow as pa
import pytest
from orchestrate_spark import schema_version
from orchestrate_spark.errors import FaultyCode, Flaw, NoRuns, SparkError, TablesFailed
from orchestrate_spark.jobs import metrics as job
from orchestrate_spark.jobs.metrics import Computed, choose, compute
from orchestrate_spark.metrics import energy_model, own
from orchestrate_spark.metrics.model import Family, Metric, text
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

    def computed(folder, chosen, spark, usual, own, flaws, told):
        asked.append((sorted(chosen), usual, [one.value.name for one in own]))
        if usual:
            yield None, rows("built_in")
        for one in own:
            if one.value.name == "bad":
                flaws.append(Flaw("bad.py", 3, "raises KeyError", "mend it"))
            else:
                yield one, rows(f"m_{one.value.name}")

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
    job._write(pa.Table.from_pylist(rows), job.PER_RUN, tmp_path / "new" / "a.parquet")
    written = parquet.read_table(tmp_path / "new" / "a.parquet")
    assert written.schema.equals(job.PER_RUN)
    assert [tuple(row[name] for name in columns) for row in written.to_pylist()] == sorted(given)


def test_without_runs_every_metric_is_empty(tmp_path):
    own_ones = [family("a"), family("b")]
    made = list(job._compute(tmp_path, {}, None, True, own_ones, [], print))
    assert [one for one, _ in made] == [None, *own_ones]
    assert all((one.num_rows, other.num_rows) == (0, 0) for _, (one, other) in made)
    made = list(job._compute(tmp_path, {"b": ("exp", "A")}, None, False, [], [], print))
    assert made == []


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


@pytest.mark.parametrize(
    ("wrong", "what", "where", "remedy"),
    [
        (
            [("r1", "m_a", "", 2.0), ("r1", "m_a", None, 2.0)],
            "gives a row without run_id, metric or key",
            "run r1, metric m_a, key nan, value 2.0",
            "leave such rows out",
        ),
        (
            [("r3", "m_a", "k", 2.0)],
            "gives a run that is not among those it was given",
            "run r3, metric m_a, key k, value 2.0",
            "take run_id from the tables",
        ),
        (
            [("r1", "m_b", "k", 2.0)],
            "gives a metric that FAMILY does not name",
            "run r1, metric m_b, key k, value 2.0",
            "name it in FAMILY's metrics, with its unit",
        ),
        (
            [("r2", "m_a", "k", float("inf"))],
            "gives a value that is no finite number",
            "run r2, metric m_a, key k, value inf",
            "leave it out, or divide by nullif(..., 0)",
        ),
        (
            [("r2", "m_a", "k", NAN), ("r1", "m_a", "k", NAN)],
            "gives a value that is no finite number",
            "run r2, metric m_a, key k, value nan (2 rows)",
            "leave it out, or divide by nullif(..., 0)",
        ),
        (
            [GOOD],
            "gives a run, metric and key twice",
            "run r1, metric m_a, key total, value 1.0",
            "sum or average them: one value for each",
        ),
    ],
)
def test_rows_that_metrics_may_not_hold(wrong, what, where, remedy):
    with pytest.raises(FaultyCode) as raised:
        checked(GOOD, *wrong)
    (flaw,) = raised.value.flaws
    assert (flaw.file, flaw.line, flaw.remedy) == ("a.py", 0, remedy)
    assert flaw.what in (f"metric a {what}: {where}", f"metric a {what}: {where.replace('nan,', 'None,')}")


def test_all_that_is_wrong_with_rows_is_told_at_once():
    with pytest.raises(FaultyCode) as raised:
        checked(GOOD, GOOD, ("r3", "m_b", "k", float("inf")))
    assert len(raised.value.flaws) == 4


def test_a_function_of_the_file_itself_is_named_by_its_line():
    space: dict = {}
    exec(compile("\n\ndef rows(inputs):\n    return 1\n", "a.py", "exec"), space)
    made = Own("a.py", "a.py", "1", Family("a", space["rows"], {}))
    assert own._line(made) == 3
    assert own._line(Own("b.py", "b.py", "1", made.value)) == 0, "its function is another file's"


@pytest.mark.parametrize(
    ("value", "whats"),
    [
        ("text", ["FAMILY is of type str"]),
        (Family("A b", print, {"m": ("s", "w", "-")}), ["'A b' is not a valid name of a family"]),
        (Family("a" * 49, print, {"m": ("s", "w", "-")}), [f"{'a' * 49!r} is not a valid name of a family"]),
        (Family("a", 5, {"m": ("s", "w", "-")}), ["the family's rows is no function"]),
        (Family("a", print, {}), ["the family names no metrics"]),
        (Family("a", print, ["m"]), ["the family names no metrics"]),
        (Family("a", print, {"M": ("s", "w", "-")}), ["'M' is not a valid name of a metric"]),
        (Family("a", print, {"m": ("s", "w")}), ["metric 'm' is described by ('s', 'w')"]),
        (Family("a", print, {"m": ("s", "w", 5)}), ["metric 'm' is described by ('s', 'w', 5)"]),
        (
            Family("a", print, {"m": ("s", "w", "-")}, ("z", "y")),
            ["histograms names y, z, which metrics does not"],
        ),
        (Family("A", 5, {5: 6}), ["'A' is not a valid name of a family", "the family's rows is no function",
                                 "5 is not a valid name of a metric", "metric 5 is described by 6"]),
        (Family("a" * 48, print, {"m": Metric("s", "w"), "n": ("s", "w", "-")}, ("n",)), []),
    ],
)  # fmt: skip
def test_what_is_no_family_of_metrics(value, whats):
    one = Own("a.py", "a.py", "1", value)
    if not whats:
        assert own._family(one) is one
        return
    with pytest.raises(FaultyCode) as raised:
        own._family(one)
    assert [flaw.what for flaw in raised.value.flaws] == whats
    assert all(flaw.file == "a.py" and flaw.line == 0 and flaw.remedy for flaw in raised.value.flaws)


def test_a_function_of_no_module_is_a_metric_s_too():
    def rows(inputs): ...

    rows.__module__ = "of_no_module"
    made = Own("a.py", "a.py", "1", Family("a", rows, {"m": ("s", "w", "-")}))
    assert own._family(made) is made


@pytest.mark.parametrize(
    ("states_us", "model", "energy"),
    [
        ({"listen": 1_000_000}, energy_model.STATES, 12.5 * 3.0),
        (
            {"transmit": 1_000_000, "off": 1_000_000_000},
            energy_model.STATES,
            14.5 * 3.0 + 0.00002 * 3.0 * 1000,
        ),
        ({"cpu": 1_000_000}, energy_model.STATES, None),
        ({}, energy_model.STATES, None),
        ({"receiving": 1_000_000, "transmitting": 0}, energy_model.RADIO_STATES, 12.5 * 3.0),
    ],
)
def test_the_energy_of_a_transceiver(states_us, model, energy):
    found = energy_model.energy_mj(states_us, model)
    assert found == (None if energy is None else pytest.approx(energy))


def test_texts_in_sql_are_quoted():
    assert text("it's") == "'it\\'s'" and text("a\\b") == "'a\\\\b'"


# --- as a program


def test_the_job_says_what_it_computed(monkeypatch, capsys):
    asked = []

    def computed(folder, spark, own):
        asked.append((folder, spark(), own))
        own_ones = ("a", "b") if folder == "one" else ()
        return Computed(
            7, own_ones, (), (Flaw("bad.py", 3, "raises KeyError", "mend it"),) * (folder == "two")
        )

    monkeypatch.setattr(job, "compute", computed)
    monkeypatch.setattr(own, "load", lambda given, folder: (given, folder))
    monkeypatch.setattr(orchestrate_spark.session, "session", lambda master: f"session on {master}")
    assert job.main(["one", "two", "--master", "spark://h", "--metric", "a.py", "--metric", "b"]) == 1
    given = (["a.py", "b"], Path())
    assert asked == [(name, "session on spark://h", given) for name in ("one", "two")]
    out, err = capsys.readouterr()
    assert out == "one: metrics of 7 runs, own: a, b\ntwo: metrics of 7 runs\n"
    assert err == "metrics: bad.py:3: raises KeyError\n    mend it\n"
    assert job.main(["one"]) == 0 and asked[-1] == ("one", "session on None", None)


def test_the_job_ends_at_the_first_error(monkeypatch, capsys):
    def broken(folder, spark, own):
        raise SparkError(f"{folder}: no tables")

    monkeypatch.setattr(job, "compute", broken)
    assert job.main(["one", "two"]) == 1
    assert capsys.readouterr().err == "metrics: one: no tables\n"


def test_sums_of_many_runs_are_made_beside_the_plans(monkeypatch):
    from orchestrate_spark.metrics import inputs

    heard, begun = [], threading.Event()

    def count():
        begun.wait()
        time.sleep(0.05)  # whoever doesn't wait for the end is out before
        heard.append(threading.current_thread().daemon)

    for runs, wanted in ((999, []), (1000, [True])):
        with inputs.summed_meanwhile(SimpleNamespace(totals=SimpleNamespace(count=count)), runs):
            assert heard == []
            begun.set()
        assert heard == wanted

    def fails():
        raise ValueError("the job that needs them says so")

    with inputs.summed_meanwhile(SimpleNamespace(totals=SimpleNamespace(count=fails)), 1000):
        pass
