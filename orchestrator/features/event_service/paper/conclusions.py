# SPDX-License-Identifier: Apache-2.0
"""What the thesis concludes (section 7.1, and what chapter 6 says beside its tables), tested on our runs."""

from __future__ import annotations

from orchestrator.features.event_service.paper.frequency import (
    BOTH,
    LOCAL,
    REMOTE,
    REMOTE_CONSUMERS,
    SINGLE,
    FrequencyTable,
)
from orchestrator.features.event_service.paper.received import Received, published, received
from orchestrator.features.event_service.paper.variants import SINGLE_BOARD
from orchestrator.papers.check import FAILS, HOLDS, MISSING, REVERSED, Check
from orchestrator.papers.result import Found
from orchestrator.report.statistics import number


def _span(values: list[float], scale: float = 1) -> str:
    return f"{number(scale * min(values), 1)} to {number(scale * max(values), 1)}"


def _shares(
    ours: Received, table: FrequencyTable, least: int, consumers: tuple[str, ...] = ()
) -> list[float]:
    """Return the share of the pushed events in each case, at intervals from `least` ms on."""
    return [
        mean.trimmed / table.pushes
        for case in ours.cases
        for interval in ours.intervals(case)
        if interval >= least and (mean := ours.mean(case, interval, consumers)) is not None
    ]


def _share(found: Found, name: str, table: FrequencyTable, claim: str) -> Check:
    said, ours = published("shares")[name], received(found.get(table.experiment))
    low, high = said["share"]
    claim = claim.format(share=f"{100 * low:g} to {100 * high:g} %", interval=said["from"])
    shares = _shares(ours, table, said["from"]) if ours else []
    if not shares:
        return Check(f"share-{name}", claim, "7.1", MISSING, f"no runs of {table.experiment}")
    holds = low <= min(shares) and max(shares) <= high
    return Check(
        f"share-{name}",
        claim,
        "7.1",
        HOLDS if holds else FAILS,
        f"{_span(shares, 100)} % over cases and intervals from {said['from']} ms on",
    )


def single(found: Found) -> list[Check]:
    """Check what is said of one board."""
    return [
        _share(
            found,
            "local",
            SINGLE,
            "Consumers on the supplier's board receive {share} of the events at intervals of {interval} ms "
            "or more",
        ),
        _constant(found),
    ]


def _constant(found: Found) -> Check:
    low, high = published("constant")
    claim = (
        "From 200 ms on the number received tends to be constant "
        f"({low} to {high} of 300, so {high - low} apart)"
    )
    ours = received(found.get(SINGLE.experiment))
    counts = [300 * share for share in _shares(ours, SINGLE, 200)] if ours else []
    if not counts:
        return Check("constant", claim, "6.1", MISSING, f"no runs of {SINGLE.experiment}")
    apart = max(counts) - min(counts)
    return Check(
        "constant",
        claim,
        "6.1",
        HOLDS if apart <= high - low else FAILS,
        f"{_span(counts)} of 300, {number(apart, 1)} apart",
    )


def remote(found: Found) -> list[Check]:
    """Check what is said of remote consumers alone."""
    return [
        _share(
            found,
            "remote",
            REMOTE,
            "Without a local consumer remote ones receive {share} of the events at intervals of {interval} "
            "ms or more",
        )
    ]


def both(found: Found) -> list[Check]:
    """Check what is said of a local consumer beside remote ones."""
    return [
        _share(
            found,
            "both",
            BOTH,
            "With a local consumer beside remote ones they receive {share} of the events "
            "(we ask from {interval} ms on)",
        ),
        _drop(found),
        _remote_better(found),
    ]


def _more(name: str, claim: str, more: list[float], less: list[float], why: str, evidence: str) -> Check:
    """Return whether the mean of some shares is larger than that of others."""
    if not more or not less:
        return Check(name, claim, "6.2.2", MISSING, why)
    first, second = (sum(shares) / len(shares) for shares in (more, less))
    verdict = HOLDS if first > second else REVERSED if first < second else FAILS
    words = evidence.format(*(f"{number(100 * mean, 1)} %" for mean in (first, second)))
    return Check(name, claim, "6.2.2", verdict, words)


def _drop(found: Found) -> Check:
    """Return the direction alone: fewer with a local consumer than without."""
    claim = "A local consumer beside them makes remote consumers receive less (we ask from 100 ms on)"
    beside, alone = (received(found.get(table.experiment)) for table in (BOTH, REMOTE))
    without = _shares(alone, REMOTE, 100) if alone else []
    with_local = _shares(beside, BOTH, 100, REMOTE_CONSUMERS) if beside else []
    why = "no runs of both configurations"
    return _more("drop", claim, without, with_local, why, "mean {1} with, {0} without")


def _remote_better(found: Found) -> Check:
    claim = (
        "Beside each other the remote consumers receive more than the local one (Table 6-3, from 100 ms on)"
    )
    ours = received(found.get(BOTH.experiment))
    remote, local = (
        _shares(ours, BOTH, 100, names) if ours else [] for names in (REMOTE_CONSUMERS, (LOCAL,))
    )
    why = f"no runs of {BOTH.experiment}"
    return _more("remote-better", claim, remote, local, why, "mean {0} remote, {1} local")


def single_board(found: Found) -> list[Check]:
    """Check what section 6.1 says beside its table."""
    ours = received(found.get(SINGLE_BOARD))
    base, crossed = published("base-station"), published("crossed")
    claims = {
        "base-station": "With the tables on the base station a consumer receives much more, close to "
        f"{base} of 300",
        "crossed": "Two motes that are each other's consumer receive less: a total of "
        f"{crossed[0]} to {crossed[1]}",
    }
    if ours is None:
        why = f"no runs of {SINGLE_BOARD}"
        return [Check(name, claim, "6.1", MISSING, why) for name, claim in claims.items()]
    gateway, station, apart, together = (
        _means(ours, case) for case in ("gateway", "base-station", "uncrossed", "crossed")
    )
    judged = {
        "base-station": (
            min(station) > max(gateway),
            f"{_span(station)} of 300, {_span(gateway)} with them on the gateway",
        ),
        "crossed": (
            max(together) < min(apart),
            f"a consumer received {_span(together)} of 300 (both together twice that of 600), and "
            f"{_span(apart)} where suppliers and consumers are four motes",
        ),
    }
    return [
        Check(name, claims[name], "6.1", HOLDS if right else FAILS, evidence)
        for name, (right, evidence) in judged.items()
    ]


def _means(ours: Received, case: str) -> list[float]:
    return [mean.trimmed for interval in ours.intervals(case) if (mean := ours.mean(case, interval))]
