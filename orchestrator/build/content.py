# SPDX-License-Identifier: Apache-2.0
"""The files that a build reads: their hash, and a copy of them elsewhere."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Sources:
    """The input of a build: a name, and its files by their path in the tree (with /).

    `made`: the files that are made for the build, path -> content.
    """

    name: str
    files: dict[str, Path]
    made: dict[str, bytes] = field(default_factory=dict)

    def digest(self) -> str:
        """Return a hash of all paths and contents."""
        total = hashlib.sha256()
        for path, content in self.contents().items():
            total.update(f"{path}\0{content}\n".encode())
        return total.hexdigest()[:32]

    def contents(self) -> dict[str, str]:
        """Return the SHA-256 of each file's content, by its path, sorted."""
        return {
            path: hashlib.sha256(self._content(path)).hexdigest()
            for path in sorted({*self.files, *self.made})
        }

    def copy(self, target: Path) -> None:
        """Write the tree into the folder `target`."""
        for path in sorted({*self.files, *self.made}):
            place = target / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(self._content(path))

    def _content(self, path: str) -> bytes:
        return self.made[path] if path in self.made else self.files[path].read_bytes()
