# SPDX-License-Identifier: Apache-2.0
"""The paper's data files: published numbers, contradictions, explanations, scenarios."""

from __future__ import annotations

from typing import Any

from orchestrator.papers.data import Data

_FILES = Data(__file__)
text, texts, path, load = _FILES.text, _FILES.texts, _FILES.path, _FILES.load


def numbers() -> list[dict[str, Any]]:
    """Return the published numbers with their places in the paper."""
    return load("published.yaml")["numbers"]


def published(id: str) -> float:
    """Return the value of a published number. Raises KeyError."""
    for row in numbers():
        if row["id"] == id:
            return float(row["value"])
    raise KeyError(id)
