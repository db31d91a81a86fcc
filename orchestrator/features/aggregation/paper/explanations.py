# SPDX-License-Identifier: Apache-2.0
"""Explains why numbers and orders of our main runs differ from the paper's.

Each explanation is a function of the motes' counters: it is given only if the counters of these runs confirm
it, and it quotes them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from orchestrator.features.aggregation.paper import ideal
from orchestrator.features.aggregation.paper.causes import AIR, REFUSED, losses
from orchestrator.features.aggregation.paper.cells import SAVINGS
from orchestrator.features.aggregation.paper.checks import CLAIMS, Order
from orchestrator.features.aggregation.paper.data import published
from orchestrator.features.aggregation.paper.measures import MEASURES
from orchestrator.papers.check import EQUAL
from orchestrator.report.data import Results
from orchestrator.report.statistics import number
from orchestrator.words import counted

if TYPE_CHECKING:
    import pandas as pd

# Steps of the id-based delay, and their cells in sensitivity.yaml.
STEPS = (
    ("0.6 s", "L10D-0.6-A"),
    ("1.25 s", "L10D-1.25-A"),
    ("2.5 s", "L10D-2.5-A"),
    ("5 s", "L10D-5-A"),
)
COUNTS = (("reduction_counted", ideal.counted), ("reduction", lambda n: ideal.transmissions(n, True)))


@dataclass(frozen=True)
class Explanation:
    """An explanation. `covers`: the ids of numbers (published.yaml) and claims (checks.py) it explains."""

    title: str
    text: str
    covers: frozenset[str] = frozenset()


def explanations(results: Results, swept: Results | None) -> list[Explanation]:
    """Return the explanations that hold, in the order of the paper's sections."""
    candidates = (
        few_losses(results),
        queues(results),
        overtaken(results),
        two_shares(results),
        step(results, swept),
        nothing_lost(results),
    )
    return [explanation for explanation in candidates if explanation is not None]


def few_losses(results: Results) -> Explanation | None:
    """Explain that ours save more because they lose fewer packets without aggregation.

    This holds only if they lose fewer than the paper's saving implies, and none with aggregation, which that
    calculation supposes.
    """
    covers, evidence = set(), []
    for name in SAVINGS:
        plain, merged = losses(results, name), losses(results, f"{name}A")
        if plain is None or merged is None or merged.rate > 0.001:
            continue
        theirs, needed = published(f"reduction-counted-{name}"), []
        for measure, messages in COUNTS:
            n = int(name[1:])
            implied = 1 - ideal.implied_hop(n, theirs / 100, messages(n))
            if plain.rate < implied and MEASURES[measure].estimate(results, f"{name}A").mean > theirs:
                covers.add(f"{measure.replace('_', '-')}-{name}")
                needed.append(f"{number(100 * implied, 0)} %")
        if needed:
            evidence.append(
                f"{name} {number(100 * plain.rate, 2)} % (a saving of {theirs} % implies "
                f"{' or '.join(needed)})"
            )
    if not evidence:
        return None
    return Explanation(
        "Ours lose fewer packets without aggregation, so aggregation saves more.",
        (
            "An event that is lost early is not forwarded, so losses without aggregation make the saving "
            "smaller. Of the packets sent without aggregation ours lose: "
            + "; ".join(evidence)
            + ". The implied losses are per hop and independent, by the count of generated plus "
            "forwarded events or of transmissions. With aggregation ours lose at most one in a thousand."
        ),
        frozenset(covers),
    )


def queues(results: Results) -> Explanation | None:
    """Explain that H10 loses most of its packets in the send queues."""
    lost = losses(results, "H10")
    if lost is None or lost.share("queue") <= 0.5:
        return None
    return Explanation(
        "H10 loses packets in its send queues, not on the air.",
        (
            f"Of {_a_run(lost.lost)} packets lost in a run, {_a_run(lost.by['queue'])} found "
            f"{REFUSED['queue']}, {_a_run(lost.by['channel-access'])} found the {REFUSED['channel-access']} "
            f"and {_a_run(lost.by[AIR])} were {AIR}. Section 6.4 supposes collisions."
        ),
    )


def overtaken(results: Results) -> Explanation | None:
    """Explain that messages with fewer than ten events come from rounds that overtake each other.

    This holds only if no packet was lost.
    """
    lost = losses(results, "H10A")
    others = MEASURES["others"].of(results, "H10A")
    if lost is None or not lost.nothing or not others.sum():
        return None
    contained, timeout = (results.counts("H10A", "forwarded", reason) for reason in ("contained", "timeout"))
    return Explanation(
        "Messages of H10A that are not full come from rounds that overtake each other, not from lost "
        "packets.",
        (
            f"In {counted(len(lost.lost), 'run')} of H10A no event packet was lost, and yet "
            f"{_a_run(others)} messages of a run were not full: {_a_run(contained)} stored events were "
            f"forwarded because a publisher's next event came before them, {_a_run(timeout)} because their "
            "time-out passed. That these counts are similar to the paper's 2372 and 49 does therefore not "
            "show that its losses are similar to ours; section 5.2.2 names lost packets as the cause."
        ),
        frozenset({"others-H10A", "full-H10A"}),
    )


def two_shares(results: Results) -> Explanation | None:
    """Explain that the paper's own counts contradict its sentence, whatever ours are."""
    value = MEASURES["full_share"].estimate(results, "H10A")
    if not value.known or not value.mean > 95.5:
        return None
    return Explanation(
        "The sentence says 95 %, the counts beside it say 98 %.",
        (f"2372 of 2421 are 97.98 %. Ours are {number(value.mean, 1)} %. Both readings are given below."),
        frozenset({"full-share-text-H10A"}),
    )


def step(results: Results, swept: Results | None) -> Explanation | None:
    """Explain that the step of the delay decides how much is aggregated.

    This holds only if no packet was lost, and the shares with other steps lie on both sides of the paper's.
    """
    lost = losses(results, "L10AD")
    if lost is None or not lost.nothing or swept is None:
        return None
    shares = {words: MEASURES["aggregated_share"].estimate(swept, cell) for words, cell in STEPS}
    measured = {words: value.mean for words, value in shares.items() if value.known}
    theirs = published("aggregated-L10AD")
    if not measured or not min(measured.values()) < theirs < max(measured.values()):
        return None
    return Explanation(
        "How much is aggregated in L10AD depends on the step of the delay, which the paper does not give.",
        (
            "No event packet of L10AD was lost here. The share that came aggregated is "
            + ", ".join(f"{number(value, 1)} % with a step of {words}" for words, value in measured.items())
            + f" (paper: {theirs} %). We keep 1.25 s, chosen before the first result."
        ),
        frozenset({"aggregated-L10AD"}),
    )


def nothing_lost(results: Results) -> Explanation | None:
    """Explain that two sides are equal because neither loses a packet."""
    covers, cells = set(), []
    for claim in CLAIMS:
        if (
            not isinstance(claim, Order)
            or claim.measure not in ("packet_loss", "event_loss")
            or claim.check(results).verdict != EQUAL
        ):
            continue
        both = [losses(results, cell) for cell in (claim.more, claim.less)]
        if all(lost is not None and lost.nothing for lost in both):
            covers.add(claim.id)
            cells += [claim.more, claim.less]
    if not covers:
        return None
    return Explanation(
        "If neither side loses a packet, there is no order of losses.",
        (f"No event packet was lost in any run of {', '.join(dict.fromkeys(cells))}."),
        frozenset(covers),
    )


def _a_run(values: pd.Series) -> str:
    """Write the mean over the runs."""
    return number(float(values.mean()), 0 if values.mean() >= 10 or values.mean() == 0 else 1)
