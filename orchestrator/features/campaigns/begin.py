# SPDX-License-Identifier: Apache-2.0
"""Whether a call goes on with the last round, begins the next, or has nothing to do."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import Enum, auto
from pathlib import Path

from orchestrator import __version__
from orchestrator.errors import NoSuchThing, StorageFailed, WrongUsage
from orchestrator.features.campaigns import checkouts, record
from orchestrator.features.campaigns.difference import differences, other_version
from orchestrator.features.campaigns.model import Product, RoundPlan, Shard, State
from orchestrator.features.campaigns.prepared import Prepared
from orchestrator.features.campaigns.record import Round

_SEEDS = 2**31
_PRODUCTS = {Product.RESULTS: "tables and reports", Product.VERDICT: "verdict"}


class Wanted(Enum):
    """The user's choice between rounds."""

    USUAL = auto()
    NEW = auto()  # a new round, whatever the last one is like
    CONTINUE = auto()  # the last round, even if it has ended


@dataclass(frozen=True)
class Chosen:
    """`round`: the one to work on; `why`: a sentence for the user.

    `idle`: it needs nothing. `finish`: its runs have ended, and only what is made of them is missing.
    """

    round: Round
    why: str
    idle: bool = False
    finish: bool = False


def choose(
    prepared: Prepared, store: Path, shard: Shard, wanted: Wanted = Wanted.USUAL, now: datetime | None = None
) -> Chosen:
    """Return the round that this call works on; a new one is begun here.

    Raises StorageFailed where another process works on it, and WrongUsage where going on would make other
    runs than the round's.
    """
    campaign = prepared.campaign
    now = now or datetime.now(UTC)
    with record.planning(store, campaign.name):
        last = record.latest(store, campaign.name)
        if last is None and wanted is Wanted.CONTINUE:
            raise NoSuchThing(f"no round of {campaign.name} to go on with\n    leave out --continue")
        if last is None or wanted is Wanted.NEW:
            return _begun(prepared, store, shard, last, [], now)
        other = differences(prepared, campaign.in_quarantine(last.plan.at.date()), last.plan)
        joins = last.plan.shards == shard.of and last.shard_state(shard) not in record.ENDED
        if joins and last.shard_state(shard) is State.RUNNING:
            raise busy(last, shard)
        if shard.of == 1 and last.state is State.RUNNING:
            raise busy(last, next(shard for shard in last.shards if last.shard_state(shard) is State.RUNNING))
        if wanted is Wanted.CONTINUE or (joins and shard.of > 1):
            _refuse_another(last, shard, other)
            return Chosen(last, f"goes on with {told(last)}")
        if joins and not other:
            return Chosen(last, f"goes on with {told(last)}, which was interrupted")
        if last.missing and not other:
            return Chosen(last, f"finishes {told(last)}, which has {missing(last)} yet", finish=True)
        if shard.of == 1 and not other and last.state is State.COMPLETE and campaign.repeats:
            return Chosen(
                last,
                f"{told(last)} is complete, and neither scenarios nor firmware nor engine have changed: "
                "the same seeds would give the same bytes",
                idle=True,
            )
        return _begun(prepared, store, shard, last, other, now)


def _refuse_another(last: Round, shard: Shard, other: Sequence[str]) -> None:
    """Raise WrongUsage if this call can't go on with the round; `other`: what differs in its runs."""
    if last.plan.shards != shard.of:
        raise WrongUsage(
            f"{told(last)} is spread over {last.plan.shards} shards, not {shard.of}\n"
            f"    call it with --shard i/{last.plan.shards}, or begin another with --new"
        )
    if reasons := [*other, *other_version(last.plan)]:
        what = f"{told(last)} has other runs than this call would make:"
        remedy = "make this machine like the one that began it, or begin another round with --new"
        raise WrongUsage("\n    ".join([what, *reasons, remedy]))


def told(round_: Round) -> str:
    """Return a round as messages call it."""
    return f"round {round_.plan.number} ({round_.plan.at:%Y-%m-%d %H:%M} UTC)"


def missing(round_: Round) -> str:
    """Name the results that a round with ended runs lacks: "no tables and reports and no verdict"."""
    return " and ".join(f"no {_PRODUCTS[product]}" for product in round_.missing)


def busy(round_: Round, shard: Shard) -> StorageFailed:
    """Return the error to raise if another process works on the same round."""
    which = f"shard {shard} of {told(round_)}" if shard.of > 1 else told(round_)
    return StorageFailed(
        f"another process is making {which} of {round_.plan.campaign}\n    wait for it to end, look at it "
        "with `orchestrate campaign watch FILE`, or end it with Ctrl-C"
    )


def _begun(
    prepared: Prepared, store: Path, shard: Shard, last: Round | None, other: list[str], now: datetime
) -> Chosen:
    campaign = prepared.campaign
    number = record.next_number(store, campaign.name)
    notes = []
    why = "begins round 1"
    if last is not None:
        why = f"begins round {number}"
        if other:
            notes.append(f"since round {last.plan.number}: {'; '.join(other)}")
        if last.state in (State.INTERRUPTED, State.INCOMPLETE):
            notes.append(f"round {last.plan.number} stays as it is: {last.state.value}")
        if now < last.plan.at:
            notes.append(_clock(last, now))
    plan = RoundPlan(
        campaign.name,
        number,
        now,
        campaign.text,
        campaign.sha256,
        __version__,
        platform.node(),
        shard.of,
        (),
        fresh_seeds(prepared, store, number, now),
        campaign.in_quarantine(now.date()),
        tuple(notes),
        checkouts.of(part.plan.scenario for part in prepared.parts.values()),
    )
    parts = tuple(part.planned(plan.fresh) for part in prepared.parts.values())
    try:
        begun = record.begin(store, replace(plan, parts=parts))
    except FileExistsError:
        raise StorageFailed(
            f"another machine has begun round {number} of {campaign.name} at the same moment\n"
            "    call it again: it joins that round"
        ) from None
    return Chosen(begun, "; ".join([why, *notes]))


def fresh_seeds(prepared: Prepared, store: Path, number: int, now: datetime) -> tuple[int, ...]:
    """Seeds that no part has and no round of the campaign has had, by the round's number and time."""
    parts = prepared.campaign.parts
    count = max((part.seeds.fresh for part in parts), default=0)
    if not count:
        return ()
    used = {seed for part in parts for seed in part.seeds.fixed}
    for round_ in record.readable(store, prepared.campaign.name)[0]:
        used.update(round_.plan.fresh)
    drawn: dict[int, None] = {}
    index = 0
    while len(drawn) < count:
        text = f"{prepared.campaign.name} {number} {now.isoformat()} {index}"
        seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") % _SEEDS
        index += 1
        if seed not in used:
            drawn[seed] = None
    return tuple(drawn)


def _clock(last: Round, now: datetime) -> str:
    behind = timedelta(seconds=round((last.plan.at - now).total_seconds()))
    return (
        f"this machine's clock is {behind} behind the beginning of round {last.plan.number}: rounds keep the "
        "order of their numbers, whatever their dates"
    )
