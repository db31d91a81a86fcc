# SPDX-License-Identifier: Apache-2.0
"""Routing at one gateway: the three tables of section 4.3, and what changes and reads them.

These are registrations, requests and pushes.

A connection to a neighbour keeps the order of messages, and loses those that are under way when it breaks. A
neighbour that connects is told everything that is needed here, and one that is lost needs nothing any more.
Therefore the tables of a tree reach the same state in whatever order things happen.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Union

from orchestrate_testbed.gateway.event_service.channels import Channels
from orchestrate_testbed.gateway.event_service.messages import (
    ADVERTISE,
    DISCONNECT_CONSUMER,
    DISCONNECT_SUPPLIER,
    SUBSCRIBE,
    Delivery,
    Mismatch,
    Push,
    Registration,
    Request,
    ToBaseStation,
    ToLog,
    ToNeighbour,
)
from orchestrate_testbed.gateway.event_service.readings import DEFAULTS, Readings
from orchestrate_testbed.gateway.event_service.tables import Table
from orchestrate_testbed.gateway.event_service.wire import MOST_ASKED

Output = Union[ToBaseStation, ToNeighbour, ToLog]  # noqa: UP007 (for Python 3.7)


class Router:
    """Routes at one gateway.

    `registrations`: what a gateway that starts again had kept of its motes' calls (`kept`). `remembers`: how
    many events from other gateways it knows again when they come a second time, as they can where the tree is
    rebuilt while they are under way (beyond the thesis).
    """

    def __init__(
        self,
        readings: Readings = DEFAULTS,
        registrations: Iterable[Registration] = (),
        remembers: int = 0,
    ):
        self.readings = readings
        self.advertise, self.subscribe, self.event_request = Table(), Table(), Table()
        self.channels = Channels(self.advertise, self.subscribe, self.event_request)
        # Connected neighbour -> events requested of it, with the terms that it was told.
        self._told: dict[int, dict[str, tuple[bytes, ...]]] = {}
        self._propagated: set[str] = set()  # for the reading `flag`
        self._remembers = remembers
        self._came: dict[tuple[str, int, int], None] = {}  # the last events, the oldest first
        for one in registrations:
            self.registered(one)

    @property
    def neighbours(self) -> tuple[int, ...]:
        """The connected neighbours, in the order in which they connected."""
        return tuple(self._told)

    def kept(self) -> list[Registration]:
        """Return the motes' calls that are in force, which a gateway keeps on disk for its next start."""
        return [
            Registration(what, mote, event, table.terms(mote, event))
            for what, table in ((ADVERTISE, self.advertise), (SUBSCRIBE, self.subscribe))
            for mote, event in table
        ]

    def connected(self, neighbour: int) -> list[Output]:
        """Note that a connection to a neighbour is established, and return what to send there.

        One that connects again has forgotten what it was told.
        """
        outputs = self.lost(neighbour)
        self._told[neighbour] = {}
        if self.readings.propagation == "subscribe-table-after":
            return outputs
        for event in self._needed():
            outputs += self._tell(neighbour, event)
        return outputs

    def lost(self, neighbour: int) -> list[Output]:
        """Note that the connection to a neighbour broke: nothing is sent for it any more."""
        if self._told.pop(neighbour, None) is None:
            return []
        outputs: list[Output] = []
        for event in self.event_request.drop(neighbour):
            outputs += self._withdraw(event) + self.channels.changed(event)
        return outputs

    def registered(self, call: Registration) -> list[Output]:
        """Handle a mote's call, from the base station (5.2, 5.3). Raises ValueError for an unknown kind."""
        return self._registered(call) + self.channels.changed(call.event)

    def _registered(self, call: Registration) -> list[Output]:
        if call.what == ADVERTISE:
            self.advertise.add(call.mote, call.event, call.terms)
        elif call.what == DISCONNECT_SUPPLIER:
            self.advertise.remove(call.mote, call.event)
        elif call.what == SUBSCRIBE:
            before = self._subscribed(call.event)
            new = self.subscribe.add(call.mote, call.event, call.terms)
            if self.readings.propagation == "subscribe-table-after":
                before = True
            return self._propagate(call.event, None, before) + self._narrow(call.event) if new else []
        elif call.what == DISCONNECT_CONSUMER:
            if self.subscribe.remove(call.mote, call.event):
                return self._withdraw(call.event)
        else:
            raise ValueError(f"a registration's kind is 1 to 4, not {call.what!r}")
        return []

    def received(self, neighbour: int, message: Request | Push | Mismatch) -> list[Output]:
        """Take a message of a neighbour."""
        if isinstance(message, Request):
            return self.requested(neighbour, message)
        if isinstance(message, Mismatch):
            return self.refused(neighbour, message)
        return self.forwarded(neighbour, message)

    def requested(self, neighbour: int, request: Request) -> list[Output]:
        """Note that a neighbour needs an event, or no longer (5.3.2).

        This is ignored if the neighbour isn't connected.
        """
        if neighbour not in self._told:
            return []
        event, outputs = request.event, []
        if request.wanted:
            if self.event_request.add(neighbour, event, request.asked):
                outputs = self._propagate(event, neighbour, self._subscribed(event)) + self._narrow(event)
        elif self.event_request.remove(neighbour, event):
            outputs = self._withdraw(event)
        return outputs + self.channels.changed(event)

    def refused(self, neighbour: int, refusal: Mismatch) -> list[Output]:
        """Note that a publication isn't what somebody here, or behind us, asked for (beyond the thesis)."""
        return self.channels.refused(neighbour, refusal) if neighbour in self._told else []

    def pushed(self, push: Push) -> list[Output]:
        """Route an event that a mote of this gateway pushed (5.4)."""
        self._comes_again(push)
        push = self.channels.published(push)
        return self._to_consumers(push) + self._to_gateways(push, None)

    def forwarded(self, neighbour: int, push: Push) -> list[Output]:
        """Route an event that came from a neighbour (5.4).

        This is ignored if the neighbour isn't connected.
        """
        if neighbour not in self._told or self._comes_again(push):
            return []
        outputs = self._to_consumers(push)
        if self.readings.relay == "relay":
            outputs += self._to_gateways(push, neighbour)
        return outputs

    def _comes_again(self, push: Push) -> bool:
        """Return whether the event came before, as far as that is remembered, and remember it from now on."""
        event = (push.event, push.supplier, push.number)
        again = self._came.pop(event, 0) is None
        if self._remembers:
            self._came[event] = None
            if len(self._came) > self._remembers:
                del self._came[next(iter(self._came))]
        return again

    # --- requests

    def _subscribed(self, event: str) -> bool:
        return bool(self.subscribe.of(event))

    def _needed(self) -> list[str]:
        return list(dict.fromkeys(self.subscribe.events() + self.event_request.events()))

    def _needed_by_others(self, neighbour: int, event: str) -> bool:
        return self._subscribed(event) or any(one != neighbour for one in self.event_request.of(event))

    def _propagate(self, event: str, source: int | None, in_subscribe: bool) -> list[Output]:
        """Pass a request on. `source`: the neighbour whose request this is; None for a mote of ours."""
        reading = self.readings.propagation
        if reading == "flag" and event in self._propagated:
            return []
        if reading in ("subscribe-table", "subscribe-table-after") and in_subscribe:
            return []
        self._propagated.add(event)
        outputs: list[Output] = []
        for neighbour in self._told:
            if reading == "per-neighbour":
                outputs += self._tell(neighbour, event)
            elif neighbour != source:
                self._told[neighbour][event] = (b"",)
                outputs.append(ToNeighbour(neighbour, Request(event)))
        return outputs

    def _asked(self, neighbour: int, event: str) -> tuple[bytes, ...]:
        """Return the terms of all that need the event but this neighbour, each once; too many become none."""
        motes = {asked for _, asked in self.subscribe.entries(event)}
        others = (asked for node, asked in self.event_request.entries(event) if node != neighbour)
        every = motes.union(*others)
        return tuple(sorted(every)) if len(every) <= MOST_ASKED else (b"",)

    def _tell(self, neighbour: int, event: str) -> list[Output]:
        if not self._needed_by_others(neighbour, event):
            return []
        asked = self._asked(neighbour, event)
        if self._told[neighbour].get(event) == asked:
            return []
        self._told[neighbour][event] = asked
        return [ToNeighbour(neighbour, Request(event, asked=asked))]

    def _narrow(self, event: str) -> list[Output]:
        """Terms have changed: tell neighbours that were told others, and still have to send the event."""
        if self.readings.propagation != "per-neighbour":
            return []
        return [
            output
            for neighbour, told in self._told.items()
            if event in told
            for output in self._tell(neighbour, event)
        ]

    def _withdraw(self, event: str) -> list[Output]:
        """Tell the neighbours that need not send the event any more, or not all of it."""
        outputs: list[Output] = []
        for neighbour, told in self._told.items():
            if event in told and not self._needed_by_others(neighbour, event):
                del told[event]
                outputs.append(ToNeighbour(neighbour, Request(event, wanted=False)))
        if event not in self._needed():
            self._propagated.discard(event)
        return outputs + self._narrow(event)

    # --- events

    def _to_consumers(self, push: Push) -> list[Output]:
        lacks = self.channels.lacks(push)
        every = self.channels.consumers(push)
        bridges = tuple(mote for mote in every if self.channels.bridges(mote, push.event))
        lacks += [ToBaseStation(Delivery(push, (mote,), bridged=True)) for mote in bridges]
        consumers = tuple(mote for mote in every if mote not in bridges)
        if not consumers:
            return lacks
        if self.readings.delivery == "each":
            return lacks + [ToBaseStation(Delivery(push, (one,))) for one in consumers]
        return [*lacks, ToBaseStation(Delivery(push, consumers))]

    def _to_gateways(self, push: Push, source: int | None) -> list[Output]:
        excluded = source if self.readings.sender == "excluded" else None
        nodes = [one for one in self.channels.neighbours(push) if one != excluded]
        if not nodes or self.channels.expired(push):
            return []
        further = replace(push, passed=push.passed + 1) if push.offered else replace(push, bridged=False)
        return [ToNeighbour(one, further) for one in nodes]
