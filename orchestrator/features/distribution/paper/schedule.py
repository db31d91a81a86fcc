# SPDX-License-Identifier: Apache-2.0
"""Utilisation as printed and as computed, and whether the four scenarios are schedulable."""

from __future__ import annotations

import math

from orchestrator.features.distribution.paper.systems import SCENARIOS, analysed, data
from orchestrator.features.distribution.schedulability.end_to_end import Bound
from orchestrator.features.distribution.utilisation import percent, utilisation
from orchestrator.papers.check import FAILS, HOLDS, Check, checks_table
from orchestrator.papers.result import Found
from orchestrator.report.model import Entry, Section, Table, paragraph


def tables(results: Found) -> list[Table]:
    """Return the tables for the terminal."""
    return [_used(), _bounds()]


def _used() -> Table:
    printed, rows = data.load("published.yaml")["utilisation"], []
    for name, title in SCENARIOS.items():
        for resource, share in utilisation(analysed(name).tasks).items():
            published = printed.get(name, {}).get(resource)
            same = published is not None and percent(share) == f"{published:.2f} %"
            rows.append(
                (
                    Entry(f"{title}: {resource}"),
                    Entry("–" if published is None else f"{published:g} %", number=True),
                    Entry(
                        percent(share),
                        number=True,
                        tone="" if published is None else "good" if same else "bad",
                    ),
                )
            )
    return Table(
        "Utilisation",
        ("Scenario and resource", "Printed", "Computed"),
        tuple(rows),
        note="Seven consumers, one for each target, give the 16.53 % of node 2. The loads of scenario 2 are "
        "ours, chosen to fill the printed 72.15 %: the paper says how much, not by what. The network's "
        "printed values are ten times those of seven transmissions of 150 and 560 us in each period.",
    )


def _bounds() -> Table:
    rows = []
    for name, title in SCENARIOS.items():
        judged = analysed(name)
        tightest = max(judged.bounds, key=_used_of_deadline)
        rows.append(
            (
                Entry(title),
                Entry(
                    "schedulable" if judged.schedulable else "not shown to be schedulable",
                    "if clocks agree" if judged.needs_clocks else "",
                    tone="good" if judged.schedulable else "bad",
                ),
                Entry("the same bounds" if judged.second == judged.verified else "other bounds"),
                Entry(tightest.task.name, _beside_deadline(tightest)),
            )
        )
    return Table(
        "Schedulability",
        ("Scenario", "Verdict", "Second analysis", "Task nearest to its deadline"),
        tuple(rows),
        note="Deadline-monotonic priorities, end to end over nodes and network. Scenario 4 is only shown to "
        "be schedulable with regard to releases: if the navigation subsystem's 100 ms could coincide with "
        "each of the steps, they would not end in time.",
    )


def _used_of_deadline(bound: Bound) -> float:
    """Return a response as a share of the deadline; one that has no bound is beyond every deadline."""
    return math.inf if bound.response is None else bound.response / bound.task.deadline


def _beside_deadline(bound: Bound) -> str:
    response = "no bound" if bound.response is None else f"{bound.response:,}"
    return f"{response} of {bound.task.deadline:,} us"


def checks(results: Found) -> list[Check]:
    """Test what section 5.3 says of utilisation and schedulability."""
    checks_ = []
    printed = data.load("published.yaml")["utilisation"]
    for name, values in printed.items():
        shares = utilisation(analysed(name).tasks)
        for resource, printed_value in values.items():
            if name == "scenario-2.yaml":
                continue  # our loads were chosen for it
            holds = percent(shares[resource]) == f"{printed_value:.2f} %"
            checks_.append(
                Check(
                    f"used-{name}-{resource}",
                    f"In scenario {SCENARIOS[name]}, {resource} is used to {printed_value:g} %",
                    "5.3",
                    HOLDS if holds else FAILS,
                    f"{percent(shares[resource])} by Table 2",
                )
            )
    not_held = [title for name, title in SCENARIOS.items() if not analysed(name).schedulable]
    checks_.append(
        Check(
            "schedulable",
            "All four systems are schedulable",
            "5.3",
            FAILS if not_held else HOLDS,
            f"not shown: {', '.join(not_held)}" if not_held else "every task has a bound within its deadline",
        )
    )
    return checks_


def sections(results: Found) -> list[Section]:
    """Return the section of the paper's page."""
    text = paragraph(
        "A network delay of 150 us is shorter than any IEEE 802.15.4 frame, and Table 1 assumes "
        "unconstrained resources: these numbers are for gateways on a wired network, not for motes."
    )
    blocks = (text, *tables(results), checks_table(checks(results), "What the paper says"))
    return [Section("schedule", "Utilisation and schedulability", blocks, "Schedule")]
