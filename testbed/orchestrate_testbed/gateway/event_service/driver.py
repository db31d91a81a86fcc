# SPDX-License-Identifier: Apache-2.0
"""The event service's routing in the daemon: the controller, the parent, children, and the base station.

Settings: `controller` and `port` (where it listens, PORT by default), `listen` and `listen-port` (for
children; any by default), `advertised` (the address that the controller tells them; by default the one that
it sees), the readings of readings.py by name, `remembers` (of router.py), `patience` (us: after so long
without an answer a neighbour is lost, also if its connection only hangs; 0: never) and `renewal` (of
leases.py, us).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from orchestrate_testbed.gateway import protocol
from orchestrate_testbed.gateway.event_service import frames, wire
from orchestrate_testbed.gateway.event_service.controller import PORT
from orchestrate_testbed.gateway.event_service.counters import COUNTERS, last_words
from orchestrate_testbed.gateway.event_service.leases import Leases, words
from orchestrate_testbed.gateway.event_service.losses import Losses, Sent
from orchestrate_testbed.gateway.event_service.member import Connect, Member
from orchestrate_testbed.gateway.event_service.messages import (
    Push,
    Registration,
    Relation,
    ToBaseStation,
    ToLog,
)
from orchestrate_testbed.gateway.event_service.readings import READINGS, Readings
from orchestrate_testbed.gateway.event_service.router import Router
from orchestrate_testbed.gateway.protocol import Refusal
from orchestrate_testbed.gateway.service import Service

if TYPE_CHECKING:
    from orchestrate_testbed.gateway.link import Link
    from orchestrate_testbed.gateway.service import Place

AGAIN_US = 1000 * 1000  # between two tries to reach the controller or the parent
CONTROLLER, PARENT = "controller", "parent"  # names of links


def service(place: Place) -> Driver:
    """Return the service of a base station."""
    return Driver(place)


class Driver(Service):
    """One gateway. Its motes' calls and its ID outlive a daemon that is killed (`Place.keep`)."""

    def __init__(self, place: Place):
        """Raise Refusal for settings that are none."""
        asked = place.settings
        self.place = place
        if len(place.motes) != 1:
            raise Refusal("malformed", "The event service routes for one base station of a gateway.")
        (self._base,) = place.motes
        self._controller_at = (
            protocol.text(asked, "controller"),
            protocol.number(asked, "port", 1, 65535, PORT),
        )
        self._listen = (
            protocol.text(asked, "listen", "127.0.0.1"),
            protocol.number(asked, "listen-port", 0, 65535, 0),
        )
        self._advertised = protocol.text(asked, "advertised", "")
        try:
            readings = Readings(**{name: protocol.text(asked, name) for name in READINGS if name in asked})
        except ValueError as error:
            raise Refusal("malformed", f"{error}.") from None
        node, calls = _kept(place.kept())
        self._node, self._on_disk = node, calls
        renewal = protocol.number(asked, "renewal", 0, 3600 * 1000 * 1000, 0)
        self._leases = Leases(renewal, calls, place.now_us())
        self._forgets: list | None = None
        remembers = protocol.number(asked, "remembers", 0, 1 << 20, 0)
        self.member, self.router = Member(), Router(readings, calls, remembers)
        self._patience_us = protocol.number(asked, "patience", 0, 1 << 40, 0)
        self.losses = Losses()
        self._sent: dict[Link, Sent] = {}  # to neighbours
        self._controller: Link | None = None
        self._neighbours: dict[int, Link] = {}
        self._lines: dict[Link, bytes] = {}  # what came of a line without its end
        self._number = 0
        self.counters = dict.fromkeys(COUNTERS, 0)  # since this daemon began

    def start(self) -> None:
        """Listen for children, and call the controller."""
        address, number = self._listen
        self.listens = self.place.listen(address, number)
        self._call_controller()
        if self._leases.renewal_us:
            self._forgets = self.place.after(self._leases.renewal_us, self._forget)

    def line(self, mote: str, line: bytes) -> None:
        """Take a line of the base station: a frame, or something for the log."""
        try:
            message = frames.read(line)
        except frames.NotAFrame as error:
            self.counters["gateway_uart_malformed"] += 1
            self.place.say(f"a damaged frame of {mote}: {error}")
            return
        if isinstance(message, Registration):
            self.counters["gateway_uart_received"] += 1
            self._registered(message)
        elif isinstance(message, Push):
            self.counters["gateway_uart_received"] += 1
            self.losses.passed(message)
            self._do(self.router.pushed(message))

    def linked(self, link: Link) -> None:
        """Take a connection: to the controller, to the parent, or from somebody who has to say who it is."""
        self._lines[link] = b""
        if link.name == CONTROLLER:
            self._controller = link
            self._say(link, wire.hello(self.listens, self._id(), self._advertised))
        elif link.name == PARENT:
            relation = self.member.relation
            if relation is None or relation.parent is None:
                link.close("the tree has changed")
                return
            self._say(link, wire.join(relation.node))
            self._joined(relation.parent, link)

    def received(self, link: Link, content: bytes) -> None:
        """Take lines of a link; a peer that says what it may not is disconnected."""
        *lines, rest = (self._lines.get(link, b"") + content).split(b"\n")
        self._lines[link] = rest
        try:
            for each in lines:
                if link.open:
                    self._heard(link, wire.said(each))
            if len(rest) > wire.LONGEST:
                raise wire.Malformed("a line without an end")
        except wire.Malformed as error:
            self.place.say(f"{link.peer} is disconnected: {error}")
            link.close(str(error))

    def unlinked(self, link: Link, why: str) -> None:
        """Call controller and parent again; a child is waited for."""
        self._lines.pop(link, None)
        if link.name == CONTROLLER:
            self._controller = None
            self.place.after(AGAIN_US, self._call_controller)
        elif link.name == PARENT and link not in self._neighbours.values():
            self.place.after(AGAIN_US, self._call_parent)
        for neighbour in [node for node, one in self._neighbours.items() if one is link]:
            del self._neighbours[neighbour]
            self.place.say(f"gateway {neighbour} is lost: {why}")
            self._missing(neighbour, link)
            self._do(self.router.lost(neighbour))
            if self.member.lost(neighbour):
                self.place.after(AGAIN_US, self._call_parent)

    def stop(self) -> None:
        """Log what was counted, who is lost, and what the tables held."""
        if self._forgets is not None:
            self.place.cancel(self._forgets)
        lost = {"gateway_unsent": self.losses.count} if self.losses.count else {}
        self._say_all(last_words(self._id(), {**self.counters, **lost}, self.router))
        self._say_all([f"gateway {self._id()}: {each}" for each in self.losses.left(self.place.now_us())])

    def _id(self) -> int:
        """Return the ID, 0 before the controller has given one."""
        return self.member.relation.node if self.member.relation else self._node

    def _registered(self, call: Registration) -> None:
        self._leases.came(call, self.place.now_us())
        self._do(self.router.registered(call))
        if self.router.kept() != self._on_disk or self.place.unkept:  # most calls repeat one
            self._remember()

    def _forget(self) -> None:
        """End the calls that nobody renewed."""
        for ended in self._leases.over(self.place.now_us()):
            self.place.say(words(ended))
            self._registered(ended)
        self._forgets = self.place.after(self._leases.renewal_us, self._forget)

    def _remember(self) -> None:
        self._on_disk = self.router.kept()
        calls = [[call.what, call.mote, call.event, call.terms.hex()] for call in self._on_disk]
        self.place.keep({"node": self._id(), "calls": calls})

    def _say(self, link: Link, message: dict) -> None:
        link.send(protocol.line(message))

    def _say_all(self, lines: list) -> None:
        for line in lines:
            self.place.say(line)

    def _missing(self, neighbour: int, link: Link) -> None:
        """Note what a lost neighbour doesn't get, before the router forgets what it had requested."""
        sent = self._sent.pop(link, Sent())
        if not self.member.expects(neighbour):  # the tree has changed, and nobody is missed
            return
        requested = [event for node, event in self.router.event_request if node == neighbour]
        unacknowledged = sent.last(link.unacknowledged)
        self._say_all(self.losses.lost(neighbour, self.place.now_us(), requested, unacknowledged))

    # --- the tree

    def _call_controller(self) -> None:
        self.place.connect(CONTROLLER, *self._controller_at)

    def _call_parent(self) -> None:
        """Call the parent, unless it is connected, is being called, or isn't known."""
        relation = self.member.relation
        if relation is None or relation.parent is None or relation.parent in self._neighbours:
            return
        if any(link.name == PARENT for link in self.place.links):
            return
        host, _, number = (relation.parent_address or "").rpartition(":")
        self.place.connect(PARENT, host, int(number))

    def _told(self, relation: Relation) -> None:
        before = self.member.relation
        moved = before is not None and (before.parent, before.parent_address) != (
            relation.parent,
            relation.parent_address,
        )
        outputs = self.member.told(relation)
        self._remember()
        for neighbour in self.losses.away:
            if not self.member.expects(neighbour):
                self._say_all(self.losses.ended(neighbour, self.place.now_us(), "is no neighbour any more"))
        if moved:  # and a call of the former parent ends
            for link in [link for link in self.place.links if link.name == PARENT]:
                link.close("the tree has changed")
        for neighbour in list(self._neighbours):
            if not self.member.expects(neighbour) or (moved and neighbour == relation.parent):
                self._neighbours[neighbour].close("the tree has changed")
        self._form(outputs)

    def _form(self, outputs: list) -> None:
        for output in outputs:
            if isinstance(output, Connect):
                self._call_parent()
            elif self._controller is not None:
                self._say(self._controller, wire.established(output.node))

    def _joined(self, neighbour: int, link: Link) -> None:
        known = self._neighbours.get(neighbour)
        if known is not None:
            known.close("it connected again")
        self._neighbours[neighbour] = link
        self._sent[link] = Sent()
        if self._patience_us:
            link.notice(self._patience_us)
        self._say_all(self.losses.ended(neighbour, self.place.now_us(), "is back"))
        self._do(self.router.connected(neighbour))
        self._form(self.member.connected(neighbour))

    # --- messages

    def _heard(self, link: Link, said: dict) -> None:
        if link is self._controller:
            self._told(wire.relation_of(said))
            return
        neighbour = next((node for node, one in self._neighbours.items() if one is link), None)
        if neighbour is None:
            child = wire.joins(said)
            if not self.member.expects(child):
                raise wire.Malformed("only a child of this gateway may connect")
            self._joined(child, link)
            return
        message = wire.between_gateways(said)
        self.counters["gateway_tcp_received"] += 1
        if isinstance(message, Push):
            self.losses.passed(message)
        self._do(self.router.received(neighbour, message))

    def _do(self, outputs: list) -> None:
        for output in outputs:
            if isinstance(output, ToBaseStation):
                self._number += 1
                try:
                    line = frames.line(output.delivery, self._number)
                except frames.NotAFrame as error:
                    self.place.say(f"a delivery is lost: {error}")
                    continue
                if self.place.write(self._base, line + b"\n"):
                    self.counters["gateway_uart_sent"] += 1
                else:
                    self.counters["gateway_queue_full"] += 1
                    self.place.say(f"a delivery is lost: {self._base} can't take it")
            elif isinstance(output, ToLog):
                self.place.say(output.text)
            elif output.neighbour in self._neighbours:
                self.counters["gateway_tcp_sent"] += 1
                link, line = self._neighbours[output.neighbour], protocol.line(wire.between(output.message))
                self._sent[link].note(len(line), output.message)
                link.send(line)


def _kept(value: object) -> tuple[int, list[Registration]]:
    """Return the ID and the calls of an earlier life; nothing if there was none, or it is damaged."""
    try:
        return int(value["node"]), [
            Registration(what, mote, event, bytes.fromhex(terms))
            for what, mote, event, terms in value["calls"]
        ]
    except (KeyError, TypeError, ValueError):
        return 0, []
