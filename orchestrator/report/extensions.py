# SPDX-License-Identifier: Apache-2.0
"""Experiments whose report has sections of its own. A new one is a module and one line here."""

from __future__ import annotations

from importlib import import_module
from typing import Protocol

from orchestrator.report.data import Results
from orchestrator.report.model import Section

# experiment -> module of an Extension; loaded only when that experiment is reported
EXTENSIONS = {
    "aggregation-paper": "orchestrator.papers.aggregation",
    "aggregation-figures": "orchestrator.papers.aggregation.figures",
    "aggregation-deployment": "orchestrator.papers.aggregation.deployment",
}


class Extension(Protocol):
    """A module with these two functions; its sections come before those that every report has."""

    def title(self, results: Results) -> str: ...

    def sections(self, results: Results) -> list[Section]: ...


def of_experiment(experiment: str) -> Extension | None:
    return import_module(EXTENSIONS[experiment]) if experiment in EXTENSIONS else None
