# SPDX-License-Identifier: Apache-2.0
"""One session of each engine for all of these tests, and helpers that stand beside them."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session")
def spark():
    """Gives the embedded engine's session, as compute() and open_store() want it."""
    from orchestrate_spark.engines import EMBEDDED, Sessions

    return Sessions(EMBEDDED)


@pytest.fixture(scope="session")
def apache():
    """Gives Apache Spark's session on two cores; only tests whose subject it is should ask for it."""
    from orchestrate_spark.engines import Sessions
    from orchestrate_spark.errors import NoSpark

    sessions = Sessions("local[2]")
    try:
        sessions.need()
    except NoSpark as error:
        pytest.skip(str(error))
    return sessions


@pytest.fixture(scope="session")
def measured(tmp_path_factory, spark) -> Path:
    """The experiment of measured_runs.py, with its metrics. Nobody changes it."""
    from measured_runs import write
    from orchestrate_spark.jobs.ingest import ingest
    from orchestrate_spark.jobs.metrics import compute

    folder = tmp_path_factory.mktemp("measured") / "exp"
    write(folder)
    ingest(folder, spark, cores=2)
    compute(folder, spark=spark)
    return folder


@pytest.fixture
def in_one_file(monkeypatch) -> Callable[[Callable[[], object]], tuple[object, str]]:
    """A function that calls a command; it gives the result, and what both streams have written in the order
    in which it reaches a file that both go to: output comes when it is flushed, and warnings at once.
    """

    class Stream(io.StringIO):
        def __init__(self, reached: list[str], at_once: bool):
            super().__init__()
            self.reached, self.at_once = reached, at_once

        def write(self, text: str) -> int:
            written = super().write(text)
            if self.at_once:
                self.flush()
            return written

        def flush(self) -> None:
            self.reached.append(self.getvalue())
            self.seek(0)
            self.truncate()

    def call(command: Callable[[], object]) -> tuple[object, str]:
        reached: list[str] = []
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdout", Stream(reached, at_once=False))
            patch.setattr(sys, "stderr", Stream(reached, at_once=True))
            return command(), "".join(reached)

    return call
