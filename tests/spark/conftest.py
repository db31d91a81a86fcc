# SPDX-License-Identifier: Apache-2.0
"""One Spark session for all of these tests, and helpers that stand beside them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session")
def spark():
    """Makes the session, as ingest() and compute() want it."""
    from orchestrate_spark.errors import NoJava
    from orchestrate_spark.session import session

    try:
        made = session(cores=2)
    except NoJava as error:
        pytest.skip(str(error))
    return lambda: made


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
