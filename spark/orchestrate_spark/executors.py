# SPDX-License-Identifier: Apache-2.0
"""A session's executors as places where Python functions run: code, files and work sent to them."""

from __future__ import annotations

import hashlib
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from orchestrate_spark.errors import SparkEnded
from orchestrate_spark.follow import followed

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_LEFT_OUT = {"__pycache__", "_data"}  # _data: sources of firmware, in an installed package


class Executors:
    """The executors of a session. They get these packages' code, whatever is installed where they run."""

    def __init__(self, session: SparkSession, packages: Sequence[Path]):
        self._session = session
        self._scratch = tempfile.TemporaryDirectory(prefix="orchestrate-code-")
        self.code = digest(packages)
        archive = Path(self._scratch.name) / archive_name(self.code)
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
            for name, file in _files(packages):
                packed.write(file, name)
        session.sparkContext.addPyFile(str(archive))

    @property
    def cores(self) -> int:
        """How many tasks run at once, as far as executors have come."""
        return max(1, self._session.sparkContext.defaultParallelism)

    def share(self, content: bytes) -> Any:
        """Content that each executor gets once, when a task first asks for its `.value`."""
        return self._session.sparkContext.broadcast(content)

    def run(self, work: Callable[[Any], Iterable[Any]], groups: Sequence[Any]) -> list[Any]:
        """What `work` gives for each group, a task each; lost ones are done again. Several threads may call
        it at once. Raises SparkEnded if the cluster is lost or a task fails again and again.
        """
        from py4j.protocol import Py4JError

        context = self._session.sparkContext
        try:
            with followed(self._session):
                return context.parallelize(groups, len(groups)).flatMap(work).collect()
        except Py4JError as error:
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
        self._scratch.cleanup()


def archive_name(code: str) -> str:
    """The file name of the code with this digest, as it stands in the path of a module from it."""
    return f"orchestrate-{code}.zip"


def digest(packages: Sequence[Path]) -> str:
    """Of the content of packages' folders."""
    total = hashlib.sha256()
    for name, file in _files(packages):
        total.update(f"{name}\0".encode() + file.read_bytes() + b"\0")
    return total.hexdigest()[:16]


def _files(packages: Sequence[Path]) -> list[tuple[str, Path]]:
    return sorted(
        (file.relative_to(package.parent).as_posix(), file)
        for package in packages
        for file in package.rglob("*")
        if file.is_file() and not _LEFT_OUT & set(file.relative_to(package).parts)
    )
