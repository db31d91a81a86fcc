# SPDX-License-Identifier: Apache-2.0
"""Partly deployed merge functions (deployment.yaml): savings and deliveries if some motes have none."""

from __future__ import annotations

from orchestrator.features.aggregation.paper.measures import SAVED, SHARE
from orchestrator.report import charts
from orchestrator.report.data import Results
from orchestrator.report.generic import seeds_phrase
from orchestrator.report.model import Block, Entry, Figure, Gallery, Section, Table, paragraph
from orchestrator.report.statistics import with_interval
from orchestrator.statistics.estimates import Estimate, estimate

EXPERIMENT = "aggregation-deployment"
SHARES = (0, 20, 40, 60, 80, 100)
WHERE = {"spread": "evenly spread", "near": "nearest to S first", "far": "farthest from S first"}


def cell(where: str, share: int) -> str:
    """Return the name of a cell."""
    return {0: "none", 100: "all"}.get(share, f"{where}-{share}")


def saved(results: Results, name: str) -> Estimate:
    """Return how many % fewer event messages are sent than without merge functions, in the same seed."""
    plain, ours = (results.values(which, "events_transmitted") for which in ("none", name))
    return estimate((100 * (1 - ours / plain)).dropna().tolist(), SAVED)


def delivered(results: Results, name: str) -> Estimate:
    """Return how many % of the published events arrived."""
    return estimate((100 * (1 - results.values(name, "event_loss_rate"))).dropna().tolist(), SHARE)


def delay(results: Results, name: str) -> Estimate:
    """Return the mean delivery delay in ms."""
    return results.estimate(name, "delay_ms", "mean")


MEASURES = (
    ("saved", "Saved transmissions", "fewer event messages than without, %", saved),
    ("delivered", "Delivered events", "delivered of the published, %", delivered),
)


def title(results: Results) -> str:
    """Return the title of the report."""
    return "Partly deployed merge functions"


def sections(results: Results) -> list[Section]:
    """Return the experiment's section of the report."""
    labels = [f"{share} %" for share in SHARES]
    figures = tuple(
        Figure(
            f"deployment-{name}",
            heading,
            charts.bars(
                labels,
                [
                    charts.Series(words, [of(results, cell(where, share)) for share in SHARES], key=where)
                    for where, words in WHERE.items()
                ],
                unit,
                top=105,
                xlabel="share of the chain's nodes with the merge function",
            ),
            alt=f"{heading} over the share of nodes with the merge function",
            caption=f"{heading} over the share of nodes that have the merge function: mean with 95 % "
            f"confidence interval over {seeds_phrase(results, results.cells)}.",
        )
        for name, heading, unit, of in MEASURES
    )
    text = paragraph(
        "Nodes without the merge function forward what they receive, aggregates included; nodes with it "
        'merge (section 4 of the aggregation paper: the architecture "can even handle partially deployed '
        'merge functions"). Ten publishers form a chain and publish at the high rate; cells differ only in '
        "which nodes have the merge function."
    )
    blocks: tuple[Block, ...] = (text, Gallery(figures), _table(results))
    return [Section("deployment", "Saved and delivered over the share deployed", blocks, "Deployment")]


def _table(results: Results) -> Table:
    rows = []
    for share in SHARES:
        for where, words in WHERE.items():
            if share in (0, 100) and where != "spread":
                continue
            name = cell(where, share)
            numbers = (
                Entry(*with_interval(of(results, name), places, unit), number=True)
                for of, places, unit in ((saved, 1, "%"), (delivered, 1, "%"), (delay, 0, "ms"))
            )
            rows.append((Entry(f"{share} %", "" if share in (0, 100) else words), *numbers))
    return Table(
        "By share and place",
        ("Deployed", "Saved", "Delivered", "Mean delay"),
        tuple(rows),
        note="Saved: event messages, against the same seed with no merge function.",
    )
