# SPDX-License-Identifier: Apache-2.0
"""Turns logs into tables and metrics.

Notebooks begin with `open_store`; spark/README.md describes the rest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from orchestrate_spark.stores import open_store

__all__ = ["open_store"]


def __getattr__(name: str) -> Any:  # a command that opens no store needn't load what that takes
    if name in __all__:
        from orchestrate_spark import stores

        return getattr(stores, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
