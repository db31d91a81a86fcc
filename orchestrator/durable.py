# SPDX-License-Identifier: Apache-2.0
"""Files that are whole after a crash, and what processes that crashed have left behind.

Store and build cache work in folders `.tmp-PID-...` and rename what is finished; this is what both need for
it.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import platform
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file's content, in hexadecimal."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def write(path: Path, data: bytes) -> None:
    """Writes a new file down to the disk. The caller renames it, or its folder, into place."""
    with path.open("wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())


def rewrite(path: Path, data: bytes) -> None:
    """Make this the file's content: whole, or the file stays as it was. A kill leaves a draft for `sweep`."""
    draft = path.with_name(f".tmp-{os.getpid()}-{path.name}")
    try:
        write(draft, data)
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def sync(path: Path) -> None:
    """Brings a file or a folder that already exists down to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def alone(folder: Path, waiting: Callable[[], None] | None = None, shared: bool = False) -> Iterator[None]:
    """Keep other processes out of a folder that all of them enter through this function.

    A process that finds it taken calls `waiting()` and waits; without `waiting` it raises BlockingIOError.
    `shared`: let in others that share it too. No file is left, and the lock of a killed process goes with it.
    On a file system without locks, no process is kept out.
    """
    kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        try:
            fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            if waiting is None:
                raise
            waiting()
            fcntl.flock(descriptor, kind)
        except OSError:
            pass  # as NFS, which locks only files that are open for writing
        yield
    finally:
        os.close(descriptor)


def work_prefix() -> str:
    """How a work folder's name begins where other machines see it: with its process and where that is."""
    return f".tmp-{os.getpid()}-at{_here()}-"


@cache
def _here() -> str:
    """Where process ids mean what they mean here: this machine, or this container on it."""
    try:
        space = os.readlink("/proc/self/ns/pid")
    except OSError:
        space = ""
    return hashlib.sha256(f"{platform.node()} {space}".encode()).hexdigest()[:8]


def sweep(folder: Path) -> int:
    """Removes the work folders and drafts `.tmp-PID-...` whose process is gone; how many."""
    removed = 0
    for path in folder.glob(".tmp-*"):
        found = re.match(r"\.tmp-(\d+)-(?:at([0-9a-f]{8})-)?", path.name)
        if found and found[2] in (None, _here()) and not _alive(int(found[1])):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)
            removed += 1
    return removed


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass
    return True
