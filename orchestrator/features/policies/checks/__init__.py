# SPDX-License-Identifier: Apache-2.0
"""The checks of section 4.3 and beyond; each is a module with `check(application, findings)`."""

from __future__ import annotations

from orchestrator.features.policies.checks import conditions, livelock, order, outcomes, reachability, values
from orchestrator.features.policies.findings import Findings
from orchestrator.features.policies.meaning import Application


def run(application: Application, findings: Findings) -> None:
    """Run all checks."""
    for module in (outcomes, values, reachability, conditions, order, livelock):
        module.check(application, findings)
