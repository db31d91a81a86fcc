# SPDX-License-Identifier: Apache-2.0
"""Names files to an engine, which takes some characters of a path for a pattern."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from pathlib import Path

_PATTERN = set("*?[]{}\\")
_LINKS: dict[Path, Path] = {}  # a folder with such a name -> a link to it


def plain(path: Path) -> str:
    """Return a path to the same file in which nothing is taken for a pattern, if need be through a link.

    Only this machine sees the link: on a cluster, Spark says that the path is not there.
    """
    path = path.absolute()
    odd = [at for at, part in enumerate(path.parts) if _PATTERN & set(part)]
    if not odd:
        return str(path)
    folder = Path(*path.parts[: odd[-1] + 1])
    if folder not in _LINKS:
        place = Path(tempfile.mkdtemp(prefix="orchestrate-path-"))
        atexit.register(shutil.rmtree, place, ignore_errors=True)
        (place / "store").symlink_to(folder)
        _LINKS[folder] = place / "store"
    return str(_LINKS[folder].joinpath(*path.parts[odd[-1] + 1 :]))
