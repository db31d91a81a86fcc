# SPDX-License-Identifier: Apache-2.0
"""A digest of the code that runs beside motes, which identifies it in a run."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

_DIGITS = 16


@cache
def digest(*folders: Path) -> str:
    """Return a digest of the Python files in folders, and of those here: each can change a run's bytes."""
    hasher = hashlib.sha256()
    for folder in (*folders, Path(__file__).parent):
        for path in sorted(folder.glob("*.py")):
            hasher.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return hasher.hexdigest()[:_DIGITS]
