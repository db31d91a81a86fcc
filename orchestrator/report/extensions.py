# SPDX-License-Identifier: Apache-2.0
"""Experiments whose reports have sections of their own, which features bring (Feature.experiments)."""

from __future__ import annotations

from typing import Protocol

from orchestrator import feature
from orchestrator.report.data import Results
from orchestrator.report.model import Section


class Extension(Protocol):
    """A module with these two functions; its sections come before those that every report has."""

    def title(self, results: Results) -> str:
        """Return the title of the page."""

    def sections(self, results: Results) -> list[Section]:
        """Return the experiment's own sections."""


def of_experiment(experiment: str) -> Extension | None:
    """Load the extension of an experiment, if it has one."""
    titles = feature.named("experiments")
    return feature.resolve(titles[experiment]) if experiment in titles else None
