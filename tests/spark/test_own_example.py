# SPDX-License-Identifier: Apache-2.0
"""The example of an own metric in spark/README.md, as it stands there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from orchestrate_spark.jobs import metrics as job
from orchestrate_spark.jobs.ingest import ingest
from orchestrate_spark.load import load_metrics
from orchestrate_spark.metrics import own
from synthetic import Chain, write_run

README = Path(job.__file__).resolve().parents[2] / "README.md"


@pytest.mark.spark
def test_the_example_is_a_metric(tmp_path, spark):
    (text,) = (
        block
        for block in re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
        if "FAMILY" in block
    )
    (tmp_path / "battery.py").write_text(text)
    log = "".join(
        f"{time}\tID:{mote}\t!battery,{volts}\n"
        for time, mote, volts in ((5, 1, "2.89"), (6, 2, "2.5"), (7, 1, "2.88"))
    )
    write_run(tmp_path / "exp", Chain("c", 1), 1, (log + "TEST OK\n").encode())
    ingest(tmp_path / "exp", spark, cores=1)
    done = job.compute(tmp_path / "exp", spark=spark, own=own.load(["./battery.py"], tmp_path))
    assert done.failed == () and done.own == ("battery",)
    rows = load_metrics(tmp_path / "exp", "arrow")["per_run"].to_pylist()
    assert [(row["key"], row["value"]) for row in rows if row["metric"] == "lowest_battery"] == [
        ("total", 2.5)
    ]
