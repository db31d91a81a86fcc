# SPDX-License-Identifier: Apache-2.0
"""Radio media that declare themselves: each module here has a MEDIUM, a csc.model.DeclaredMedium.

Scenarios, .csc files, manifests and the embedded engine read all that they need of a medium from its class,
so that a new one is a module here and a file in the kernel's radio/. Cooja's own media are in csc/media.py,
because how it reads and writes them differs from one to the next.
"""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from orchestrator.csc.model import DeclaredMedium


@cache
def declared() -> dict[str, type[DeclaredMedium]]:
    """Return the media by the name that scenarios and the kernel have for them."""
    modules = sorted(entry.name[:-3] for entry in os.scandir(Path(__file__).parent) if _is_module(entry.name))
    media = [import_module(f"{__name__}.{module}").MEDIUM for module in modules]
    return {medium.name: medium for medium in media}


def of_class(name: str) -> type[DeclaredMedium] | None:
    """Return the medium that a .csc names by this class; None if none does."""
    return next((medium for medium in declared().values() if medium.csc_class == name), None)


def _is_module(file: str) -> bool:
    return file.endswith(".py") and not file.startswith("_")
