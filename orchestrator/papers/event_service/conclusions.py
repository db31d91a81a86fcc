# SPDX-License-Identifier: Apache-2.0
"""What the thesis concludes (section 7.1, and what chapter 6 says beside its tables), tested on our runs."""

from __future__ import annotations

from collections.abc import Iterable

from orchestrator.papers.check import FAILS, HOLDS, MISSING, REVERSED, Check
from orchestrator.papers.event_service.frequency import (
    BOTH,
    LOCAL,
    REMOTE,
    REMOTE_CONSUMERS,
    SINGLE,
    FrequencyTable,
)
from orchestrator.papers.event_service.received import Received, published, received
from orchestrator.papers.event_service.variants import SINGLE_BOARD
from orchestrator.papers.result import Found
from orchestrator.report.statistics import number


def _percent(shares: Iterable[float]) -> str:
    found = list(shares)
    return f"{number(100 * min(found), 1)} to {number(100 * max(found), 1)} %"


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
        f"{_percent(shares)} over cases and intervals from {said['from']} ms on",
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
        f"{number(min(counts), 1)} to {number(max(counts), 1)} of 300, {number(apart, 1)} apart",
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


def _drop(found: Found) -> Check:
    """Return the direction alone: fewer with a local consumer than without."""
    claim = "A local consumer beside them makes remote consumers receive less (we ask from 100 ms on)"
    with_local, without = (received(found.get(table.experiment)) for table in (BOTH, REMOTE))
    if with_local is None or without is None:
        return Check("drop", claim, "6.2.2", MISSING, "no runs of both configurations")
    one = _shares(with_local, BOTH, 100, REMOTE_CONSUMERS)
    other = _shares(without, REMOTE, 100)
    if not one or not other:
        return Check("drop", claim, "6.2.2", MISSING, "no runs of both configurations")
    mean, mean_without = (sum(shares) / len(shares) for shares in (one, other))
    verdict = HOLDS if mean < mean_without else REVERSED if mean > mean_without else FAILS
    evidence = f"mean {number(100 * mean, 1)} % with, {number(100 * mean_without, 1)} % without"
    return Check("drop", claim, "6.2.2", verdict, evidence)


def _remote_better(found: Found) -> Check:
    claim = (
        "Beside each other the remote consumers receive more than the local one (Table 6-3, from 100 ms on)"
    )
    ours = received(found.get(BOTH.experiment))
    local, remote = (
        _shares(ours, BOTH, 100, names) if ours else [] for names in ((LOCAL,), REMOTE_CONSUMERS)
    )
    if not local or not remote:
        return Check("remote-better", claim, "6.2.2", MISSING, f"no runs of {BOTH.experiment}")
    here, there = (sum(shares) / len(shares) for shares in (local, remote))
    verdict = HOLDS if there > here else REVERSED if there < here else FAILS
    evidence = f"mean {number(100 * there, 1)} % remote, {number(100 * here, 1)} % local"
    return Check("remote-better", claim, "6.2.2", verdict, evidence)


def single_board(found: Found) -> list[Check]:
    """Check what section 6.1 says beside its table."""
    ours = received(found.get(SINGLE_BOARD))
    base, crossed = published("base-station"), published("crossed")
    claims = (
        f"With the tables on the base station a consumer receives much more, close to {base} of 300",
        f"Two motes that are each other's consumer receive less: a total of {crossed[0]} to {crossed[1]}",
    )
    if ours is None:
        return [
            Check(name, claim, "6.1", MISSING, f"no runs of {SINGLE_BOARD}")
            for name, claim in zip(("base-station", "crossed"), claims)
        ]
    gateway, station = (_means(ours, case) for case in ("gateway", "base-station"))
    apart, together = (_means(ours, case) for case in ("uncrossed", "crossed"))
    return [
        Check(
            "base-station",
            claims[0],
            "6.1",
            HOLDS if min(station) > max(gateway) else FAILS,
            f"{number(min(station), 1)} to {number(max(station), 1)} of 300, "
            f"{number(min(gateway), 1)} to {number(max(gateway), 1)} with them on the gateway",
        ),
        Check(
            "crossed",
            claims[1],
            "6.1",
            HOLDS if max(together) < min(apart) else FAILS,
            f"a consumer received {number(min(together), 1)} to {number(max(together), 1)} of 300 (both "
            f"together twice that of 600), and {number(min(apart), 1)} to {number(max(apart), 1)} where "
            "suppliers and consumers are four motes",
        ),
    ]


def _means(ours: Received, case: str) -> list[float]:
    return [mean.trimmed for interval in ours.intervals(case) if (mean := ours.mean(case, interval))]
