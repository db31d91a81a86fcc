# SPDX-License-Identifier: Apache-2.0
"""A standalone Spark cluster on this machine, from the wheel of PySpark alone: a master, and workers of one
core each; and a server that speaks S3.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.waiting import HANG_S, wait_until

MASTER, WORKER = "org.apache.spark.deploy.master.Master", "org.apache.spark.deploy.worker.Worker"


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


class Standalone:
    """`url`: the master's. `variables`: what workers and their executors have in their environment."""

    def __init__(self, folder: Path, workers: int, variables: dict[str, str] | None = None):
        from orchestrate_spark.jvm import find_java

        self._folder, self._count = folder, workers
        self._port = free_port()
        self.url = f"spark://127.0.0.1:{self._port}"
        self.environment = {
            **os.environ,
            **(variables or {}),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_DAEMON_MEMORY": "256m",
            "JAVA_HOME": str(find_java().executable.parent.parent),
        }
        self._log = folder / "cluster.log"
        self.workers: list[subprocess.Popen] = []
        self.master: subprocess.Popen | None = None

    def __enter__(self) -> Standalone:
        self.master = self._start(
            MASTER, "--host", "127.0.0.1", "--port", str(self._port), "--webui-port", "0"
        )
        for _ in range(self._count):
            self.start_worker()
        return self

    def __exit__(self, *_: object) -> None:
        for process in (*self.workers, self.master):
            process.kill()
            process.wait(HANG_S)

    def start_worker(self) -> None:
        """One more worker; it knocks until the master is up."""
        before = self._registered()
        words = ("--host", "127.0.0.1", "--webui-port", "0", "--cores", "1", "--memory", "1g")
        worker = self._start(WORKER, *words, "--work-dir", str(self._folder / "work"), self.url)
        self.workers.append(worker)
        wait_until(lambda: self._registered() > before or worker.poll() is not None)
        assert worker.poll() is None, self._log.read_text()[-2000:]

    def kill_worker(self) -> None:
        """Kill a worker with the executors that it started, as a machine that loses its power."""
        worker = self.workers.pop(0)
        executors = children(worker.pid)
        worker.kill()
        for executor in executors:
            os.kill(executor, signal.SIGKILL)
        worker.wait(HANG_S)

    def _registered(self) -> int:
        text = self._log.read_text(errors="replace") if self._log.exists() else ""
        return text.count("Successfully registered with master")

    def _start(self, *words: str) -> subprocess.Popen:
        import pyspark

        spark_class = Path(pyspark.__file__).parent / "bin" / "spark-class"
        with self._log.open("ab") as stream:
            return subprocess.Popen([spark_class, *words], stdout=stream, stderr=stream, env=self.environment)


def children(process: int) -> list[int]:
    """The processes that a process started."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            status = (folder / "stat").read_text()
        except OSError:
            continue
        if int(status.rpartition(")")[2].split()[1]) == process:
            found.append(int(folder.name))
    return found


@contextmanager
def s3_server(folder: Path) -> Iterator[dict[str, str]]:
    """A server that speaks S3 (moto's), with the bucket `results`; what a client's environment has to say."""
    port = free_port()
    with (folder / "s3.log").open("wb") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)], stdout=log, stderr=log
        )
    variables = {
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
        "AWS_ACCESS_KEY_ID": "nobody",
        "AWS_SECRET_ACCESS_KEY": "nothing",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    try:
        wait_until(lambda: server.poll() is not None or _answers(port))
        assert server.poll() is None, (folder / "s3.log").read_text()[-2000:]
        import boto3

        boto3.client(
            "s3",
            endpoint_url=variables["AWS_ENDPOINT_URL"],
            aws_access_key_id="nobody",
            aws_secret_access_key="nothing",
            region_name="us-east-1",
        ).create_bucket(Bucket="results")
        yield variables
    finally:
        server.kill()
        server.wait(HANG_S)


def _answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
        return True
    except OSError:
        return False
