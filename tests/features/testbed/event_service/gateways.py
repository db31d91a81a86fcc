# SPDX-License-Identifier: Apache-2.0
"""Routers joined by connections that keep order, break, and come again; the test decides what is next."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from orchestrate_testbed.gateway.event_service.messages import (
    ADVERTISE,
    DISCONNECT_CONSUMER,
    SUBSCRIBE,
    Mismatch,
    Push,
    Registration,
    Request,
    ToBaseStation,
    ToLog,
)
from orchestrate_testbed.gateway.event_service.readings import DEFAULTS, Readings
from orchestrate_testbed.gateway.event_service.router import Router
from orchestrate_testbed.gateway.event_service.topology import Tree


class Gateways:
    """A tree of routers. `delivered`: (gateway, event, supplier, number, consumer) each time. `said`: what
    gateways left in their logs.
    """

    def __init__(self, tree: Tree, readings: Readings = DEFAULTS):
        self.tree, self.readings = tree, readings
        self.routers = {node: Router(readings) for node in tree.nodes}
        self.under_way: dict[tuple[int, int], deque] = {}
        self.delivered: list[tuple[int, str, int, int, int]] = []
        self.said: list[str] = []
        for node in tree.from_root():
            for child in tree.children(node):
                self.connect(node, child)

    def connect(self, one: int, other: int) -> None:
        for here, there in ((one, other), (other, one)):
            self.under_way[here, there] = deque()
        for here, there in ((one, other), (other, one)):
            self.do(here, self.routers[here].connected(there))

    def cut(self, one: int, other: int) -> None:
        for here, there in ((one, other), (other, one)):
            self.under_way.pop((here, there), None)
        for here, there in ((one, other), (other, one)):
            self.do(here, self.routers[here].lost(there))

    def crash(self, node: int) -> None:
        """All but what it keeps is gone, and its connections with it."""
        kept = self.routers[node].kept()
        for other in self.tree.neighbours(node):
            self.cut(node, other)
        self.routers[node] = Router(self.readings, kept)

    @property
    def busy(self) -> list[tuple[int, int]]:
        return sorted(way for way, messages in self.under_way.items() if messages)

    def step(self, way: tuple[int, int]) -> None:
        source, node = way
        message = self.under_way[way].popleft()
        router = self.routers[node]
        if isinstance(message, Request):
            self.do(node, router.requested(source, message))
        elif isinstance(message, Mismatch):
            self.do(node, router.refused(source, message))
        else:
            self.do(node, router.forwarded(source, message))

    def settle(self, most: int = 100_000) -> None:
        while self.busy:
            self.step(self.busy[0])
            most -= 1
            assert most > 0, "messages never end"

    def call(self, node: int, what: int, mote: int, event: str) -> None:
        self.do(node, self.routers[node].registered(Registration(what, mote, event)))

    def advertise(self, node: int, mote: int, event: str) -> None:
        self.call(node, ADVERTISE, mote, event)

    def subscribe(self, node: int, mote: int, event: str) -> None:
        self.call(node, SUBSCRIBE, mote, event)

    def unsubscribe(self, node: int, mote: int, event: str) -> None:
        self.call(node, DISCONNECT_CONSUMER, mote, event)

    def push(self, node: int, supplier: int, number: int, event: str) -> None:
        self.do(node, self.routers[node].pushed(Push(event, supplier, number)))

    def do(self, node: int, outputs: Iterable) -> None:
        for output in outputs:
            if isinstance(output, ToBaseStation):
                push = output.delivery.push
                for consumer in output.delivery.consumers:
                    self.delivered.append((node, push.event, push.supplier, push.number, consumer))
            elif isinstance(output, ToLog):
                self.said.append(f"{node} {output.text}")
            else:
                self.under_way[node, output.neighbour].append(output.message)

    def needed(self) -> dict[int, set[tuple[int, str]]]:
        """What each Event_Request table holds in the end: the neighbours with a subscriber behind them."""
        tables = {node: set() for node in self.tree.nodes}
        for node in self.tree.nodes:
            for neighbour in self.tree.neighbours(node):
                for beyond in self._beyond(node, neighbour):
                    for _, event in self.routers[beyond].subscribe:
                        tables[node].add((neighbour, event))
        return tables

    def _beyond(self, node: int, neighbour: int) -> list[int]:
        reached, ways = [], [(node, neighbour)]
        for before, here in ways:
            reached.append(here)
            ways.extend((here, other) for other in self.tree.neighbours(here) if other != before)
        return reached

    def requests(self) -> dict[int, set[tuple[int, str]]]:
        return {node: set(router.event_request) for node, router in self.routers.items()}
