# SPDX-License-Identifier: Apache-2.0
"""Results on their way from machines that make runs to the one that keeps them, by the request's digest.

A result is there as a whole or not at all, and the first one stays, whoever comes second: in a folder that
all machines share by a rename, in an object store, which has neither renames nor links, by an object that is
put last and only if it is absent.
"""

from __future__ import annotations

import json
import os
import shutil
import time
import uuid
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

from orchestrator.durable import sha256, sync
from orchestrator.errors import MissingTool, StorageFailed
from orchestrator.runs.manifest import LOG_FILE
from orchestrator.runs.model import Outcome, RunResult

_RESULT = "result.json"
_OLD_S = 24 * 3600  # of drafts that nobody works on any more
_REMEDY = "see that all machines of the cluster reach it, then run the same command again"


class Results(Protocol):
    """`key`: the digest of what was asked for. What can't be written or read raises StorageFailed."""

    def found(self, key: str) -> RunResult | None:
        """Return the result that is there."""

    def keep(self, key: str, log: Path, result: RunResult) -> None:
        """Keep a result with its log, unless there is one."""

    def take(self, key: str, log: Path) -> RunResult | None:
        """Bring the log to this path and remove the result; None if it is not there, or is not whole."""


def results(place: str) -> Results:
    """Return the door to a folder, or to the URL of an object store (s3://BUCKET/PREFIX)."""
    return ObjectStore(place) if "://" in place else SharedFolder(Path(place))


class SharedFolder:
    """PLACE/KEY/{COOJA.testlog, result.json}."""

    def __init__(self, place: Path):
        self._place = place

    def sweep(self) -> None:
        """Remove what killed machines left half done, long ago."""
        for draft in self._place.glob(".tmp-*"):
            with suppress(FileNotFoundError):  # another machine sweeps, too
                if time.time() - draft.stat().st_mtime > _OLD_S:
                    shutil.rmtree(draft, ignore_errors=True)

    def found(self, key: str) -> RunResult | None:
        try:
            return _read((self._place / key / _RESULT).read_bytes())[0]
        except OSError:
            return None

    def keep(self, key: str, log: Path, result: RunResult) -> None:
        if not self._place.is_dir():  # the driver made it: nobody would find what is written here
            raise StorageFailed(f"{self._place}: not seen here\n    {_REMEDY}")
        draft = self._place / f".tmp-{uuid.uuid4().hex}"
        try:
            draft.mkdir()
            shutil.copyfile(log, draft / LOG_FILE)
            sync(draft / LOG_FILE)
            (draft / _RESULT).write_bytes(_written(result, LOG_FILE, log))
            if not (self._place / key).exists():
                os.rename(draft, self._place / key)
        except OSError as error:
            if not (self._place / key).exists():  # else another machine was faster
                raise StorageFailed(f"{self._place}: {error.strerror or error}\n    {_REMEDY}") from error
        finally:
            shutil.rmtree(draft, ignore_errors=True)

    def take(self, key: str, log: Path) -> RunResult | None:
        folder = self._place / key
        try:
            result, _, digest = _read((folder / _RESULT).read_bytes())
            if sha256(folder / LOG_FILE) != digest:
                result = None
            else:
                os.replace(folder / LOG_FILE, log)
        except OSError:
            result = None
        shutil.rmtree(folder, ignore_errors=True)
        return result


class ObjectStore:
    """URL/KEY/{UNIQUE.testlog, result.json}: the result is put last, if absent, and names its log."""

    def __init__(self, url: str):
        try:
            import fsspec

            self._files, self._root = fsspec.core.url_to_fs(url.rstrip("/"), use_listings_cache=False)
        except (ImportError, ValueError) as error:
            raise MissingTool(
                f"{url}: {error}\n    for S3, `python -m pip install 'cooja-orchestrate[object-store]'` on "
                "every machine of the cluster"
            ) from error

    def found(self, key: str) -> RunResult | None:
        data = self._get(f"{self._root}/{key}/{_RESULT}")
        return None if data is None else _read(data)[0]

    def keep(self, key: str, log: Path, result: RunResult) -> None:
        name = f"{uuid.uuid4().hex}.testlog"
        own = f"{self._root}/{key}/{name}"
        try:
            self._files.pipe_file(own, log.read_bytes())
            try:
                self._files.pipe_file(
                    f"{self._root}/{key}/{_RESULT}", _written(result, name, log), mode="create"
                )
            except FileExistsError:  # another machine was faster: its log is the one that is named
                self._files.rm_file(own)
        except OSError as error:
            raise StorageFailed(f"{self._root}: {error.strerror or error}\n    {_REMEDY}") from error

    def take(self, key: str, log: Path) -> RunResult | None:
        folder = f"{self._root}/{key}"
        data = self._get(f"{folder}/{_RESULT}")
        if data is None:
            return None
        result, name, digest = _read(data)
        content = self._get(f"{folder}/{name}")
        for each in (_RESULT, name):
            self._remove(f"{folder}/{each}")
        if content is None:
            return None
        log.write_bytes(content)
        return result if sha256(log) == digest else None

    def _get(self, path: str) -> bytes | None:
        try:
            return self._files.cat_file(path)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StorageFailed(f"{path}: {error.strerror or error}\n    {_REMEDY}") from error

    def _remove(self, path: str) -> None:
        try:
            self._files.rm_file(path)
        except FileNotFoundError:
            pass
        except OSError as error:
            raise StorageFailed(f"{path}: {error.strerror or error}\n    {_REMEDY}") from error


def _written(result: RunResult, name: str, log: Path) -> bytes:
    content = {**vars(result), "outcome": result.outcome.value, "log": name, "log_sha256": sha256(log)}
    del content["testbed"]  # a cluster simulates
    return json.dumps(content).encode("ascii")


def _read(data: bytes) -> tuple[RunResult, str, str]:
    content: dict[str, Any] = json.loads(data)
    name, digest = content.pop("log"), content.pop("log_sha256")
    content["evidence"] = tuple(content["evidence"])
    return RunResult(**{**content, "outcome": Outcome(content["outcome"])}), name, digest
