# SPDX-License-Identifier: Apache-2.0
"""Replaces a page in one step, so that no reader finds half of one."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def replace(path: Path, content: bytes) -> None:
    """Write the whole file or nothing. Raises OSError, and then leaves nothing behind."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name[:20]}-", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
