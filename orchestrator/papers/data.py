# SPDX-License-Identifier: Apache-2.0
"""A paper's data files, in its package's folder: published numbers, contradictions, explanations,
scenarios.
"""

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
        return self._folder / name

    def text(self, name: str) -> str:
        """A data file's text, e.g. "scenario.yaml"."""
        return self.path(name).read_text(encoding="utf-8")

    def load(self, name: str) -> Any:
        """A YAML file's content; read once."""
        return _load(self.path(name))


@cache
def _load(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))
