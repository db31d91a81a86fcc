# SPDX-License-Identifier: Apache-2.0
"""Watches running jobs: how far they are, and whether their cluster is still there, by Spark's own status.

A driver whose master and workers are all gone waits for ever, because Spark takes a cluster without executors
for a busy one. The watch here ends its jobs when there is nothing left to wait for.
"""

from __future__ import annotations

import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from orchestrate_spark.embedded import is_connect
from orchestrate_spark.errors import SparkEnded

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_EVERY_S = 0.5
LOST_S = 30  # without executor and master; a master that is started again is back by then
IDLE_S = 600  # without executor while the master answers; others may use all of its cores for so long
_CONNECT_S = 2


@contextmanager
def followed(session: SparkSession, told: Callable[[int, int], None] | None = None) -> Iterator[None]:
    """Call `told(done, total)` from another thread with the tasks of the jobs that run inside.

    `total` is the number of tasks that Spark has planned so far: it grows with each job, and when a job is
    planned anew while it runs. While Spark doesn't answer, `told` isn't called. Raises SparkEnded if the
    jobs' cluster is lost. A session of the Spark Connect protocol tells nothing of its tasks.
    """
    if is_connect(session):
        yield
        return
    cluster = _Cluster(session) if session.sparkContext.master.startswith("spark://") else None
    if told is None and cluster is None:
        yield
        return
    over = threading.Event()
    tracker = session.sparkContext.statusTracker()
    before = set(tracker.getJobIdsForGroup())

    def ask() -> None:
        while not over.wait(_EVERY_S):
            if cluster is not None and cluster.lost():
                session.sparkContext.cancelAllJobs()
                return
            stages = {
                stage
                for job in set(tracker.getJobIdsForGroup()) - before
                if (known := tracker.getJobInfo(job))
                for stage in known.stageIds
            }
            tasks = [known for stage in stages if (known := tracker.getStageInfo(stage)) is not None]
            if told is not None and tasks and not over.is_set():
                told(sum(stage.numCompletedTasks for stage in tasks), sum(stage.numTasks for stage in tasks))

    def quietly() -> None:
        # The JVM was ended, or is a cluster's that does not say: the job itself tells what is wrong.
        with suppress(Exception):
            ask()

    thread = threading.Thread(target=quietly, name="spark-progress", daemon=True)
    thread.start()
    try:
        yield
    except Exception as error:
        if cluster is not None and cluster.why:
            raise SparkEnded(cluster.why) from error
        raise
    finally:
        over.set()
        thread.join()


class _Cluster:
    """Says whether anybody is left to do a session's jobs. `why`: what is wrong, once something is."""

    def __init__(self, session: SparkSession):
        self._context = session.sparkContext
        self._seen = time.monotonic()
        self.why = ""

    def lost(self) -> bool:
        if self._context._jsc.sc().getExecutorMemoryStatus().size() > 1:  # the driver is one of them
            self._seen = time.monotonic()
            return False
        waited = time.monotonic() - self._seen
        there = waited < LOST_S or master_answers(self._context.master)
        if not there:
            self.why = (
                f"the cluster {self._context.master} is lost: neither its master nor an executor answers"
            )
        elif waited > IDLE_S:
            self.why = (
                f"the cluster {self._context.master} has given no executor for {IDLE_S // 60} minutes: no "
                "worker has cores and memory left"
            )
        if self.why:
            self.why += "\n    what was finished is kept; start it again, then run the same command again"
        return bool(self.why)


def master_answers(url: str) -> bool:
    """Whether one of a standalone cluster's masters takes a connection."""
    for host, port in re.findall(r"([^/,:\[\]]+|\[[^\]]+\]):([0-9]+)", url.removeprefix("spark://")):
        try:
            socket.create_connection((host.strip("[]"), int(port)), _CONNECT_S).close()
            return True
        except OSError:
            continue
    return False
