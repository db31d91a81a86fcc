# SPDX-License-Identifier: Apache-2.0
"""Metrics of data distribution: completion times, ages, and what was beyond its bound.

More values are used within their validity than beyond it, so that the two are not taken for each other.
"""

from __future__ import annotations

import pandas as pd
import pytest

pytestmark = pytest.mark.spark


def test_jobs_against_deadlines_and_ages_against_validity(measured):
    per_run = pd.read_parquet(measured / "metrics" / "per_run")
    mine = per_run[per_run.cell == "jobs"]
    found = {
        metric: dict(zip(rows.key, rows.value))
        for metric, rows in mine.groupby("metric")
        if metric
        in (
            "completion_us",
            "jobs_ended",
            "deadlines_missed",
            "data_age_us",
            "clock_error_us",
            "values_used",
            "outdated_reads",
        )
    }
    assert found == {
        "completion_us": {"S/S/source/1000": 1100, "P1/C/T/last/80": 80},
        "jobs_ended": {"S/S/source/1000": 2, "P1/C/T/last/80": 2},
        "deadlines_missed": {"S": 1, "C/T": 0, "total": 1},
        "data_age_us": {"P1/T/5000": 5001},
        "clock_error_us": {"P1/T/5000": 3},
        "values_used": {"P1/T/5000": 4},
        "outdated_reads": {"T": 1, "total": 1},
    }
