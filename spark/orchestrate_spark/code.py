# SPDX-License-Identifier: Apache-2.0
"""Digests this package's own sources, on which tables depend besides the logs: a change makes them stale."""

from __future__ import annotations

import hashlib
from importlib.util import find_spec

TABLES = ("log_format", "tables", "lines", "text", "damage", "parse", "frames", "experiment", "end_records")
METRICS = ("tables", "functions", "jobs.metrics", "jobs.computation", "jobs.increment", "metrics")


def digest(modules: tuple[str, ...]) -> str:
    """Return the digest of these modules' sources, which may be in a zip (spark-submit --py-files)."""
    total = hashlib.sha256()
    for module in modules:
        spec = find_spec(f"orchestrate_spark.{module}")
        total.update(spec.loader.get_source(spec.name).encode())
    return total.hexdigest()[:16]
