# SPDX-License-Identifier: Apache-2.0
"""How far a job is that runs now: by Spark's own status, asked from beside it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_EVERY_S = 0.5


@contextmanager
def followed(session, told: Callable[[int, int], None] | None) -> Iterator[None]:
    """While a job of one stage runs inside, `told(done, total)` hears of its tasks, from another thread. No answer is no news."""
    if told is None:
        yield
        return
    over = threading.Event()

    def ask() -> None:
        tracker = session.sparkContext.statusTracker()
        while not over.wait(_EVERY_S):
            for stage in tracker.getActiveStageIds():
                if (known := tracker.getStageInfo(stage)) is not None and not over.is_set():
                    told(known.numCompletedTasks, known.numTasks)

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
