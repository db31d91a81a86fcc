# SPDX-License-Identifier: Apache-2.0
"""Reads what an experiment's runs did once, since its tables, checks and figures all ask for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from orchestrator.report.data import Results

T = TypeVar("T")


def once(read: Callable[[Results], T]) -> Callable[[Results | None], T | None]:
    """Return `read` with a memory; of an experiment without runs it returns None."""
    results_by_key: dict[tuple, T] = {}

    def lookup(results: Results | None) -> T | None:
        if results is None:
            return None
        key = (results.folder, tuple(manifest.run_id for manifest in results.manifests))
        if key not in results_by_key:
            results_by_key[key] = read(results)
        return results_by_key[key]

    return lookup
