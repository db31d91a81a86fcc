# SPDX-License-Identifier: Apache-2.0
"""`orchestrate metrics` and a scenario's own metrics, as a user runs them: the table, the page, the exit
code.
"""

from __future__ import annotations

import csv
import io
import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from tests.waiting import HANG_S

pytestmark = pytest.mark.spark
HEAD = "from orchestrate_spark.metrics.model import TOTAL, Family, text, unpivot\n"
GOOD = (
    HEAD
    + """
def rows(inputs):
    least = inputs.deliveries.groupBy("run_id").agg({"events": "min"}).withColumnRenamed("min(events)", "least")
    return unpivot(least, ("least_served", text(TOTAL), "least"))

FAMILY = Family("fairness", rows, {"least_served": ("events", "of the publisher that got the fewest through", "-")})
"""  # noqa: E501
)
BAD = (
    HEAD
    + """
def rows(inputs):
    return inputs.no_such_table

FAMILY = Family("bad", rows, {"bad": ("1", "-", "-")})
"""
)
SCENARIO = """experiment: own
topology: {shape: chain, publishers: 2}
application: {name: aggregation, rate: high}
duration: 10 s
seeds: 1..2
metrics: [./good.py, ./bad.py]
"""


def called(*arguments: str, folder: Path, spark: dict[str, str]) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "orchestrator.cli.app", *arguments, "--store", str(folder / "store")],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
        env={**os.environ, **spark},
        timeout=HANG_S,
        check=False,
    )


def test_from_the_scenario_to_table_and_page(tmp_path, spark_gateway):
    orchestrate = partial(called, folder=tmp_path, spark=spark_gateway)
    (tmp_path / "good.py").write_text(GOOD)
    (tmp_path / "bad.py").write_text(BAD)
    (tmp_path / "s.yaml").write_text(SCENARIO)
    done = orchestrate("run", str(tmp_path / "s.yaml"))
    assert done.returncode == 3 and f"{tmp_path}/bad.py:4: metric bad raises AttributeError" in done.stderr
    assert "Traceback" not in done.stderr
    page = (tmp_path / "store" / "own" / "report" / "index.html").read_text(encoding="utf-8")
    assert "Least served" in page and "of the publisher that got the fewest through" in page
    assert (tmp_path / "store" / "own" / "report" / "figures" / "all-least-served.csv").is_file()

    done = orchestrate("metrics", "own", "--only", "least_served,events_delivered", "--csv")
    assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    means = {(row["metric"], row["key"]): float(row["mean"]) for row in rows}
    assert set(means) == {
        ("least_served", "total"),
        *(("events_delivered", key) for key in ("P1", "P2", "total")),
    }
    assert 0 < means["least_served", "total"] <= min(means["events_delivered", key] for key in ("P1", "P2"))

    done = orchestrate("metrics", "own", "--only", "nosuch")
    assert done.returncode == 9 and "no metric nosuch; there are: " in done.stderr
    done = orchestrate("metrics", str(tmp_path / "s.yaml"), "--only", "bad")
    assert done.returncode == 3 and f"{tmp_path}/bad.py:4: metric bad raises AttributeError" in done.stderr, (
        done.stderr
    )
    done = orchestrate("metrics", "own", "--metric", str(tmp_path / "gone.py"))
    assert done.returncode == 9 and "gone.py: no such file" in done.stderr
    done = orchestrate("metrics", "nosuch")
    assert done.returncode == 9 and "there are: own" in done.stderr
    done = orchestrate("metrics", "own", "--no-own")
    assert done.returncode == 0 and "least_served" not in done.stdout and "events_delivered" in done.stdout
