# SPDX-License-Identifier: Apache-2.0
"""Keeps an experiment's tables and metrics up to date before `metrics`, `compare` and `report` show them.

What is shown is always of the present run list. Tables record which runs they were made from (manifest
and length of the log) and by which parser; metrics record their tables, runs and code
(orchestrate_spark.jobs). If one of these has changed, tables and metrics are made anew; otherwise nothing is
done and no engine starts. If they can't be made because none can run here, the command is refused. A store
whose runs were kept without their logs is shown as it is, and the page says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.runs.manifest import LOG_FILE

if TYPE_CHECKING:  # pandas takes most of a second to load
    from orchestrate_spark.jobs.metrics import Computed
    from orchestrate_spark.metrics.own import Own


def logs(folder: Path) -> bool:
    """Say whether an experiment has any log to compute metrics from."""
    return any(any((folder / kind).glob(f"*/{LOG_FILE}")) for kind in ("runs", "logs"))


def renew(
    folder: Path,
    spark: Callable | None = None,
    own: Sequence[Own] | None = None,
    told: Callable[[int, int, str], None] | None = None,
) -> Computed | None:
    """Bring an experiment's tables and metrics up to date; return None if it has no logs.

    `spark`: makes the session; it is called only if there is something to compute. `own`: the user's own
    metrics; None for those that were computed before. `told` gets the progress of the metrics. Raises
    MissingTool, StorageFailed, NoSuchThing, FaultyInput.
    """
    from orchestrate_spark.jobs.ingest import ingest
    from orchestrate_spark.jobs.metrics import compute

    from orchestrator.runs import run_list as run_lists

    if not logs(folder):
        return None
    ingest(folder, spark)
    return compute(folder, run_lists.runs(folder), spark, own, told)
