# SPDX-License-Identifier: Apache-2.0
"""Writes files that are whole after a crash, and removes what crashed processes have left behind.

Store and build cache work in folders `.tmp-PID-...` and rename what is finished.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

# A file that changed less long ago may change again within one tick of the file system's clock.
SETTLED_NS = 2_000_000_000


def mark(status: os.stat_result) -> list[int]:
    """Return the parts of a file's status that change with its content, once settled: size, times, inode."""
    return [status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino]


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file's content, in hexadecimal."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def write(path: Path, data: bytes) -> None:
    """Write a new file down to the disk. The caller renames it, or its folder, into place."""
    with path.open("wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())


def settle(made: Path, kept: Path) -> None:
    """Move a complete folder to its place, unless another process was faster."""
    try:
        os.rename(made, kept)
    except OSError:
        if not kept.is_dir():
            raise


@contextmanager
def replacing(path: Path, synced: bool = True) -> Iterator[Path]:
    """Give a draft beside `path`; the file or folder made there takes its place at the end of the block.

    If the block raises, what was at `path` stays as it was. A kill leaves a draft for `sweep`. A file is
    written down to the disk first, unless `synced` is false: then a power failure may lose it.
    """
    number = threading.get_native_id()
    draft = path.with_name(f".tmp-{os.getpid()}-{number}-{path.name[-60:]}")  # at most 255 bytes
    try:
        yield draft
        if synced and draft.is_file():
            sync(draft)
        os.replace(draft, path)
    finally:
        with suppress(OSError):  # nothing may hide why it can't be written
            shutil.rmtree(draft) if draft.is_dir() else draft.unlink()


def rewrite(path: Path, data: bytes) -> None:
    """Make this the file's content: whole, or the file stays as it was."""
    with replacing(path, synced=False) as draft:
        write(draft, data)


def sync(path: Path) -> None:
    """Write a file or a folder that already exists down to the disk."""
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
            pass  # such as NFS, which locks only files that are open for writing
        yield
    finally:
        os.close(descriptor)


def work_prefix() -> str:
    """Return the beginning of a work folder's name: it names the process and where that runs."""
    return f".tmp-{os.getpid()}-at{_here()}-"


@cache
def _here() -> str:
    """Return a digest of this machine, or of this container on it: where process ids mean the same."""
    try:
        space = os.readlink("/proc/self/ns/pid")
    except OSError:
        space = ""
    return hashlib.sha256(f"{os.uname().nodename} {space}".encode()).hexdigest()[:8]


def sweep(folder: Path) -> int:
    """Remove the work folders and drafts `.tmp-PID-...` whose process is gone; return how many."""
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
