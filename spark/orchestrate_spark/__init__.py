# SPDX-License-Identifier: Apache-2.0
"""From logs to metrics. `open_store` is the door for notebooks; what else there is: spark/README.md."""

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
