# SPDX-License-Identifier: Apache-2.0
"""Copy one folder under another root, so that every path that leads out of it still leads to the same files.

ROOT/home/ann/tree/examples/hello is a copy; ROOT/home/ann/tree/examples is a real folder with links to
everything that stands beside the original, and so are ROOT/home/ann/tree and the folders above. Thus `../..`
means the same in the copy, and ROOT is all that a compiler must strip from a path.
"""

from __future__ import annotations

import os
import shutil
import stat
from dataclasses import dataclass
from pathlib import Path

from orchestrator.build.cache import AGAIN
from orchestrator.errors import StorageFailed, Unsupported

MOST_FILES = 20_000
MOST_BYTES = 512 * 2**20
_LINKED = (".git",)  # read for the version, never copied


@dataclass(frozen=True)
class Overlay:
    """`place` is the copy, under `root`."""

    root: Path
    place: Path

    def plain(self, text: str) -> str:
        """Return the text with the original's paths in place of the copy's."""
        return text.replace(str(self.root), "")


def overlay(folder: Path, root: Path, *, products: str, keep: bool) -> Overlay:
    """Copy the folder under `root`, replacing an earlier copy.

    Its sub-folder `products` is not copied: with `keep` it is that of the earlier copy, otherwise there is
    none. Raises Unsupported for a folder that is too large or contains something other than files, folders
    and links; StorageFailed.
    """
    folder, product_folder = folder.resolve(), root.with_name("products")
    files = _files(folder, products)
    there = root / folder.relative_to(folder.anchor) / products
    try:
        shutil.rmtree(product_folder, ignore_errors=True)
        if keep and there.is_dir():
            there.rename(product_folder)
        shutil.rmtree(root, ignore_errors=True)
        root.mkdir(parents=True)
        place = _beside(root, folder)
        for path in files:
            _copy(path, place / path.relative_to(folder), folder)
        if product_folder.is_dir():
            there.parent.mkdir(parents=True, exist_ok=True)
            product_folder.rename(there)
    except OSError as error:
        raise StorageFailed(
            f"{root.parent}: the sources can't be copied there: {error}\n    {AGAIN}"
        ) from error
    return Overlay(root, place)


def _files(folder: Path, without: str) -> list[Path]:
    """Folders before what is in them; links are not followed."""
    files, size = [], 0
    waiting = [folder]
    while waiting:
        try:
            inside = [
                (path, path.lstat()) for path in sorted(waiting.pop().iterdir()) if path != folder / without
            ]
        except OSError as error:
            raise Unsupported(
                f"{error.filename}: {error.strerror}; the folder of a source is copied before it is built"
            ) from None
        for path, status in inside:
            files.append(path)
            if stat.S_ISDIR(status.st_mode):
                if path.name not in _LINKED:
                    waiting.append(path)
            elif stat.S_ISREG(status.st_mode):
                size += status.st_size
            elif not stat.S_ISLNK(status.st_mode):
                raise Unsupported(
                    f"{path}: neither file, folder nor link, so the folder of this source can't be copied "
                    "to be built\n    remove it, or put the sources into a folder of their own"
                )
        if len(files) > MOST_FILES or size > MOST_BYTES:
            raise Unsupported(
                f"{folder}: more than {MOST_FILES} files or {MOST_BYTES // 2**20} MiB; a source's folder "
                "is copied before it is built\n    put the sources into a folder of their own, or build "
                "yourself and give --no-commands"
            )
    return files


def _copy(path: Path, target: Path, folder: Path) -> None:
    """Copy the folder; a link out of it leads to where it led, and one within it leads within the copy."""
    if path.is_symlink():
        led = Path(os.path.normpath(path.parent / os.readlink(path)))
        within = led.is_relative_to(folder)
        target.symlink_to(os.path.relpath(led, path.parent) if within else led)
    elif path.name in _LINKED and path.is_dir():
        target.symlink_to(path)
    elif path.is_dir():
        target.mkdir()
    else:
        shutil.copy2(path, target)


def _beside(root: Path, folder: Path) -> Path:
    """Make the folders above the copy with their links, and the copy's own, empty."""
    here, there = Path(folder.anchor), root
    for name in folder.relative_to(here).parts:
        try:
            names = os.listdir(here)
        except PermissionError:  # one may pass through it, but not look
            names = []
        for other in names:
            if other != name:
                (there / other).symlink_to(here / other)
        here, there = here / name, there / name
        there.mkdir()
    return there
