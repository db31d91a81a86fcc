# SPDX-License-Identifier: Apache-2.0
"""The example of an own metric in spark/README.md, as it stands there."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from orchestrate_spark.jobs import metrics as job
from orchestrate_spark.load import load_metrics
from orchestrate_spark.metrics import own

README = Path(job.__file__).resolve().parents[2] / "README.md"


@pytest.mark.spark
def test_the_example_is_a_metric(measured, tmp_path, spark):
    (text,) = (
        block
        for block in re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
        if "FAMILY" in block
    )
    (tmp_path / "battery.py").write_text(text)
    experiment = Path(shutil.copytree(measured, tmp_path / measured.name))
    done = job.compute(experiment, spark=spark, own=own.load(["./battery.py"], tmp_path))
    assert done.failed == () and done.own == ("battery",)
    rows = load_metrics(experiment, "arrow")["per_run"].to_pylist()
    assert [(row["key"], row["value"]) for row in rows if row["metric"] == "lowest_battery"] == [
        ("total", 2.5)
    ]
