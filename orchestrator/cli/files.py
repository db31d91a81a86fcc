# SPDX-License-Identifier: Apache-2.0
"""Finds and writes files that a user named."""

from __future__ import annotations

import errno
import os
from pathlib import Path


def scenario(given: Path) -> Path:
    """Return the scenario file: `chain` means chain.yaml if there is no file `chain`.

    Raises NoSuchThing, which suggests others.
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
    try:
        if not given.is_dir():
            given.stat()
            what = "is not a regular file"
    except OSError as error:
        if error.errno not in (errno.ENOENT, errno.ENOTDIR):
            what = os.strerror(error.errno)  # a loop of links, or no permission
    folder = given if given.is_dir() else given.parent
    there = {path.stem: path for path in sorted(folder.glob("*.y*ml"))} if folder.is_dir() else {}
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
    """Write a file whole or not at all. Raises OSError, and NoSuchThing if its folder is not there."""
    from orchestrator.durable import rewrite
    from orchestrator.errors import NoSuchThing

    path = Path(path)
    if not path.parent.is_dir():
        raise NoSuchThing(f"the folder {path.parent} does not exist; make it, or choose another")
    try:
        rewrite(path, data)
    except OSError as error:  # the user named `path`, not the draft
        raise OSError(error.errno, error.strerror, str(path)) from error
