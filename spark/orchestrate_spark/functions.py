# SPDX-License-Identifier: Apache-2.0
"""Offers Spark's functions, DataFrame, Column and Window, and imports Spark when the first of them is used.

Metrics write `from orchestrate_spark import functions as F`. A report only reads what their files declare;
importing Spark would cost it 0.1 s of processor time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession, Window  # noqa: F401
    from pyspark.sql.functions import *  # noqa: F403


def __getattr__(name: str) -> Any:
    if name.startswith("__"):  # what an import looks for in any module
        raise AttributeError(name)
    from pyspark import sql

    return getattr(sql if name in ("Column", "DataFrame", "Window") else sql.functions, name)
