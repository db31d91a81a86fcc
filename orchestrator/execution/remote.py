# SPDX-License-Identifier: Apache-2.0
"""The work of an executor of a cluster: it makes runs one by one, with the engine that was sent to it.

It is called by the cluster's Python with the code that the driver sent (orchestrate_spark.executors), so it
imports no more than a run needs.
"""

from __future__ import annotations

import hashlib
import os
import socket
import stat
import tempfile
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import orchestrator
from orchestrator.engines.model import Job
from orchestrator.errors import MissingTool, OrchestrateError, StorageFailed
from orchestrator.runs.model import RETRIED, Outcome, RunResult


@dataclass(frozen=True)
class Sent:
    """A run as it is sent: `job` with its firmware's digests where the paths stand; `key`: of its result."""

    key: str
    job: Job


@dataclass(frozen=True)
class Answer:
    """The result of a run that was sent.

    `kept`: its result is in the storage; otherwise it is `result`, which has no log, or an `error` that ends
    the whole command.
    """

    key: str
    seconds: float = 0.0
    kept: bool = False
    result: RunResult | None = None
    error: OrchestrateError | None = None


def worker(
    kernel: str, plain: bool, place: str, code: str
) -> Callable[[Sequence[Sent], Mapping[str, Any]], Iterator[Answer]]:
    """Return what an executor does with a group of runs and shared files (digest -> content).

    `kernel`: the digest of the engine's executable, `place`: where results go, `code`: the digest of the
    driver's code.
    """

    def work(group: Sequence[Sent], files: Mapping[str, Any]) -> Iterator[Answer]:
        try:
            same_code(code)
            make = _maker(files, kernel, plain, place)
        except OrchestrateError as error:
            yield Answer(group[0].key, error=error)
            return
        for sent in group:
            yield make(sent)

    return work


def _maker(files: Mapping[str, Any], kernel: str, plain: bool, place: str) -> Callable[[Sent], Answer]:
    from orchestrator.engines.embedded.engine import EmbeddedEngine
    from orchestrator.engines.protocol import run_one
    from orchestrator.execution.results import results

    engine = EmbeddedEngine(_here(kernel, files), plain)
    stored = results(place)

    def make(sent: Sent) -> Answer:
        try:
            if stored.found(sent.key) is not None:  # by a task that was lost after it
                return Answer(sent.key, kept=True)
            firmware = {name: _here(digest.name, files) for name, digest in sent.job.firmware.items()}
            with tempfile.TemporaryDirectory(prefix="orchestrate-run-") as folder:
                log = Path(folder) / sent.job.log.name
                result = run_one(engine, replace(sent.job, log=log, firmware=firmware))
                if result.outcome in RETRIED:
                    return Answer(sent.key, result.wall_s, result=result)
                log.touch()
                stored.keep(sent.key, log, result)
            return Answer(sent.key, result.wall_s, kept=True)
        except OrchestrateError as error:
            return Answer(sent.key, error=error)
        except OSError as error:  # this machine's disk: another one may do it
            why = f"{socket.gethostname()}: {error.filename or ''}: {error.strerror or error}"
            return Answer(sent.key, result=RunResult(Outcome.LOST, 0, 0.0, 0, 0, (why,)))

    return make


def contents() -> dict[str, Path]:
    """Return the code that a run needs, by its place on an executor, as if it were installed there."""
    import orchestrate_spark

    from orchestrator.resources import csc_templates

    return {
        "orchestrator": Path(orchestrator.__file__).parent,
        "orchestrate_spark": Path(orchestrate_spark.__file__).parent,
        "orchestrator/_data/csc-templates": csc_templates(),
    }


def _here(digest: str, files: Mapping[str, Any]) -> Path:
    """Return a file that was sent, on this machine: written by the first that needs it, under its digest."""
    folder = Path(tempfile.gettempdir()) / f"orchestrate-files-{os.getuid()}"
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid() or status.st_mode & 0o022:
        raise StorageFailed(  # somebody else could put another program there
            f"{socket.gethostname()}: {folder} is not a folder that only this user may write to\n"
            "    remove it there, or set TMPDIR for its worker; no run was made"
        )
    file = folder / digest
    if not file.exists() or hashlib.sha256(file.read_bytes()).hexdigest() != digest:
        draft = folder / f".{uuid.uuid4().hex}"
        draft.write_bytes(files[digest].value)
        draft.chmod(0o700)
        draft.replace(file)
    return file


def same_code(code: str) -> None:
    """Raise MissingTool if what runs here is not the code that the driver sent."""
    from orchestrate_spark import executors

    here = Path(orchestrator.__file__).parent
    if here.parent.name == code or executors.digest(contents()) == code:
        return
    raise MissingTool(
        f"the worker {socket.gethostname()} has another version of orchestrate, {orchestrator.__version__} "
        f"in {here}\n    take it off the path of Python there, or install this one; no run was made"
    )
