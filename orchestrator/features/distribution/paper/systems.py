# SPDX-License-Identifier: Apache-2.0
"""The paper's four scenarios as systems, and their analyses; each is read and analysed once."""

from __future__ import annotations

from functools import cache

from orchestrator.features.distribution.load import load
from orchestrator.features.distribution.model import System
from orchestrator.features.distribution.readings import Reading
from orchestrator.features.distribution.schedulability.verdict import Verdict, verdict
from orchestrator.papers.data import Data

data = Data(__file__)
SCENARIOS = {
    "scenario-1.yaml": "1, normal conditions",
    "scenario-2.yaml": "2, workload constrained",
    "scenario-3.yaml": "3, network constrained",
    "scenario-4.yaml": "4, weapons alignment",
}


@cache
def system(name: str) -> System:
    """Return a scenario's system."""
    return load(data.path(name))


@cache
def analysed(name: str) -> Verdict:
    """Return a scenario's analysis, in the reading that gives the printed deadlines."""
    return verdict(system(name), Reading())
