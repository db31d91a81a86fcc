# SPDX-License-Identifier: Apache-2.0
"""Metrics: one file a family, each a transform of DataFrames. A new family is one file and one line in FAMILIES."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from orchestrate_spark.metrics.model import Family

FAMILIES = ("packets", "events", "aggregation", "transmitted", "delay", "energy", "faults", "recovery",
            "threads", "notifications", "blackboard")


def families() -> list[Family]:
    return [import_module(f"orchestrate_spark.metrics.{name}").FAMILY for name in FAMILIES]
