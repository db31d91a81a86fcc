# SPDX-License-Identifier: Apache-2.0
"""Additions of features to `orchestrate show`: a View, which a Feature names in `run_views`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from orchestrator import feature

if TYPE_CHECKING:
    import pyarrow as pa


class View(Protocol):
    """Rows of a run for `show --json`, and their tables for the terminal.

    `tables`: the tables of orchestrate_spark that it reads. Each row has the name of its `mote`.
    """

    tables: tuple[str, ...]

    def rows(self, tables: Mapping[str, pa.Table], names: Mapping[int, str]) -> dict[str, list[dict]]:
        """Return lists of rows by their key in the JSON; `names`: of the motes, by number."""

    def shown(self, rows: Mapping[str, Any]) -> Iterator:
        """Yield the terminal's tables of these rows."""


def views() -> list[View]:
    """Return the views of all features."""
    return feature.listed("run_views")
