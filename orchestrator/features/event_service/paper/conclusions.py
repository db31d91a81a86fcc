# SPDX-License-Identifier: Apache-2.0
"""The thesis's conclusions (section 7.1, and the text beside chapter 6's tables), tested on our runs."""

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
from orchestrator.words import counted

PUSHES = 300  # on a single board


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


def _share(results: Found, name: str, table: FrequencyTable, claim: str) -> Check:
    printed, ours = published("shares")[name], received(results.get(table.experiment))
    low, high = printed["share"]
    claim = claim.format(share=f"{100 * low:g} to {100 * high:g} %", interval=printed["from"])
    shares = _shares(ours, table, printed["from"]) if ours else []
    if not shares:
        return Check(f"share-{name}", claim, "7.1", MISSING, f"no runs of {table.experiment}")
    holds = low <= min(shares) and max(shares) <= high
    return Check(
        f"share-{name}",
        claim,
        "7.1",
        HOLDS if holds else FAILS,
        f"{_span(shares, 100)} % over cases and intervals from {printed['from']} ms on",
    )


def single(results: Found, table: FrequencyTable = SINGLE) -> list[Check]:
    """Check the conclusions about one board."""
    return [
        _share(
            results,
            "local",
            table,
            "Consumers on the supplier's board receive {share} of the events at intervals of {interval} ms "
            "or more",
        ),
        _constant(results, table),
    ]


def _constant(results: Found, table: FrequencyTable) -> Check:
    low, high = published("constant")
    claim = (
        "From 200 ms on the number received tends to be constant "
        f"({low} to {high} of 300, so {high - low} apart)"
    )
    ours = received(results.get(table.experiment))
    counts = [300 * share for share in _shares(ours, table, 200)] if ours else []
    if not counts:
        return Check("constant", claim, "6.1", MISSING, f"no runs of {table.experiment}")
    apart = max(counts) - min(counts)
    return Check(
        "constant",
        claim,
        "6.1",
        HOLDS if apart <= high - low else FAILS,
        f"{_span(counts)} of 300, {number(apart, 1)} apart",
    )


def remote(results: Found, table: FrequencyTable = REMOTE) -> list[Check]:
    """Check the conclusions about remote consumers alone."""
    return [
        _share(
            results,
            "remote",
            table,
            "Without a local consumer, remote ones receive {share} of the events at intervals of {interval} "
            "ms or more",
        )
    ]


def both(results: Found, table: FrequencyTable = BOTH, without: FrequencyTable = REMOTE) -> list[Check]:
    """Check the conclusions about a local consumer beside remote ones."""
    return [
        _share(
            results,
            "both",
            table,
            "With a local consumer beside remote ones, all of them receive {share} of the events "
            "(we test intervals from {interval} ms on)",
        ),
        _drop(results, table, without),
        _remote_better(results, table),
    ]


def _more(name: str, claim: str, more: list[float], less: list[float], why: str, evidence: str) -> Check:
    """Return whether the mean of some shares is larger than that of others."""
    if not more or not less:
        return Check(name, claim, "6.2.2", MISSING, why)
    first, second = (sum(shares) / len(shares) for shares in (more, less))
    verdict = HOLDS if first > second else REVERSED if first < second else FAILS
    words = evidence.format(*(f"{number(100 * mean, 1)} %" for mean in (first, second)))
    return Check(name, claim, "6.2.2", verdict, words)


def _drop(results: Found, table: FrequencyTable, without: FrequencyTable) -> Check:
    """Return the direction alone: fewer with a local consumer than without."""
    claim = "A local consumer makes remote consumers receive less (we test intervals from 100 ms on)"
    beside, alone = (received(results.get(each.experiment)) for each in (table, without))
    before = _shares(alone, without, 100) if alone else []
    after = _shares(beside, table, 100, REMOTE_CONSUMERS) if beside else []
    why = "no runs of both configurations"
    evidence = "a remote consumer receives {1} with a local one and {0} without it, in the mean"
    return _more("drop", claim, before, after, why, evidence)


def _remote_better(results: Found, table: FrequencyTable) -> Check:
    claim = (
        "Remote consumers receive more than the local one beside them (Table 6-3, intervals from 100 ms on)"
    )
    ours = received(results.get(table.experiment))
    remote, local = (
        _shares(ours, table, 100, names) if ours else [] for names in (REMOTE_CONSUMERS, (LOCAL,))
    )
    why = f"no runs of {table.experiment}"
    return _more("remote-better", claim, remote, local, why, "{0} remote and {1} local, in the mean")


def single_board(results: Found, experiment: str = SINGLE_BOARD) -> list[Check]:
    """Check what section 6.1 says beside its table, interval by interval."""
    ours = received(results.get(experiment))
    base, crossed = published("base-station"), published("crossed")
    claims = {
        "base-station": "With the tables on the base station a consumer receives much more, close to "
        f"{base} of {PUSHES} (we test whether it receives more)",
        "crossed": "Two motes that are each other's consumer receive less: a total of "
        f"{crossed[0]} to {crossed[1]} (we test whether they receive less)",
    }
    if ours is None:
        why = f"no runs of {experiment}"
        return [Check(name, claim, "6.1", MISSING, why) for name, claim in claims.items()]
    return [
        _base_station(claims["base-station"], _pairs(ours, "base-station", "gateway")),
        _crossed(claims["crossed"], _pairs(ours, "crossed", "uncrossed")),
    ]


def _pairs(ours: Received, case: str, other: str) -> dict[int, tuple[float, float]]:
    """Return a consumer's mean counts in two cases, by the intervals that both have."""
    return {
        interval: (first.trimmed, second.trimmed)
        for interval in ours.intervals(case)
        if (first := ours.mean(case, interval)) and (second := ours.mean(other, interval))
    }


def _base_station(claim: str, pairs: dict[int, tuple[float, float]]) -> Check:
    """Judge the intervals at which events are lost with the tables on the gateway."""
    lossy = {interval: pair for interval, pair in pairs.items() if pair[1] < PUSHES}
    whole = len(pairs) - len(lossy)
    if not lossy:
        why = (
            f"nothing is lost with the tables on the gateway at {counted(whole, 'interval')}: nothing to gain"
        )
        return Check("base-station", claim, "6.1", MISSING, why)
    gains = [
        f"{number(station, 1)} against {number(gateway, 1)} at {interval} ms"
        for interval, (station, gateway) in lossy.items()
    ]
    evidence = f"events with the tables on the base station and on the gateway: {'; '.join(gains)}"
    if whole:
        evidence += f"; at {counted(whole, 'further interval')} nothing is lost with them on the gateway"
    holds = all(station > gateway for station, gateway in lossy.values())
    return Check("base-station", claim, "6.1", HOLDS if holds else FAILS, evidence)


def _crossed(claim: str, pairs: dict[int, tuple[float, float]]) -> Check:
    if not pairs:
        return Check("crossed", claim, "6.1", MISSING, "no runs of both cases at one interval")
    counts = [
        f"{number(together, 1)} against {number(apart, 1)} at {interval} ms"
        for interval, (together, apart) in pairs.items()
    ]
    evidence = (
        "events that a consumer receives where two motes are each other's consumer, and where suppliers and "
        f"consumers are four motes: {'; '.join(counts)}"
    )
    holds = all(together < apart for together, apart in pairs.values())
    return Check("crossed", claim, "6.1", HOLDS if holds else FAILS, evidence)
