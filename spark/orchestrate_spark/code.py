# SPDX-License-Identifier: Apache-2.0
"""What the tables depend on besides the logs: this package's own sources. A change of them makes tables stale."""

from __future__ import annotations

import hashlib
import pkgutil

TABLES = ("log_format", "tables", "lines", "parse", "frames", "experiment")
METRICS = ("tables", "jobs/metrics", "metrics/__init__")


def digest(modules: tuple[str, ...]) -> str:
    """Of these modules' sources; works from a zip as well (spark-submit --py-files)."""
    total = hashlib.sha256()
    for module in modules:
        total.update(pkgutil.get_data("orchestrate_spark", f"{module}.py") or b"")
    return total.hexdigest()[:16]
