# SPDX-License-Identifier: Apache-2.0
"""The quantities that are compared with the paper's, computed for each seed from metrics/per_run."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd

from orchestrator.features.aggregation.paper.cells import configuration
from orchestrator.report.data import Results
from orchestrator.statistics.estimates import UNBOUNDED, Estimate, estimate

SHARE = (0.0, 100.0)  # %
NEVER_NEGATIVE = (0.0, math.inf)
SAVED = (-math.inf, 100.0)  # %: aggregation may cost messages, but can't save more than all


@dataclass(frozen=True)
class Measure:
    """A quantity: `of(results, cell)` gives its values, one for each seed, in `unit` and within `bounds`."""

    title: str
    unit: str
    decimals: int
    of: Callable[[Results, str], pd.Series]
    bounds: tuple[float, float] = UNBOUNDED

    def estimate(self, results: Results, cell: str) -> Estimate:
        """Return its mean over seeds."""
        return estimate(self.of(results, cell).tolist(), self.bounds)


def _count(metric: str, scale: float = 1) -> Callable[[Results, str], pd.Series]:
    return lambda results, cell: results.values(cell, metric) * scale


def _others(results: Results, cell: str) -> pd.Series:
    return results.values(cell, "aggregates") - results.values(cell, "full_aggregates")


def _full_share(results: Results, cell: str) -> pd.Series:
    return 100 * results.values(cell, "full_aggregates") / results.values(cell, "aggregates")


def rounds(results: Results, cell: str) -> pd.Series:
    """Return the rounds of the common schedule: the mean number of publications of a publisher."""
    return results.values(cell, "events_published") / configuration(cell).publishers


def _full_of_rounds(results: Results, cell: str) -> pd.Series:
    return 100 * results.values(cell, "full_aggregates") / rounds(results, cell)


def _counted(results: Results, cell: str) -> pd.Series:
    """Return events generated plus events forwarded, which is section 6.3's wording taken literally.

    Without aggregation these are the transmitted events. With it, every node but the last of the chain
    forwards what it sends (aggregates, or others' events), so the transmissions of the last one, its own
    events, are subtracted. An event of its own that a node sends unmerged counts twice, so with delays (D)
    this is an upper bound.
    """
    shape = configuration(cell)
    total = results.values(cell, "events_transmitted")
    if not shape.aggregate:
        return total
    last = results.values(cell, "events_transmitted", f"P{shape.publishers}")
    return results.values(cell, "events_published") + total - last


def _reduction_counted(results: Results, cell: str) -> pd.Series:
    return 100 * (1 - _counted(results, cell) / _counted(results, configuration(cell).plain))


def growth(metric: str) -> Callable[[Results, str], pd.Series]:
    """Return the function of a measure: a metric at P1, next to the subscriber, over that at the last one."""

    def of(results: Results, cell: str) -> pd.Series:
        last = results.values(cell, metric, f"P{configuration(cell).publishers}")
        return results.values(cell, metric, "P1") / last.where(last > 0)

    return of


def bend(results: Results, cell: str) -> pd.Series:
    """Return how far, on average, the publishers' event messages lie above a straight line, in % of P1's.

    The line is from the last publisher to P1. The value is 0 if each publisher adds as many messages as the
    one before, and positive if the growth flattens towards P1.
    """
    n = configuration(cell).publishers
    sent = {place: results.values(cell, "events_transmitted", f"P{place}") for place in range(1, n + 1)}
    line = {place: sent[n] + (sent[1] - sent[n]) * (n - place) / (n - 1) for place in sent}
    return (
        100 * sum(sent[place] - line[place] for place in range(2, n)) / (n - 2) / sent[1].where(sent[1] > 0)
    )


def spread(results: Results, cell: str) -> pd.Series:
    """Return the largest minus the smallest number of event messages of a publisher, in % of their mean."""
    frame = pd.DataFrame(
        {
            place: results.values(cell, "events_transmitted", f"P{place}")
            for place in range(1, configuration(cell).publishers + 1)
        }
    )
    return 100 * (frame.max(axis=1) - frame.min(axis=1)) / frame.mean(axis=1)


def _aggregated_messages(results: Results, cell: str) -> pd.Series:
    return 100 * (1 - results.counts(cell, "aggregate_size", "1") / results.values(cell, "aggregates"))


def _aggregated_of_published(results: Results, cell: str) -> pd.Series:
    return (
        100
        * results.values(cell, "aggregated_share")
        * results.values(cell, "events_delivered")
        / results.values(cell, "events_published")
    )


def _delivered(results: Results, cell: str) -> pd.Series:
    return 100 * (1 - results.values(cell, "event_loss_rate"))


def _at(metric: str, place: str) -> Callable[[Results, str], pd.Series]:
    return lambda results, cell: results.values(
        cell, metric, place.format(last=configuration(cell).publishers)
    )


MEASURES: dict[str, Measure] = {
    "reduction": Measure("reduction, transmissions", "%", 1, _count("reduction", 100), SAVED),
    "reduction_counted": Measure("reduction, generated plus forwarded", "%", 1, _reduction_counted, SAVED),
    "transmitted": Measure("transmitted events", "events", 0, _count("events_transmitted"), NEVER_NEGATIVE),
    "full": Measure("full aggregates", "messages", 0, _count("full_aggregates"), NEVER_NEGATIVE),
    "others": Measure("other messages", "messages", 0, _others, NEVER_NEGATIVE),
    "received": Measure("received messages", "messages", 0, _count("aggregates"), NEVER_NEGATIVE),
    "full_share": Measure("full among received messages", "%", 1, _full_share, SHARE),
    "full_of_rounds": Measure("full aggregates per round", "%", 1, _full_of_rounds, NEVER_NEGATIVE),
    "rounds": Measure("rounds", "rounds", 0, rounds, NEVER_NEGATIVE),
    "aggregated_share": Measure(
        "events that came aggregated, of the delivered", "%", 1, _count("aggregated_share", 100), SHARE
    ),
    "aggregated_of_published": Measure(
        "events that came aggregated, of the published", "%", 1, _aggregated_of_published, SHARE
    ),
    "aggregated_messages": Measure(
        "aggregates among the received messages", "%", 1, _aggregated_messages, SHARE
    ),
    "event_loss": Measure("event loss rate", "%", 2, _count("event_loss_rate", 100), SHARE),
    "packet_loss": Measure("packet loss rate", "%", 2, _count("packet_loss_rate", 100), SHARE),
    "delivered": Measure("delivered share", "%", 2, _delivered, SHARE),
    "growth": Measure("event messages sent, P1 ÷ last", "", 2, growth("events_transmitted"), NEVER_NEGATIVE),
    "subscriber_sent": Measure("packets sent by S", "packets", 1, _at("packets_sent", "S"), NEVER_NEGATIVE),
    "last_received": Measure(
        "packets received by the last publisher",
        "packets",
        1,
        _at("packets_received", "P{last}"),
        NEVER_NEGATIVE,
    ),
    "bend": Measure("event messages sent, above a straight line from P10 to P1", "%", 1, bend),
    "spread": Measure("event messages sent, spread over publishers", "%", 1, spread, NEVER_NEGATIVE),
}
