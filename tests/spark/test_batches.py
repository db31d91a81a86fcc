# SPDX-License-Identifier: Apache-2.0
"""Batches of runs: which runs are in one, what it is called, and that rows which are merged are as if they
had been read together.
"""

from __future__ import annotations

from orchestrate_spark.experiment import Run

MB = 1 << 20


def run(number: int, size: int) -> Run:
    return Run(f"run{number}", "e", "c", number, f"{number}.log", size, f"print{number}")
