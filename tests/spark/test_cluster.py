# SPDX-License-Identifier: Apache-2.0
"""Ingestion and metrics on a standalone cluster of this machine: one master, one worker, executors of their
own.

Only with ORCHESTRATE_CLUSTER=1: its Java processes took 43 s of CPU, and four minutes on a busy machine, and
what it tests changes with Spark and session.py, not from day to day.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from orchestrate_spark.jobs.ingest import ingest
from orchestrate_spark.jobs.metrics import compute
from orchestrate_spark.load import load
from orchestrate_spark.tables import COLUMNS
from pyarrow import parquet
from synthetic import Chain, write_experiment

from tests.waiting import HANG_S, wait_until

pytestmark = [
    pytest.mark.spark,
    pytest.mark.skipif(
        not os.environ.get("ORCHESTRATE_CLUSTER"),
        reason="starts a Spark cluster, takes minutes: set ORCHESTRATE_CLUSTER=1",
    ),
]
MASTER, WORKER = "org.apache.spark.deploy.master.Master", "org.apache.spark.deploy.worker.Worker"
JOBS = """
import sys
from orchestrate_spark.errors import TablesFailed
from orchestrate_spark.jobs import ingest as job
from orchestrate_spark.jobs.metrics import compute
from orchestrate_spark.session import session

made = session(master=sys.argv[1], memory="512m")
print(made.sparkContext.master, len(job.ingest("exp", lambda: made).added), compute("exp", spark=lambda: made).runs)
task = job._task
job._task = lambda todo, folder: task(todo, "/no/such/store")  # as on a machine that does not mount the store
try:
    job.ingest("../other", lambda: made)
except TablesFailed as error:
    print(error)
"""  # noqa: E501


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


@pytest.fixture
def cluster(tmp_path, spark):
    """The master's URL."""
    import pyspark
    from orchestrate_spark.jvm import find_java

    spark_class = Path(pyspark.__file__).parent / "bin" / "spark-class"
    port = free_port()
    url = f"spark://127.0.0.1:{port}"
    environment = os.environ | {
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_DAEMON_MEMORY": "256m",
        "JAVA_HOME": str(find_java().executable.parent.parent),
    }
    commands = (
        [MASTER, "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0"],
        [
            WORKER,
            "--host",
            "127.0.0.1",
            "--webui-port",
            "0",
            "--cores",
            "2",
            "--memory",
            "1g",
            "--work-dir",
            str(tmp_path / "work"),
            url,
        ],
    )
    log = tmp_path / "cluster.log"
    with log.open("wb") as stream:
        processes = [
            subprocess.Popen([spark_class, *words], stdout=stream, stderr=stream, env=environment)
            for words in commands
        ]  # the worker knocks until the master is up
    try:
        wait_until(
            lambda: (
                "Successfully registered with master" in log.read_text(errors="replace")
                or any(each.poll() is not None for each in processes)
            )
        )
        assert all(each.poll() is None for each in processes), log.read_text()[-2000:]
        yield url
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait(HANG_S)


def test_a_standalone_cluster_gives_the_same_tables_and_metrics(cluster, tmp_path, spark):
    for name in ("there/exp", "here/exp", "other"):
        write_experiment(tmp_path / name, [Chain("A5A", 5, True)], range(1, 4))
    ran = subprocess.run(
        [sys.executable, "-c", JOBS, cluster],
        cwd=tmp_path / "there",
        capture_output=True,
        text=True,
        timeout=HANG_S,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith(f"{cluster} 3 3\n")
    assert "does not see /no/such/store" in ran.stdout and not (tmp_path / "other" / "tables").exists()
    there, here = tmp_path / "there" / "exp", tmp_path / "here" / "exp"
    ingest(here, spark)
    compute(here, spark=spark)
    tables = [load(experiment, "arrow") for experiment in (there, here)]
    assert [name for name in COLUMNS if tables[0][name] != tables[1][name]] == []
    assert parquet.read_table(there / "metrics" / "per_run") == parquet.read_table(
        here / "metrics" / "per_run"
    )
