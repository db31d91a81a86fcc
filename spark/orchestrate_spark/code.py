# SPDX-License-Identifier: Apache-2.0
"""What the tables depend on besides the logs: this package's own sources. A change of them makes tables
stale.
"""

from __future__ import annotations

import hashlib
from importlib.util import find_spec

TABLES = ("log_format", "tables", "lines", "parse", "frames", "experiment")
METRICS = ("tables", "functions", "jobs.metrics", "metrics")


def digest(modules: tuple[str, ...]) -> str:
    """Of these modules' sources; works from a zip as well (spark-submit --py-files)."""
    total = hashlib.sha256()
    for module in modules:
        spec = find_spec(f"orchestrate_spark.{module}")
        total.update(spec.loader.get_source(spec.name).encode())
    return total.hexdigest()[:16]
