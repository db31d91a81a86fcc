# SPDX-License-Identifier: Apache-2.0
"""`orchestrate metrics` and a scenario's own metrics, as a user runs them: the table, the page, the exit
code.
"""

from __future__ import annotations

import csv
import io

import pytest

from orchestrator.cli.app import main
from tests import needs

needs.a_compiler()
pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("few_metrics")]
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


def test_from_the_scenario_to_table_and_page(tmp_path, spark, capsys):
    def orchestrate(*arguments: str) -> tuple[int, str, str]:
        code = main([*arguments, "--store", str(tmp_path / "store")])
        return code, *capsys.readouterr()

    (tmp_path / "good.py").write_text(GOOD)
    (tmp_path / "bad.py").write_text(BAD)
    (tmp_path / "s.yaml").write_text(SCENARIO)
    code, _, err = orchestrate("run", str(tmp_path / "s.yaml"))
    assert code == 3 and f"{tmp_path}/bad.py:4: metric bad raises AttributeError" in err
    assert "Traceback" not in err
    page = (tmp_path / "store" / "own" / "report" / "index.html").read_text(encoding="utf-8")
    assert "Least served" in page and "of the publisher that got the fewest through" in page
    assert (tmp_path / "store" / "own" / "report" / "figures" / "all-least-served.csv").is_file()

    code, out, err = orchestrate("metrics", "own", "--only", "least_served,events_delivered", "--csv")
    assert code == 0, err
    rows = list(csv.DictReader(io.StringIO(out)))
    means = {(row["metric"], row["key"]): float(row["mean"]) for row in rows}
    assert set(means) == {
        ("least_served", "total"),
        *(("events_delivered", key) for key in ("P1", "P2", "total")),
    }
    assert 0 < means["least_served", "total"] <= min(means["events_delivered", key] for key in ("P1", "P2"))

    code, out, err = orchestrate("metrics", "own", "--only", "nosuch")
    assert code == 9 and "no metric nosuch; there are: " in err
    code, out, err = orchestrate("metrics", str(tmp_path / "s.yaml"), "--only", "bad")
    assert code == 3 and f"{tmp_path}/bad.py:4: metric bad raises AttributeError" in err, err
    code, out, err = orchestrate("metrics", "own", "--metric", str(tmp_path / "gone.py"))
    assert code == 9 and "gone.py: no such file" in err
    code, out, err = orchestrate("metrics", "nosuch")
    assert code == 9 and "there are: own" in err
    code, out, err = orchestrate("metrics", "own", "--no-own")
    assert code == 0 and "least_served" not in out and "events_delivered" in out
