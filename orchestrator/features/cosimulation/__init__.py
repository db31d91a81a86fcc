# SPDX-License-Identifier: Apache-2.0
"""Co-simulation: motes' attributes for mosaik, CSV files and Python functions (docs/mosaik.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from orchestrator.feature import Feature

if TYPE_CHECKING:
    from orchestrator.features.cosimulation.attributes import Attributes
    from orchestrator.features.cosimulation.sources import Source, drive, from_csv, from_function

_MODULES = {
    "Attributes": "attributes",
    "Source": "sources",
    "drive": "sources",
    "from_csv": "sources",
    "from_function": "sources",
}
__all__ = ["Attributes", "Source", "drive", "from_csv", "from_function"]

FEATURE = Feature("cosimulation", "co-simulation with mosaik, CSV files and Python functions")


def __getattr__(name: str) -> Any:
    """Load what programs use when they ask for it: commands load features, and not this."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
