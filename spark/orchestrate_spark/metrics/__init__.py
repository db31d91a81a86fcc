# SPDX-License-Identifier: Apache-2.0
"""The built-in metrics. Each file defines FAMILY: the declarations of its metrics and a DataFrame transform.

A new family is a file here and nothing else. Importing the files does not import Spark.
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
    """Return the sorted names of this package's modules, which may be in a zip (spark-submit --py-files)."""
    return sorted(module.name for module in iter_modules(__path__))


@cache
def families() -> list[Family]:
    """Return all built-in families of metrics."""
    found = (import_module(f"orchestrate_spark.metrics.{name}") for name in modules())
    return [module.FAMILY for module in found if hasattr(module, "FAMILY")]


@cache
def built_in() -> dict[str, Metric]:
    """Return all built-in metrics by name, in the order of their places."""
    found = [(name, metric) for family in families() for name, metric in family.declared.items()]
    return dict(sorted(found, key=lambda of: (of[1].place or math.inf, of[0])))
