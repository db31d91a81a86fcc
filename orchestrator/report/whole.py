# SPDX-License-Identifier: Apache-2.0
"""A page replaces an older one in one step."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def replace(path: Path, content: bytes) -> None:
    """Whole or not at all; leaves nothing behind if it fails (OSError)."""
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
