# SPDX-License-Identifier: Apache-2.0
"""Keeps folders that change as a whole: `tables` and `metrics` of an experiment.

`tables` is a link to `.tables/ID`, a folder that never changes once it has that name. A new state is made
beside it (files that stay are hard links), and one rename replaces the link. A plain glob over
`tables/*/*.parquet` is therefore exact at any time, even after a writer was killed. The state before the
current one is kept for readers under way.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain, count
from pathlib import Path
from typing import IO

from orchestrate_spark.errors import SparkEnded, TablesFailed

INDEX = "index.json"  # in each state: what it holds
DIGESTS = "sha256"  # in the index: path -> hash of the file
BEFORE = "before"  # in the index: the name of the state before
READ_ONLY = (errno.EROFS, errno.EACCES, errno.EPERM)


@contextmanager
def writing(experiment: Path, name: str) -> Iterator[None]:
    """Let one writer in at a time, and remove what a killed one left; its lock went with it.

    On a read-only store there is nobody to keep out: what only has to be looked up inside works without a
    lock, and the first attempt to write fails. Raises SparkEnded and TablesFailed for what goes wrong inside.
    """
    states = experiment / f".{name}"
    try:
        with _lock(states) as lock:
            if lock is None:
                yield
                return
            fcntl.flock(lock, fcntl.LOCK_EX)
            _sweep(experiment, name)
            try:
                yield
            finally:
                _sweep(experiment, name)
    except ConnectionError as error:  # py4j's: the JVM was ended under it
        raise SparkEnded(
            f"{experiment}: Spark's process has ended: {error.strerror or error}; the {name} are as before"
        ) from error
    except OSError as error:
        raise TablesFailed(
            f"{error.filename or experiment}: {error.strerror or error}\n"
            "    free space or make the store writable, then run the same command again; the "
            f"{name} are as before"
        ) from error


@contextmanager
def _lock(states: Path) -> Iterator[IO | None]:
    """Open the file that writers lock; None if it can't be opened because the store is read-only."""
    try:
        states.mkdir(parents=True, exist_ok=True)
        lock = open(states / "lock", "w")  # noqa: SIM115 - closed below, and what fails inside isn't caught here
    except OSError as error:
        if error.errno not in READ_ONLY or not states.is_dir():
            raise
        yield None
        return
    with lock:
        yield lock


def _sweep(experiment: Path, name: str) -> None:
    """Remove everything but the lock, the current state and the one before it.

    What goes are drafts, links not yet renamed, states that a killed writer did not link, and older states.
    """
    link = experiment / name
    current = Path(os.readlink(link)).name if link.is_symlink() else ""
    wanted = ("lock", current, index(experiment, name).get(BEFORE))
    for left in (experiment / f".{name}").iterdir():
        if left.is_symlink():
            left.unlink()
        elif left.name not in wanted:
            shutil.rmtree(left, ignore_errors=True)


def index(experiment: Path, name: str) -> dict:
    """Return the index of the current state; empty if the state is missing or unreadable."""
    try:
        found = json.loads((experiment / name / INDEX).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def intact(experiment: Path, name: str) -> set[str]:
    """Return the current state's undamaged files, as paths in it: their digests are those in the index."""
    written = index(experiment, name).get(DIGESTS)
    found = set()
    for path, digest in written.items() if isinstance(written, dict) else ():
        try:
            if _digest(experiment / name / path) == digest:
                found.add(path)
        except (OSError, ValueError):
            continue
    return found


def _digest(path: Path) -> str:
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _same_file(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return False


def draft(experiment: Path, name: str) -> Path:
    """Return an empty folder for a new state."""
    folder = experiment / f".{name}" / f"draft-{os.getpid()}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return folder


def keep(current: Path, new: Path, relative: str) -> None:
    """Take a file of the current state over into the new one."""
    target = new / relative
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(current / relative, target)
    except OSError:  # a file system without hard links
        shutil.copyfile(current / relative, target)


def publish(experiment: Path, name: str, new: Path, identity: str, content: dict) -> None:
    """Make `new` the current state. Raises TablesFailed if the file system doesn't let it.

    A file that was taken over keeps its digest: what happened to it since is noticed by the next `intact`,
    and a batch that comes costs no look at all the others.
    """
    states, link = experiment / f".{name}", experiment / name
    known = index(experiment, name).get(DIGESTS)
    known = known if isinstance(known, dict) else {}
    digests = {}
    for path in sorted(new.glob("*/*.parquet")):
        relative = path.relative_to(new).as_posix()
        kept = relative in known and _same_file(link / relative, path)
        digests[relative] = known[relative] if kept else _digest(path)
    before = Path(os.readlink(link)).name if link.is_symlink() else ""
    content = {**content, DIGESTS: digests, BEFORE: before}
    (new / INDEX).write_text(json.dumps(content, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    names = chain([identity], (f"{identity}-{again}" for again in count(1)))
    # It exists if this is the same content again: the state of that name was found damaged.
    final = next(states / name for name in names if not (states / name).exists())
    try:
        if link.is_dir() and not link.is_symlink():  # a store copied with its links followed
            link.rename(states / "draft-copied")
        new.rename(final)
        pointer = states / f"link-{os.getpid()}"
        pointer.symlink_to(f".{name}/{final.name}")
        pointer.replace(link)
    except OSError as error:
        linkless = error.errno in (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS)
        raise TablesFailed(
            f"{link}: {error.strerror or error}\n    "
            + (
                "the store must be on a file system with symbolic links, and writable"
                if linkless
                else "free space or make the store writable, then run the same command again; what was there "
                "is as before"
            )
        ) from error
