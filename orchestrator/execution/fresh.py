# SPDX-License-Identifier: Apache-2.0
"""The one rule of staleness: what `metrics`, `compare` and `report` show is of the present campaign's runs.

Tables remember which runs they were made of (manifest and length of the log) and by which parser, metrics
which tables, runs and code (orchestrate_spark.jobs). Where one of these is another now, tables and metrics
are made anew before anything is shown; where nothing changed, nothing is done and no JVM starts. Where they
can't be made, as there is no Java, the command is refused. A store without any log (its runs were kept, their
logs not) is shown as it is; the page says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from orchestrator.runs.manifest import LOG_FILE


def logs(folder: Path) -> bool:
    """Whether an experiment has any log to make metrics of."""
    return any(any((folder / kind).glob(f"*/{LOG_FILE}")) for kind in ("runs", "logs"))


def renew(
    folder: Path,
    spark: Callable | None = None,
    own: Sequence | None = None,
    told: Callable[[int, int, str], None] | None = None,
):
    """Bring an experiment's tables and metrics up to date; returns what jobs.metrics.compute does, None
    without logs.

    `spark`: makes the session, called only if there is something to do. `own`: the user's own metrics, None
    for those that are there. `told` hears how far the metrics are. Raises MissingTool, StorageFailed,
    NoSuchThing, FaultyInput.
    """
    from orchestrate_spark.jobs.ingest import ingest
    from orchestrate_spark.jobs.metrics import compute

    from orchestrator.execution.spark_errors import spark_errors
    from orchestrator.runs import campaign as campaigns

    if not logs(folder):
        return None
    with spark_errors():
        ingest(folder, spark)
        return compute(folder, campaigns.runs(folder), spark, own, told)
