# SPDX-License-Identifier: Apache-2.0
"""The paper's data files: published numbers, contradictions, explanations, scenarios."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import yaml

_FOLDER = Path(__file__).resolve().parent


def text(name: str) -> str:
    """A data file's text, e.g. "scenario.yaml"."""
    return (_FOLDER / name).read_text(encoding="utf-8")


def path(name: str) -> Path:
    return _FOLDER / name


@cache
def load(name: str) -> Any:
    return yaml.safe_load(text(name))


def numbers() -> list[dict[str, Any]]:
    return load("published.yaml")["numbers"]


def published(id: str) -> float:
    """The value of a published number. Raises KeyError."""
    for row in numbers():
        if row["id"] == id:
            return float(row["value"])
    raise KeyError(id)
