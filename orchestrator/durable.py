# SPDX-License-Identifier: Apache-2.0
"""Files that are whole after a crash, and what processes that crashed have left behind.

Store and build cache work in folders `.tmp-PID-...` and rename what is finished; this is what both need for it.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from pathlib import Path


def sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def write(path: Path, data: bytes) -> None:
    """Writes a new file down to the disk. The caller renames it, or its folder, into place."""
    with path.open("wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())


def sync(path: Path) -> None:
    """Brings a file or a folder that is there already down to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sweep(folder: Path) -> int:
    """Removes the work folders `.tmp-PID-...` whose process is gone; how many."""
    removed = 0
    for path in folder.glob(".tmp-*"):
        found = re.match(r"\.tmp-(\d+)-", path.name)
        if found and not _alive(int(found[1])):
            shutil.rmtree(path, ignore_errors=True)
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
