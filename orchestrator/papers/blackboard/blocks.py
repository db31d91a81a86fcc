# SPDX-License-Identifier: Apache-2.0
"""What the sections of this paper's page share."""

from __future__ import annotations

from orchestrator.papers.check import Check
from orchestrator.report.model import Entry, Table

MODELLED = (
    "Modelled: computing takes the simulated time that the firmware says (cpu_use: 0.5 ms for each run of "
    "publisher, blackboard and "
    "subscriber, our assumption)."
)


def checks_table(tested: list[Check], title: str) -> Table:
    """Return a table of claims with their verdicts and evidence."""
    return Table(
        title,
        ("Claim", "Ours", "Evidence"),
        tuple(
            (
                Entry(check.claim, f"section {check.where}"),
                Entry(check.verdict, tone=check.tone),
                Entry(check.evidence),
            )
            for check in tested
        ),
    )
