# SPDX-License-Identifier: Apache-2.0
"""What the terms of channels mean at one gateway (beyond the thesis).

They decide who gets an event, whose subscription meets whose publication, and what is refused.
"""

from __future__ import annotations

import struct
from typing import Any

from orchestrate_testbed.gateway.event_service import condition, frames, terms
from orchestrate_testbed.gateway.event_service.messages import (
    Delivery,
    Mismatch,
    Push,
    ToBaseStation,
    ToLog,
    ToNeighbour,
)
from orchestrate_testbed.gateway.event_service.tables import Table

# The event by which a mote hears that its subscription was refused: the subject, the supplier's mote, and
# a bit for each of terms.REASONS. No application can advertise it to others, as nobody requests it.
REFUSED = "!refused"
_REFUSED = struct.Struct("<QHB")
COUNTERS = ("gateway_filtered", "gateway_expired", "gateway_refusals", "gateway_omissions")


def accepts(asked: bytes, push: Push) -> bool:
    """Whether who asked for these terms gets the event."""
    if not asked:
        return True
    said = terms.read(asked)
    if terms.refused(terms.read(push.offered), said):
        return False
    return condition.holds(said.condition, push.data)


class Channels:
    """The channels of one gateway, whose tables these are."""

    def __init__(self, advertise: Table, subscribe: Table, event_request: Table):
        self._advertise, self._subscribe, self._event_request = advertise, subscribe, event_request
        self._said: set[tuple] = set()  # refusals that were told: (event, who asked, mote, offered, asked)
        self._last: dict[tuple[str, int], int] = {}  # the last number of an event and supplier
        self._numbers = 0
        self.counters = dict.fromkeys(COUNTERS, 0)

    @property
    def used(self) -> bool:
        """Whether anybody has offered or asked anything: otherwise there is nothing to count."""
        tables = (self._advertise, self._subscribe)
        said = any(table.terms(*entry) for table in tables for entry in table)
        return said or any(self.counters.values())

    def published(self, push: Push) -> Push:
        """Return an event of a mote of ours, with what its channel offers."""
        for _, offered in self._advertise.entries(push.event):
            if offered and terms.read(offered).supplier == push.supplier:
                return Push(push.event, push.supplier, push.number, push.data, offered)
        return push

    def expired(self, push: Push) -> bool:
        """Whether the event has passed as many gateways as it may (FAMOUSO's time to live)."""
        ttl = terms.read(push.offered).ttl
        if ttl is None or push.passed < ttl:
            return False
        self.counters["gateway_expired"] += 1
        return True

    def consumers(self, push: Push) -> tuple[int, ...]:
        """Return the motes of ours that get the event."""
        every = [
            (mote, asked)
            for mote, asked in self._subscribe.entries(push.event)
            if not (push.bridged and self.bridges(mote, push.event))  # it has it
        ]
        found = tuple(mote for mote, asked in every if accepts(asked, push))
        self.counters["gateway_filtered"] += len(every) - len(found)
        return found

    def bridges(self, mote: int, event: str) -> bool:
        """Return whether a consumer is a base station that bridges the publish/subscribe middleware."""
        return terms.read(self._subscribe.terms(mote, event)).bridge is not None

    def neighbours(self, push: Push) -> list[int]:
        """Return the gateways that get the event."""
        every = self._event_request.entries(push.event)
        found = [node for node, asked in every if any(accepts(one, push) for one in asked)]
        self.counters["gateway_filtered"] += len(every) - len(found)
        return found

    def lacks(self, push: Push) -> list[Any]:
        """Look at the number of an event that came: consumers of ours have said how many may lack before.

        Only where no condition keeps events back: then numbers go on one by one.
        """
        every = [
            (mote, terms.read(asked))
            for mote, asked in self._subscribe.entries(push.event)
            if asked and accepts(asked, push)
        ]
        bounds = [(mote, one.omission) for mote, one in every if one.omission is not None]
        if not bounds or any(one.condition for _, one in every):
            return []
        last = self._last.get((push.event, push.supplier))
        self._last[push.event, push.supplier] = push.number
        if last is None:
            return []
        lacking = (push.number - last - 1) % 65536
        found: list[Any] = []
        for mote, most in bounds:
            if lacking > most and lacking < 32768:  # else it is an older one
                self.counters["gateway_omissions"] += 1
                found.append(
                    ToLog(
                        f"{lacking} events {push.event} of supplier {push.supplier} in a row did not come; "
                        f"mote {mote} asked for an omission of at most {most}"
                    )
                )
        return found

    def changed(self, event: str) -> list[Any]:
        """Somebody advertised, subscribed to or requested the event, or no longer: what is refused now."""
        standing, outputs = set(), []
        for mote, offered in self._advertise.entries(event):
            for who, asked in self._asked(event):
                if asked and terms.refused(terms.read(offered), terms.read(asked)):
                    refusal = (event, who, mote, offered, asked)
                    standing.add(refusal)
                    if refusal not in self._said:
                        outputs += self._tell(who, Mismatch(event, mote, offered, asked))
        others = {one for one in self._said if one[0] != event}
        self._said = others | standing
        return outputs

    def refused(self, neighbour: int, refusal: Mismatch) -> list[Any]:
        """Note that a neighbour says that somebody's offer isn't what was asked here or behind us."""
        outputs: list[Any] = []
        for who, asked in self._asked(refusal.event):
            if asked == refusal.asked and who != ("gateway", neighbour):
                outputs += self._tell(who, refusal)
        return outputs

    def _asked(self, event: str) -> list[tuple[tuple[str, int], bytes]]:
        motes = [(("mote", mote), asked) for mote, asked in self._subscribe.entries(event)]
        nodes = [
            (("gateway", node), one) for node, asked in self._event_request.entries(event) for one in asked
        ]
        return motes + nodes

    def _tell(self, who: tuple[str, int], refusal: Mismatch) -> list[Any]:
        kind, number = who
        if kind == "gateway":
            return [ToNeighbour(number, refusal)]
        offered, asked = terms.read(refusal.offered), terms.read(refusal.asked)
        self.counters["gateway_refusals"] += 1
        bits = sum(1 << terms.REASONS.index(one) for one in terms.refused(offered, asked))
        data = _REFUSED.pack(frames.subject(refusal.event), refusal.mote, bits)
        self._numbers = self._numbers % 65535 + 1
        return [
            ToLog(
                f"the subscription of mote {number} to {refusal.event} refuses what mote {refusal.mote} "
                f"publishes: {terms.words(offered, asked)}"
            ),
            ToBaseStation(Delivery(Push(REFUSED, 255, self._numbers, data), (number,))),
        ]
