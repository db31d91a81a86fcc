# SPDX-License-Identifier: Apache-2.0
"""Experiments whose reports have sections of their own. To add one, write a module and add a line here."""

from __future__ import annotations

from importlib import import_module
from typing import Protocol

from orchestrator.report.data import Results
from orchestrator.report.model import Section

# Experiment -> module that is an Extension, loaded only when that experiment is reported.
EXTENSIONS = {
    "aggregation-paper": "orchestrator.papers.aggregation",
    "aggregation-figures": "orchestrator.papers.aggregation.figures",
    "aggregation-deployment": "orchestrator.papers.aggregation.deployment",
}


class Extension(Protocol):
    """A module with these two functions; its sections come before those that every report has."""

    def title(self, results: Results) -> str:
        """Return the title of the page."""

    def sections(self, results: Results) -> list[Section]:
        """Return the experiment's own sections."""


def of_experiment(experiment: str) -> Extension | None:
    """Load the extension of an experiment, if it has one."""
    return import_module(EXTENSIONS[experiment]) if experiment in EXTENSIONS else None
