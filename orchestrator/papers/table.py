# SPDX-License-Identifier: Apache-2.0
"""The papers that `orchestrate paper` knows. A new one is a package beside this file and one line here."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from orchestrator.errors import NoSuchThing

# the command's name of a paper -> its package, and one line about it
PAPERS = {
    "aggregation": ("orchestrator.papers.aggregation",
                    "Schiefer, Steup and Kaiser 2013: aggregation in publish/subscribe systems, twelve chain experiments"),
}


def paper(name: str) -> ModuleType:
    """Raises NoSuchThing with the list of names."""
    if name not in PAPERS:
        raise NoSuchThing(f"no paper named {name!r}; there are: {', '.join(sorted(PAPERS))}")
    return import_module(PAPERS[name][0])
