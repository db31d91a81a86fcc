# SPDX-License-Identifier: Apache-2.0
"""Writing a file that a user named: whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def scenario(given: Path) -> Path:
    """Return the scenario file: `chain` means chain.yaml if there is no file `chain`. Raises NoSuchThing with
    suggestions.
    """
    from orchestrator.errors import NoSuchThing
    from orchestrator.words import nearest

    given = Path(given)
    if given.is_file():
        return given
    named = [given.with_name(given.name + ending) for ending in (".yaml", ".yml")]
    for path in named:
        if path.is_file():
            return path
    what = "is a folder, not a scenario file" if given.is_dir() else "no such scenario file"
    folder = given if given.is_dir() else given.parent
    there = {path.stem: path for path in sorted([*folder.glob("*.y*ml")])} if folder.is_dir() else {}
    meant = nearest(given.stem, there)
    remedy = (
        f"did you mean {there[meant]}?"
        if meant
        else f"in {folder} there are: {', '.join(path.name for path in list(there.values())[:10])}"
        if there
        else "write one with `orchestrate init`"
    )
    raise NoSuchThing(f"{given}: {what}\n    {remedy}")


def write(path: Path, data: bytes) -> None:
    """Puts `data` at `path` by a temporary name in the same folder; leaves nothing behind if it fails
    (OSError). Raises NoSuchThing if its folder is not there.
    """
    from orchestrator.errors import NoSuchThing

    path = Path(path)
    if not path.parent.is_dir():
        raise NoSuchThing(f"there is no folder {path.parent}; make it, or choose another")
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
