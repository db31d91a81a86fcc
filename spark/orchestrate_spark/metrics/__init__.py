# SPDX-License-Identifier: Apache-2.0
"""Metrics: one file a family, which defines FAMILY: what its metrics say of themselves and a transform of
DataFrames. A new one is a file here and nothing else; importing them takes no Spark.
"""

from __future__ import annotations

import math
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from orchestrate_spark.metrics.model import Family, Metric


def modules() -> list[str]:
    """Of this package, sorted, in a folder as in a zip (spark-submit --py-files)."""
    return sorted(module.name for module in iter_modules(__path__))


@cache
def families() -> list[Family]:
    """Return all built-in families of metrics."""
    found = (import_module(f"orchestrate_spark.metrics.{name}") for name in modules())
    return [module.FAMILY for module in found if hasattr(module, "FAMILY")]


@cache
def built_in() -> dict[str, Metric]:
    """Every metric by name, in the order of their places."""
    found = [(name, metric) for family in families() for name, metric in family.declared.items()]
    return dict(sorted(found, key=lambda of: (of[1].place or math.inf, of[0])))
