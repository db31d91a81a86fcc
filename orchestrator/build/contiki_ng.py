# SPDX-License-Identifier: Apache-2.0
"""A user's Contiki-NG tree: found, checked, and hashed as far as firmware is made of it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from orchestrator.durable import sha256
from orchestrator.errors import NoSuchThing

_MARKER = "Makefile.include"
_PARTS = (
    "os",
    "arch",
    "tools",
)  # the folders of which every firmware is made; examples and tests only count if they are built themselves
# Submodules without which a target does not build: folder in the tree by target.
_NEEDED = {
    "zoul": ("arch/cpu/arm/CMSIS",),
    "cc2538dk": ("arch/cpu/arm/CMSIS",),
    "openmote": ("arch/cpu/arm/CMSIS",),
    "nrf52840": ("arch/cpu/arm/CMSIS", "arch/cpu/nrf52840/lib/nrf52-sdk"),
    "nrf": ("arch/cpu/arm/CMSIS", "arch/cpu/nrf/lib/nrfx"),
    "cc26x0-cc13x0": ("arch/cpu/arm/CMSIS", "arch/cpu/cc26x0-cc13x0/lib/cc26xxware"),
    "simplelink": ("arch/cpu/arm/CMSIS", "arch/cpu/simplelink-cc13xx-cc26xx/lib/coresdk_cc13xx_cc26xx"),
    "gecko": ("arch/cpu/arm/CMSIS", "arch/cpu/gecko/lib/gecko_sdk"),
}


@dataclass(frozen=True)
class Tree:
    """The folder of a tree, absolute, without links.

    Its digest is taken once: one Tree is for one planning.
    """

    folder: Path

    @cached_property
    def digest(self) -> str:
        """A hash of paths and contents of what every firmware is made of."""
        return _digest(
            self.folder, self.folder.glob("Makefile*"), *(_files(self.folder / part) for part in _PARTS)
        )

    def digest_with(self, application: Path) -> str:
        """Return the same for an application within the tree: the files beside it count, too."""
        top = self.folder / application.relative_to(self.folder).parts[0]
        return self.digest if top.name in _PARTS else _digest(self.folder, [], _files(top)) + self.digest[:8]

    def holds(self, folder: Path) -> bool:
        return folder.resolve().is_relative_to(self.folder) and folder.resolve() != self.folder

    def check(self, target: str) -> None:
        """Check that the tree can build for a target.

        Raises NoSuchThing for a target that it doesn't have, or whose submodules were not fetched.
        """
        platforms = self.folder / "arch" / "platform"
        if not (platforms / target / f"Makefile.{target}").is_file():
            targets = sorted(
                path.parent.name
                for path in platforms.glob("*/Makefile.*")
                if path.name == f"Makefile.{path.parent.name}"
            )
            raise NoSuchThing(
                f"the Contiki-NG tree {self.folder} has no target {target!r}; it has: {', '.join(targets)}"
            )
        empty = [name for name in _NEEDED.get(target, ()) if not _any(self.folder / name)]
        if empty:
            raise NoSuchThing(
                f"the Contiki-NG tree {self.folder} lacks what {target} is built from: {', '.join(empty)} is "
                "empty\n"
                f"    run there: git submodule update --init {' '.join(empty)}"
            )


def tree(named: str | os.PathLike | None) -> Tree | None:
    """Return the tree `named`, that of $CONTIKI_NG, or None. Raises NoSuchThing if there is no tree."""
    origin = "named" if named else "by $CONTIKI_NG"
    folder = named or os.environ.get("CONTIKI_NG")
    if not folder:
        return None
    path = Path(folder).expanduser()
    if not (path / _MARKER).is_file():
        raise NoSuchThing(
            f"{path} ({origin}) is not a Contiki-NG tree: it has no {_MARKER}\n"
            "    name the folder of a checkout of Contiki-NG"
        )
    return Tree(path.resolve())


def _any(folder: Path) -> bool:
    return folder.is_dir() and any(folder.iterdir())


def _digest(root: Path, *parts: str) -> str:
    total = hashlib.sha256()
    for path in sorted(path for part in parts for path in part):
        if path.is_file():
            total.update(
                f"{path.relative_to(root).as_posix()}\0{sha256(path)}\n".encode(errors="surrogateescape")
            )
    return total.hexdigest()[:32]


def _files(folder: Path) -> Iterator[Path]:
    for place, folders, names in os.walk(folder):
        left_out = {"build"} | ({"cooja"} if Path(place) == folder and folder.name == "tools" else set())
        folders[:] = [name for name in folders if not name.startswith(".") and name not in left_out]
        yield from (
            Path(place, name)
            for name in names
            if not name.startswith(".") and not name.endswith((".o", ".orig", "~"))
        )
