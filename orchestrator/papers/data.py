# SPDX-License-Identifier: Apache-2.0
"""The data files in a paper's package: published numbers, contradictions, explanations, scenarios."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import yaml


class Data:
    """The files beside a paper's modules: `Data(__file__)`."""

    def __init__(self, module: str):
        self._folder = Path(module).resolve().parent

    def path(self, name: str) -> Path:
        """Return a data file's path."""
        return self._folder / name

    def text(self, name: str) -> str:
        """Return a data file's text."""
        return self.path(name).read_text(encoding="utf-8")

    def texts(self, *names: str) -> tuple[tuple[str, str], ...]:
        """Return (file name, text) of data files: scenarios of a result."""
        return tuple((name, self.text(name)) for name in names)

    def load(self, name: str) -> Any:
        """Return a YAML file's content; a file is read once."""
        return _load(self.path(name))


@cache
def _load(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))
