# SPDX-License-Identifier: Apache-2.0
"""Routing at one gateway: the three tables of section 4.3, and what a registration, a request or a push does.

A connection to a neighbour keeps the order of what is sent on it, and loses what was under way when it
breaks. A neighbour that connects hears of everything that is needed here, and one that is lost needs nothing
any more; so the tables of a tree come to the same state in whatever order things happen.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Union

from orchestrate_testbed.gateway.event_service.messages import (
    ADVERTISE,
    DISCONNECT_CONSUMER,
    DISCONNECT_SUPPLIER,
    SUBSCRIBE,
    Delivery,
    Push,
    Registration,
    Request,
    ToBaseStation,
    ToNeighbour,
)
from orchestrate_testbed.gateway.event_service.readings import DEFAULTS, Readings
from orchestrate_testbed.gateway.event_service.tables import Table

Output = Union[ToBaseStation, ToNeighbour]  # noqa: UP007 (for Python 3.7)


class Router:
    """`registrations`: what a gateway that starts again had kept of its motes' calls (`kept`)."""

    def __init__(self, readings: Readings = DEFAULTS, registrations: Iterable[Registration] = ()):
        self.readings = readings
        self.advertise, self.subscribe, self.event_request = Table(), Table(), Table()
        self._told: dict[int, set[str]] = {}  # connected neighbour -> events requested of it
        self._propagated: set[str] = set()  # for the reading `flag`
        for one in registrations:
            self.registered(one)

    @property
    def neighbours(self) -> tuple[int, ...]:
        """The connected ones, in the order in which they connected."""
        return tuple(self._told)

    def kept(self) -> list[Registration]:
        """The motes' calls that are in force: what a gateway keeps on disk to start again with."""
        return [Registration(ADVERTISE, *entry) for entry in self.advertise] + [
            Registration(SUBSCRIBE, *entry) for entry in self.subscribe
        ]

    def connected(self, neighbour: int) -> list[Output]:
        """A connection to a neighbour stands. One that connects again has forgotten what it was told."""
        outputs = self.lost(neighbour)
        self._told[neighbour] = set()
        if self.readings.propagation == "subscribe-table-after":
            return outputs
        for event in self._needed():
            outputs += self._tell(neighbour, event)
        return outputs

    def lost(self, neighbour: int) -> list[Output]:
        """The connection to a neighbour broke: nothing is sent for it any more."""
        if self._told.pop(neighbour, None) is None:
            return []
        outputs: list[Output] = []
        for event in self.event_request.drop(neighbour):
            outputs += self._withdraw(event)
        return outputs

    def registered(self, call: Registration) -> list[Output]:
        """A mote's call, from the base station (5.2, 5.3). Raises ValueError for one of no known kind."""
        if call.what == ADVERTISE:
            self.advertise.add(call.mote, call.event)
        elif call.what == DISCONNECT_SUPPLIER:
            self.advertise.remove(call.mote, call.event)
        elif call.what == SUBSCRIBE:
            before = self._subscribed(call.event)
            new = self.subscribe.add(call.mote, call.event)
            if self.readings.propagation == "subscribe-table-after":
                before = True
            return self._propagate(call.event, None, before) if new else []
        elif call.what == DISCONNECT_CONSUMER:
            if self.subscribe.remove(call.mote, call.event):
                return self._withdraw(call.event)
        else:
            raise ValueError(f"a registration's kind is 1 to 4, not {call.what!r}")
        return []

    def requested(self, neighbour: int, request: Request) -> list[Output]:
        """A neighbour needs an event, or no longer (5.3.2). Of one that isn't connected it is passed over."""
        if neighbour not in self._told:
            return []
        if request.wanted:
            new = self.event_request.add(neighbour, request.event)
            found = self._subscribed(request.event)
            return self._propagate(request.event, neighbour, found) if new else []
        if self.event_request.remove(neighbour, request.event):
            return self._withdraw(request.event)
        return []

    def pushed(self, push: Push) -> list[Output]:
        """A mote of this gateway pushed an event (5.4)."""
        return self._to_consumers(push) + self._to_gateways(push, None)

    def forwarded(self, neighbour: int, push: Push) -> list[Output]:
        """An event came from a neighbour (5.4). Of one that isn't connected it is passed over."""
        if neighbour not in self._told:
            return []
        outputs = self._to_consumers(push)
        if self.readings.relay == "relay":
            outputs += self._to_gateways(push, neighbour)
        return outputs

    # --- requests

    def _subscribed(self, event: str) -> bool:
        return bool(self.subscribe.of(event))

    def _needed(self) -> list[str]:
        return list(dict.fromkeys(self.subscribe.events() + self.event_request.events()))

    def _needed_by_others(self, neighbour: int, event: str) -> bool:
        return self._subscribed(event) or any(one != neighbour for one in self.event_request.of(event))

    def _propagate(self, event: str, source: int | None, in_subscribe: bool) -> list[Output]:
        """`source`: the neighbour whose request this is; None: a mote of ours."""
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
                self._told[neighbour].add(event)
                outputs.append(ToNeighbour(neighbour, Request(event)))
        return outputs

    def _tell(self, neighbour: int, event: str) -> list[Output]:
        if event in self._told[neighbour] or not self._needed_by_others(neighbour, event):
            return []
        self._told[neighbour].add(event)
        return [ToNeighbour(neighbour, Request(event))]

    def _withdraw(self, event: str) -> list[Output]:
        """Tell the neighbours that needn't send the event any more."""
        outputs: list[Output] = []
        for neighbour, told in self._told.items():
            if event in told and not self._needed_by_others(neighbour, event):
                told.remove(event)
                outputs.append(ToNeighbour(neighbour, Request(event, wanted=False)))
        if event not in self._needed():
            self._propagated.discard(event)
        return outputs

    # --- events

    def _to_consumers(self, push: Push) -> list[Output]:
        consumers = tuple(self.subscribe.of(push.event))
        if not consumers:
            return []
        if self.readings.delivery == "each":
            return [ToBaseStation(Delivery(push, (one,))) for one in consumers]
        return [ToBaseStation(Delivery(push, consumers))]

    def _to_gateways(self, push: Push, source: int | None) -> list[Output]:
        excluded = source if self.readings.sender == "excluded" else None
        return [ToNeighbour(one, push) for one in self.event_request.of(push.event) if one != excluded]
