# SPDX-License-Identifier: Apache-2.0
"""Metrics of a user's own: found, run, checked, kept; what is wrong with one named with its file and line."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from orchestrate_spark.errors import FaultyCode
from orchestrate_spark.jobs import metrics as job
from orchestrate_spark.jobs.ingest import ingest
from orchestrate_spark.load import load_metrics
from orchestrate_spark.metrics import own
from synthetic import Chain, log_lines, write_run

from orchestrator.cli.app import main
from tests.waiting import HANG_S

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("few_metrics")]
HEAD = "from orchestrate_spark.metrics.model import Family, unpivot\n"
BATTERY = (
    HEAD.replace("Family,", "Family, Metric,")
    + """
def rows(inputs):
    volts = inputs.table("records").where("kind = 'battery'").selectExpr("run_id", "mote", "cast(fields[0] as double) as volts")
    motes = inputs.motes.where("c['packets_sent'] is not null and s is not null")  # files of before call counters and states so
    named = volts.join(motes.select("run_id", "mote", "node"), ["run_id", "mote"])
    lowest = volts.groupBy("run_id").agg({"volts": "min"}).withColumnRenamed("min(volts)", "volts")
    return unpivot(named, ("battery_v", "node", "volts")).union(unpivot(lowest, ("battery_v", "'total'", "volts")))

FAMILY = Family("battery", rows, {"battery_v": Metric("V", "what the mote's battery has left", title="Battery", better="higher")})
"""  # noqa: E501
)


@pytest.fixture(scope="module")
def experiment(tmp_path_factory, spark) -> Path:
    """Two seeds of one cell, whose motes also print `!battery,VOLTS,unit`."""
    folder = tmp_path_factory.mktemp("store") / "exp"
    chain = Chain("c", 2)
    for seed in (1, 2):
        lines = log_lines(chain, seed)
        at = next(place for place, line in enumerate(lines) if "!run,stop" in line)
        own_lines = [
            f"903000000\tID:{mote}\t!battery,{3 - mote / 10 - seed / 100:.2f},V" for mote in (1, 2, 3)
        ]
        write_run(folder, chain, seed, ("\n".join([*lines[:at], *own_lines, *lines[at:]]) + "\n").encode())
    ingest(folder, spark, cores=2)
    return folder


def written(folder: Path, text: str, name: str = "battery.py") -> Path:
    (folder / name).write_text(text)
    return folder / name


def files(experiment: Path) -> dict[str, tuple[int, int]]:
    """name -> inode and time of each file of the metrics: those kept are the same."""
    return {
        f"{path.parent.name}/{path.name}": (path.stat().st_ino, path.stat().st_mtime_ns)
        for path in (experiment / "metrics").glob("*/*.parquet")
    }


def test_an_own_metric_stands_beside_the_built_in_ones_and_only_what_changed_is_computed(
    experiment, tmp_path, spark
):
    path = written(tmp_path, BATTERY)
    told = []
    done = job.compute(
        experiment, spark=spark, own=own.load([str(path)], tmp_path), told=lambda *far: told.append(far)
    )
    assert (
        told[0][::2] == (0, "families of metrics")
        and told[0][1] > 1
        and all(0 <= so_far <= whole for so_far, whole, _ in told)
    )
    assert (done.runs, done.own, done.dropped, done.failed) == (2, ("battery",), (), ())
    stored = load_metrics(experiment)
    volts = stored["per_run"][stored["per_run"].metric == "battery_v"]
    assert {(row.seed, row.key): row.value for row in volts.itertuples()} == {
        (1, "S"): 2.89,
        (1, "P1"): 2.79,
        (1, "P2"): 2.69,
        (1, "total"): 2.69,
        (2, "S"): 2.88,
        (2, "P1"): 2.78,
        (2, "P2"): 2.68,
        (2, "total"): 2.68,
    }
    total = stored["summary"][
        (stored["summary"].metric == "battery_v") & (stored["summary"].key == "total")
    ].iloc[0]
    assert total["n"] == 2 and total["mean"] == pytest.approx(2.685) and total["ci_low"] < 2.68
    assert "packets_sent" in set(stored["per_run"].metric)
    assert (
        pd.read_parquet(experiment / "metrics" / "per_run").metric.nunique()
        == stored["per_run"].metric.nunique()
    )

    told = job.own_metrics_in(experiment)["battery_v"]
    assert (told.unit, told.title, told.better, told.kind) == ("V", "Battery", "higher", "")

    first = files(experiment)

    def no_spark():
        raise AssertionError("nothing to compute")

    job.compute(experiment, spark=no_spark, own=own.load([str(path)], tmp_path))
    assert job.compute(experiment, spark=no_spark).own == ("battery",), "unnamed, it stays while it holds"
    assert files(experiment) == first
    written(tmp_path, BATTERY.replace("fields[0] as double)", "fields[0] as double) * 10"))
    job.compute(experiment, spark=spark, own=own.load([str(path)], tmp_path))
    second = files(experiment)
    assert {name for name in first if first[name] != second[name]} == {
        "per_run/own-battery.parquet",
        "summary/own-battery.parquet",
    }
    done = job.compute(experiment, spark=no_spark, own=[])
    assert done.own == () and done.dropped == ("battery",)
    assert "battery_v" not in set(load_metrics(experiment)["per_run"].metric)


FAULTS = {
    "raises": (HEAD + "\ndef rows(inputs):\n    return inputs.nonsense\n\n", 4, "AttributeError"),
    "no frame": (HEAD + "\ndef rows(inputs):\n    return 7\n\n", 3, "gives a int, no DataFrame"),
    "no such table": (
        HEAD + "\ndef rows(inputs):\n    return inputs.table('nosuch')\n\n",
        4,
        "no table named nosuch",
    ),
    "columns": (
        HEAD
        + "\ndef rows(inputs):\n    return inputs.runs.selectExpr('run_id', 'seed as metric', '1 as value', "
        "'2 as more')\n\n",
        3,
        "no column key, a column more too many, metric is bigint",
    ),
    "a column twice": (
        HEAD + "\ndef rows(inputs):\n    return inputs.runs.selectExpr('run_id', \"'m2' as metric\", "
        "\"'k' as key\", 'seed as value', 'seed as value')\n\n",
        3,
        "gives a column twice",
    ),
    "in SQL": (
        HEAD
        + "\ndef rows(inputs):\n    return unpivot(inputs.runs, ('m', \"'total'\", 'no_such_column'))\n\n",
        3,
        "no_such_column",
    ),
    "in a worker": (
        HEAD
        + """
from pyspark.sql.functions import udf

@udf("double")
def wrong(seed):
    return 1 / 0

def rows(inputs):
    return unpivot(inputs.runs.withColumn("x", wrong("seed")), ("m", "'total'", "x"))

""",
        7,
        "PythonException",
    ),
    "not finite": (
        HEAD
        + "\ndef rows(inputs):\n    return unpivot(inputs.runs, ('m', \"'total'\", \"double('NaN')\"))\n\n",
        3,
        "no finite number",
    ),
    "twice": (
        HEAD + "\ndef rows(inputs):\n    return unpivot(inputs.motes, ('m', \"'total'\", 'mote'))\n\n",
        3,
        "a run, metric and key twice",
    ),
    "unnamed metric": (
        HEAD + "\ndef rows(inputs):\n    return unpivot(inputs.runs, ('other', \"'total'\", 'seed'))\n\n",
        3,
        "FAMILY does not name",
    ),
}


def test_each_that_fails_is_named_with_its_line_and_the_others_are_computed(
    experiment, tmp_path, spark, capfd
):
    expected = {}
    for number, (name, (text, line, told)) in enumerate(FAULTS.items()):
        text = text.replace("('m',", f"('m{number}',").replace('("m",', f'("m{number}",')
        path = written(
            tmp_path,
            text + f'FAMILY = Family("f{number}", rows, {{"m{number}": ("x", "y", "-")}})\n',
            f"f{number}.py",
        )
        expected[str(path)] = (name, line, told)
    fine = str(written(tmp_path, BATTERY))
    done = job.compute(experiment, spark=spark, own=own.load([*expected, fine], tmp_path))
    assert done.own == ("battery",)
    got = {flaw.file: flaw for flaw in done.failed}
    assert set(got) == set(expected)
    for file, (name, line, told) in expected.items():
        assert got[file].line == line and told in got[file].what and got[file].remedy, (name, got[file])
    assert "Traceback" not in (told := capfd.readouterr().err) and "\tat org.apache" not in told
    job.compute(experiment, spark=spark, own=[])


def test_the_metric_that_new_writes_is_jains_index(experiment, tmp_path, spark):
    folder = tmp_path / "fairness"
    assert main(["new", "metric", "fairness", "--folder", str(folder)]) == 0
    done = job.compute(experiment, spark=spark, own=own.load(["./fairness.py"], folder))
    assert (done.own, done.failed) == (("fairness",), ())
    per_run = load_metrics(experiment)["per_run"]
    values = {name: rows.set_index(["run_id", "key"])["value"] for name, rows in per_run.groupby("metric")}
    runs = set(per_run.run_id)
    assert len(runs) == len(values["fairness"]) == 2
    for run in runs:
        delivered, published = (
            values[name][run].drop("total") for name in ("events_delivered", "events_published")
        )
        jain = delivered.sum() ** 2 / (len(delivered) * (delivered**2).sum())
        assert len(delivered) == 2 and values["fairness"][run]["total"] == pytest.approx(jain)
        assert values["fairness_served"][run].to_dict() == pytest.approx((delivered / published).to_dict())
    job.compute(experiment, spark=spark, own=[])


STATIC = {
    "missing": (None, 0, "cannot be read: No such file"),
    "syntax": ("def rows(:\n", 1, "not Python"),
    "nul": ("x = '\0'\n", 0, "not Python"),
    "nothing in it": ("x = 1\n", 0, "defines no FAMILY"),
}


@pytest.mark.parametrize("name", STATIC)
def test_what_can_be_known_without_running_it_is_said_then(tmp_path, name):
    text, line, told = STATIC[name]
    path = tmp_path / "mine.py"
    if text is not None:
        path.write_text(text)
    with pytest.raises(FaultyCode) as failed:
        own.check(["./mine.py"], tmp_path)
    (flaw,) = failed.value.faults
    assert flaw.file == str(path) and told in flaw.what and flaw.remedy
    assert flaw.line == line or name == "nul"


def test_checking_runs_nothing(tmp_path):
    written(tmp_path, "raise SystemExit(9)\nFAMILY = 1\n", "mine.py")
    own.check(["./mine.py"], tmp_path)
    with pytest.raises(FaultyCode) as failed:
        own.load(["./mine.py"], tmp_path)
    assert failed.value.faults[0].line == 1 and "SystemExit: 9" in failed.value.faults[0].what


def test_what_is_no_family_and_names_that_are_taken_are_all_said_at_once(tmp_path):
    rows = HEAD + "def rows(inputs): ...\n"
    texts = {
        "a.py": "FAMILY = 'text'\n",
        "b.py": rows + "FAMILY = Family('B', 5, {'Bad name': ('x',)})\n",
    }
    for name, text in texts.items():
        written(tmp_path, text, name)
    with pytest.raises(FaultyCode) as failed:
        own.load(["./a.py", "./b.py", "nosuch"], tmp_path)
    told = "\n".join(flaw.what for flaw in failed.value.faults)
    for part in (
        "FAMILY is of type str",
        "'B' is not a valid name of a family",
        "is no function",
        "'Bad name' is not a valid name of a metric",
        "described by ('x',)",
        "no installed package has a metric of that name",
    ):
        assert part in told
    written(tmp_path, rows + "FAMILY = Family('events', rows, {'events_lost': ('x', 'y', '-')})\n", "a.py")
    written(tmp_path, rows + "FAMILY = Family('b', rows, {'mine': ('x', 'y', '-')})\n", "b.py")
    written(tmp_path, rows + "FAMILY = Family('c', rows, {'mine': ('x', 'y', '-')})\n", "c.py")
    with pytest.raises(FaultyCode) as failed:
        own.load(["./a.py", "./b.py", "./c.py"], tmp_path)
    told = [(Path(flaw.file).name, flaw.what) for flaw in failed.value.faults]
    assert told == [
        ("a.py", "the family events already exists: a built-in one"),
        ("a.py", "the metric events_lost already exists: a built-in one"),
        ("c.py", f"the metric mine already exists: that of {tmp_path / './b.py'}"),
    ]


def package(folder: Path, name: str, metric: str = "battery") -> None:
    """An installed package, as pip leaves it, with the entry point `metric`."""
    (folder / f"{name}.py").write_text(BATTERY)
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[orchestrate.metrics]\n{metric} = {name}:FAMILY\n")


def test_an_entry_point_of_an_installed_package(tmp_path, monkeypatch):
    package(tmp_path, "their_metrics")
    monkeypatch.syspath_prepend(tmp_path)
    (found,) = own.load(["battery"], tmp_path)
    assert found.value.name == "battery" and found.file == str(tmp_path / "their_metrics.py")
    package(tmp_path, "other_metrics")
    with pytest.raises(
        FaultyCode,
        match="several installed packages have a metric of that name: other-metrics 1.0, their-metrics 1.0|"
        "several installed packages .* other_metrics 1.0, their_metrics 1.0",
    ):
        own.check(["battery"], tmp_path)


@pytest.mark.parametrize(
    "alone", [False, pytest.param(True, marks=pytest.mark.full(instead="the same call in this process"))]
)
def test_the_job_as_spark_submit_runs_it(alone, experiment, tmp_path, spark, capfd):
    """The same by `python -m`, which has what spark-submit gives it: this package and nothing of the
    orchestrator.
    """
    spark()
    good, bad = (
        written(tmp_path, BATTERY),
        written(tmp_path, FAULTS["raises"][0] + 'FAMILY = Family("f", rows, {"m": ("", "", "")})\n', "f.py"),
    )
    arguments = [str(experiment), "--metric", str(good), "--metric", str(bad)]
    if alone:
        code = subprocess.run(
            [sys.executable, "-m", "orchestrate_spark.jobs.metrics", *arguments],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(Path(job.__file__).parents[2])},
            timeout=HANG_S,
            check=False,
        ).returncode
    else:
        code = job.main(arguments)
    out, err = capfd.readouterr()
    assert code == 1, err
    assert "own: battery" in out and f"{bad}:4: metric f raises AttributeError" in err
