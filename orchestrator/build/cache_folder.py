# SPDX-License-Identifier: Apache-2.0
"""The build cache's folder. This module imports next to nothing, for lookups before all other imports."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def cache_path() -> str:
    """$XDG_CACHE_HOME/orchestrate, or ~/.cache/orchestrate."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    return os.path.join(base if os.path.isabs(base) else os.path.expanduser("~/.cache"), "orchestrate")


def cache_folder() -> Path:
    """Return that as a path."""
    from pathlib import Path

    return Path(cache_path())
