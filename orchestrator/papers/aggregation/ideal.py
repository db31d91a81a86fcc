# SPDX-License-Identifier: Apache-2.0
"""What section 5.1.2 promises of a chain of n publishers without losses, and what its numbers imply with
losses.
"""

from __future__ import annotations


def transmissions(publishers: int, aggregate: bool) -> int:
    """Event messages per round: every event on every hop, n(n+1)/2, or one aggregate a hop, n."""
    return publishers if aggregate else publishers * (publishers + 1) // 2


def counted(publishers: int) -> int:
    """Generated plus forwarded events per round with aggregation (section 6.3's wording): n generated, and
    one aggregate forwarded by every node but the last of the chain, 2n - 1.
    """
    return 2 * publishers - 1


def reduction(publishers: int, aggregated: int | None = None) -> float:
    """1 - aggregated / plain per round, 0..1; `aggregated` is transmissions(n, True) unless given."""
    messages = transmissions(publishers, True) if aggregated is None else aggregated
    return 1 - messages / transmissions(publishers, False)


def sent_by(publishers: int, place: int, aggregate: bool) -> int:
    """Event messages per round sent by publisher `place` (1 beside the subscriber)."""
    return 1 if aggregate else publishers - place + 1


def received_by(publishers: int, place: int, aggregate: bool) -> int:
    """Event messages per round received by publisher `place`, or by the subscriber (0)."""
    if place == publishers:
        return 0
    return 1 if aggregate else publishers - place


def plain_transmissions(publishers: int, hop: float) -> float:
    """Per round, without aggregation, where each hop delivers with probability `hop`, independently."""
    return sum(hop**hops for length in range(1, publishers + 1) for hops in range(length))


def implied_hop(publishers: int, published_reduction: float, aggregated: float) -> float:
    """The delivery per hop at which a published reduction (0..1) comes out, if the run with aggregation lost
    nothing and sent `aggregated` messages a round, while the run without it lost packets independently on
    each hop.

    NaN where no probability gives it.
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
