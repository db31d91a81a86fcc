# SPDX-License-Identifier: Apache-2.0
"""The model of section 5.1.2 for a chain of n publishers without losses, and the losses its numbers imply."""

from __future__ import annotations


def transmissions(publishers: int, aggregate: bool) -> int:
    """Return event messages per round: n (n + 1) / 2 if hops send each event, n if they send aggregates."""
    return publishers if aggregate else publishers * (publishers + 1) // 2


def counted(publishers: int) -> int:
    """Return generated plus forwarded events per round with aggregation (section 6.3's wording), 2n - 1.

    Each node generates one event, and each but the last of the chain forwards one aggregate.
    """
    return 2 * publishers - 1


def reduction(publishers: int, aggregated: int | None = None) -> float:
    """Return the reduction per round, 0..1, with `aggregated` messages (default: transmissions(n, True))."""
    messages = transmissions(publishers, True) if aggregated is None else aggregated
    return 1 - messages / transmissions(publishers, False)


def sent_by(publishers: int, place: int, aggregate: bool) -> int:
    """Return the event messages per round sent by publisher `place` (1 is next to the subscriber)."""
    return 1 if aggregate else publishers - place + 1


def received_by(publishers: int, place: int, aggregate: bool) -> int:
    """Return the event messages per round received by publisher `place`, or by the subscriber (0)."""
    if place == publishers:
        return 0
    return 1 if aggregate else publishers - place


def plain_transmissions(publishers: int, hop: float) -> float:
    """Return event messages per round without aggregation; `hop`: the probability that a hop delivers."""
    return sum(hop**hops for length in range(1, publishers + 1) for hops in range(length))


def implied_hop(publishers: int, published_reduction: float, aggregated: float) -> float:
    """Return the probability of delivery per hop that gives a published reduction (0..1); NaN if none does.

    The run with aggregation is supposed to lose nothing and to send `aggregated` messages per round, the run
    without it to lose packets independently on each hop.
    """
    wanted = aggregated / (1 - published_reduction)
    low, high = 0.0, 1.0
    tolerance = 1e-9 * wanted
    if (
        not plain_transmissions(publishers, low) - tolerance
        <= wanted
        <= plain_transmissions(publishers, high) + tolerance
    ):
        return float("nan")
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if plain_transmissions(publishers, middle) < wanted else (low, middle)
    return (low + high) / 2
