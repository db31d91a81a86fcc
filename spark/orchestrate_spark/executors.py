# SPDX-License-Identifier: Apache-2.0
"""Runs Python functions on a session's executors, to which code, files and work are sent."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from orchestrate_spark.errors import SparkEnded
from orchestrate_spark.follow import followed

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

UNPACKED = "orchestrate-code"  # begins the name of a temporary folder, with a folder for each digest
_LEFT_OUT = {"__pycache__", "_data"}  # _data: what an installed package has beside its code


class Executors:
    """The executors of a session. They get this code (name in it -> folder), whatever is installed there."""

    def __init__(self, session: SparkSession, contents: Mapping[str, Path]):
        self._session = session
        self.code = digest(contents)
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, file in _files(contents):
                archive.write(file, name)
        self._archive = self.share(packed.getvalue())

    @property
    def cores(self) -> int:
        """How many tasks run at once on the executors that have come so far."""
        return max(1, self._session.sparkContext.defaultParallelism)

    def share(self, content: bytes) -> Any:
        """Return a broadcast, which each executor gets once, when a task first asks for its `.value`."""
        return self._session.sparkContext.broadcast(content)

    def run(
        self, work: Callable[..., Iterable[Any]], groups: Sequence[Any], shared: Mapping[str, Any]
    ) -> list[Any]:
        """Return what `work(group, shared)` gives for each group, a task each; lost ones are done again.

        Several threads may call it at once. Raises SparkEnded if the cluster is lost or a task fails again
        and again.
        """
        from py4j.protocol import Py4JError
        from pyspark import cloudpickle
        from pyspark.errors import PySparkException

        from orchestrate_spark import begin

        cloudpickle.register_pickle_by_value(begin)
        context, archive, code = self._session.sparkContext, self._archive, self.code
        start, unpacked, named = begin.begin, UNPACKED, dict(shared)
        called = cloudpickle.dumps(work)

        def task(call: bytes) -> Iterable[Any]:
            return start(archive, code, unpacked, call, named)

        calls = [cloudpickle.dumps((called, group)) for group in groups]
        try:
            with followed(self._session):
                return context.parallelize(calls, len(calls)).flatMap(task).collect()
        except (Py4JError, PySparkException) as error:
            told = [line for line in str(error).splitlines() if "Error" in line or "Exception" in line]
            raise SparkEnded(
                f"tasks on {context.master} failed: {(told or [str(error)])[-1].strip()[:400]}\n    what was "
                "finished is kept; ORCHESTRATE_SPARK_LOG=warn before the command shows what Spark says"
            ) from error

    def stop(self) -> None:
        """End all tasks under way."""
        self._session.sparkContext.cancelAllJobs()

    def close(self) -> None:
        """End the session."""
        self._session.stop()


def digest(contents: Mapping[str, Path]) -> str:
    """Return the digest of the content of these folders."""
    total = hashlib.sha256()
    for name, file in _files(contents):
        total.update(f"{name}\0".encode() + file.read_bytes() + b"\0")
    return total.hexdigest()[:16]


def _files(contents: Mapping[str, Path]) -> list[tuple[str, Path]]:
    return sorted(
        (f"{name}/{file.relative_to(folder).as_posix()}", file)
        for name, folder in contents.items()
        for file in folder.rglob("*")
        if file.is_file() and not _LEFT_OUT & set(file.relative_to(folder).parts)
    )
