# SPDX-License-Identifier: Apache-2.0
"""How far the jobs are that run now: by Spark's own status, asked from beside them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_EVERY_S = 0.5


@contextmanager
def followed(session: SparkSession, told: Callable[[int, int], None] | None) -> Iterator[None]:
    """While jobs run inside, `told(done, total)` hears of their tasks, from another thread. No answer is no
    news.

    `total` is what Spark has planned so far: it grows with each job, and where a job is planned anew while it
    runs.
    """
    if told is None:
        yield
        return
    over = threading.Event()
    tracker = session.sparkContext.statusTracker()
    before = set(tracker.getJobIdsForGroup())

    def ask() -> None:
        while not over.wait(_EVERY_S):
            stages = {
                stage
                for job in set(tracker.getJobIdsForGroup()) - before
                if (known := tracker.getJobInfo(job))
                for stage in known.stageIds
            }
            tasks = [known for stage in stages if (known := tracker.getStageInfo(stage)) is not None]
            if tasks and not over.is_set():
                told(sum(stage.numCompletedTasks for stage in tasks), sum(stage.numTasks for stage in tasks))

    def quietly() -> None:
        try:
            ask()
        except Exception:  # noqa: BLE001, S110 - the JVM was ended, or is a cluster's that does not say: the job itself tells what is wrong
            pass

    thread = threading.Thread(target=quietly, name="spark-progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
