# SPDX-License-Identifier: Apache-2.0
"""An application's folder: which of its files firmware is made from, and what keeps it from being built.

Firmware is built from a copy, so the folder must hold everything that it needs, and no link may lead out of
it.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from orchestrator.errors import Fault

_SKIPPED_FOLDERS = frozenset({"build", "__pycache__", "orchestrate-store"})
# Files that no compiler reads: a change of a description must not make another firmware.
_SKIPPED_SUFFIXES = (
    ".o",
    ".so",
    ".cooja",
    ".sky",
    ".d",
    ".md",
    ".yaml",
    ".yml",
    ".py",
    ".orig",
    ".rej",
    ".tmp",
    "~",
)
MOST_FILES = 2_000
MOST_BYTES = 64 * 1024 * 1024


def files(folder: Path) -> dict[str, Path]:
    """Its sources: path in the folder (with /) -> where it is, in alphabetical order."""
    return {path.relative_to(folder).as_posix(): path for path in _walk(folder) if path.is_file()}


def faults(folder: Path, name: str) -> list[Fault]:
    """Everything that keeps the firmware `name` from being made of this folder alone."""
    faults_ = []
    root = folder.resolve()
    for needed, what in (
        ("Makefile", "no Makefile"),
        (f"{name}.c", f"no {name}.c, which the firmware is called after"),
    ):
        if not (folder / needed).is_file():
            faults_.append(
                Fault(
                    str(folder), 0, what, "`orchestrate new app NAME` writes an application to compare with"
                )
            )
    sizes: dict[Path, int] = {}
    for path in _walk(folder, links=True):
        if path.is_symlink():
            faults_ += _link(path, root)
        try:
            status = path.stat()
        except OSError:
            continue  # a link to nothing, said already
        if stat.S_ISREG(status.st_mode):
            sizes[path] = status.st_size
        elif not stat.S_ISDIR(status.st_mode):
            faults_.append(
                Fault(str(path), 0, "neither file nor folder", "remove it from the application's folder")
            )
        if len(sizes) > MOST_FILES:
            break
    if len(sizes) > MOST_FILES or sum(sizes.values()) > MOST_BYTES:
        most = max(sizes, key=sizes.__getitem__)
        faults_.append(
            Fault(
                str(folder),
                0,
                f"more than {MOST_FILES} files or {MOST_BYTES >> 20} MiB (the largest: "
                f"{most.relative_to(folder)})",
                "keep only the application's sources in its folder",
            )
        )
    return faults_


def _link(path: Path, root: Path) -> Iterator[Fault]:
    try:
        target = path.resolve(strict=True)
    except (OSError, RuntimeError):
        yield Fault(
            str(path), 0, f"a link to {os.readlink(path)}, which does not exist", "put the file itself there"
        )
        return
    if not target.is_relative_to(root):
        yield Fault(
            str(path), 0, f"a link to {target}, out of the application's folder", "put the file itself there"
        )
    elif target.is_dir():
        yield Fault(str(path), 0, "a link to a folder", "put the folder itself there")


def _walk(folder: Path, links: bool = False) -> Iterator[Path]:
    """Its sources; with `links`, links to folders as well (they are not followed)."""
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(
            name for name in folders if name not in _SKIPPED_FOLDERS and not name.startswith(".")
        )
        if links:
            yield from (Path(place, name) for name in folders if Path(place, name).is_symlink())
        for name in sorted(names):
            if not name.startswith(".") and not name.endswith(_SKIPPED_SUFFIXES):
                yield Path(place, name)
