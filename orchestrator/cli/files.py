# SPDX-License-Identifier: Apache-2.0
"""Writing a file that a user named: whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def write(path: Path, data: bytes) -> None:
    """Puts `data` at `path` by a temporary name in the same folder; leaves nothing behind if it fails (OSError)."""
    path = Path(path)
    try:
        _write(path, data)
    except OSError as error:  # the user named `path`, not the temporary file
        raise OSError(error.errno, error.strerror, str(path)) from error


def _write(path: Path, data: bytes) -> None:
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:40]}.", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
