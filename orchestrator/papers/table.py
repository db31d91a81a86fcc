# SPDX-License-Identifier: Apache-2.0
"""The papers we repeat. A new one is a package beside this file and one line here."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

# the command's name of the paper -> (module, the experiments that are the paper's own)
PAPERS = {"aggregation": ("orchestrator.papers.aggregation", ("aggregation-paper",))}


def of_experiment(experiment: str) -> ModuleType | None:
    """The paper's module if that experiment's report has sections of the paper, else None."""
    for module, experiments in PAPERS.values():
        if experiment in experiments:
            return import_module(module)
    return None
