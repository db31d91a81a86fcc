# SPDX-License-Identifier: Apache-2.0
"""Gateways and their controller on real sockets: one loop drives them all."""

from __future__ import annotations

import os
import re
import socket
from time import monotonic

import pytest
from orchestrate_testbed.gateway import protocol
from orchestrate_testbed.gateway.disk import Disk
from orchestrate_testbed.gateway.doors import Doors
from orchestrate_testbed.gateway.event_service import driver, frames, wire
from orchestrate_testbed.gateway.event_service.messages import (
    ADVERTISE,
    SUBSCRIBE,
    Delivery,
    Push,
    Registration,
    Relation,
    Request,
)
from orchestrate_testbed.gateway.event_service.server import Server
from orchestrate_testbed.gateway.event_service.topology import parse
from orchestrate_testbed.gateway.loop import Loop
from orchestrate_testbed.gateway.protocol import Refusal
from orchestrate_testbed.gateway.runs import Runs
from orchestrate_testbed.gateway.service import Place

from tests.waiting import HANG_S

HERE = "127.0.0.1"


class Port:
    """A base station's port: what is written to it is kept, and it speaks as told."""

    def __init__(self):
        self.listeners, self.written = [], []

    def write(self, content: bytes) -> None:
        self.written.append(content)

    def says(self, content: bytes) -> None:
        for each in self.listeners:
            each(content)


class Network:
    """Figure 4.1's gateways, each with the place that the daemon would give it."""

    def __init__(self, folder, text: str = "4\n1 2\n1 3\n2 4\n"):
        self.folder, self.loop = folder, Loop()
        self.tree = parse(text)
        self.server = Server(self.loop, self.tree, HERE, 0)
        self.ports = {node: Port() for node in self.tree.nodes}
        self.places, self.nodes = {}, {}
        for node in self.tree.nodes:
            (folder / str(node)).mkdir()
            self.start(node)
            self.until(lambda node=node: len(self.server.controller.addresses) == node)

    def start(self, node: int) -> None:
        folder = str(self.folder / str(node))
        settings = {"controller": HERE, "port": self.server.listens[1]}
        ports = {"S": self.ports[node]}
        place = Place(self.loop, Disk(folder, 0, 0), folder, "event-service", ports, settings)
        self.places[node], self.nodes[node] = place, driver.service(place)
        place.begin(self.nodes[node])

    def stop(self, node: int) -> None:
        self.places.pop(node).end()

    def until(self, true) -> None:
        end = monotonic() + HANG_S
        while not true():
            assert monotonic() < end, [place.error for place in self.places.values()]
            self.loop.turn(50_000)

    def formed(self) -> bool:
        return self.server.controller.formed and all(one.member.established for one in self.nodes.values())

    def says(self, node: int, message) -> None:
        self.ports[node].says(frames.line(message, 1, sender=1) + b"\n")

    def delivered(self, node: int) -> list:
        return [frames.read(line) for line in self.ports[node].written]

    def said(self, node: int) -> str:
        """What a gateway wrote into its log, from all its lives."""
        return "".join(path.read_text() for path in sorted((self.folder / str(node)).glob("*.log")))

    def close(self) -> None:
        for place in self.places.values():
            place.end()
            assert place.error == ""
        self.server.close()
        self.loop.close()


@pytest.fixture
def network(tmp_path):
    made = Network(tmp_path)
    made.until(made.formed)
    yield made
    made.close()


def table(network: Network, node: int) -> list:
    return [list(entry) for entry in network.nodes[node].router.event_request]


def test_figure_4_1_forms_and_an_event_crosses_it(network):
    assert [network.nodes[node].member.relation.node for node in network.tree.nodes] == [1, 2, 3, 4]
    network.says(3, Registration(SUBSCRIBE, 7, "temp"))
    network.until(lambda: table(network, 4))
    assert [table(network, node) for node in network.tree.nodes] == [
        [[3, "temp"]],
        [[1, "temp"]],
        [],
        [[2, "temp"]],
    ]
    network.ports[4].says(b"!node,relay,0,1,0\n#zz\n")
    network.says(4, Push("temp", 1, 9, b"\x01"))
    network.until(lambda: network.ports[3].written)
    assert network.delivered(3) == [Delivery(Push("temp", 1, 9, b"\x01"), (7,))]
    assert network.nodes[4].counters["gateway_uart_malformed"] == 1
    network.says(4, Registration(ADVERTISE, 5, "temp"))
    assert list(network.nodes[4].router.advertise) == [(5, "temp")]


def test_a_connection_that_breaks_comes_again_with_its_requests(network):
    network.says(3, Registration(SUBSCRIBE, 7, "temp"))
    network.until(lambda: table(network, 4))
    next(link for link in network.places[2].links if link.name == driver.PARENT).close()
    network.until(lambda: not table(network, 4))
    network.until(lambda: table(network, 4))


def test_a_gateway_that_starts_again_has_its_motes_calls(network):
    network.says(3, Registration(SUBSCRIBE, 7, "temp"))
    network.until(lambda: table(network, 4))
    network.stop(3)
    network.until(lambda: not table(network, 4))
    network.start(3)
    network.until(lambda: table(network, 4))
    network.says(4, Push("temp", 1, 1))
    network.until(lambda: network.ports[3].written)


def test_what_a_lost_gateway_missed_is_named_when_it_is_back(network):
    network.says(3, Registration(SUBSCRIBE, 7, "temp"))
    network.until(lambda: table(network, 4))
    network.stop(3)
    network.until(lambda: not table(network, 4))
    assert "gateway 3 is lost" in network.said(1)
    for number in (1, 2):
        network.says(1, Push("temp", 9, number))
    network.says(1, Push("pres", 9, 3))
    assert "not sent" not in network.said(1)
    network.start(3)
    network.until(lambda: table(network, 4))
    back = re.search(r"gateway 3 is back after [0-9.]+ s; not sent to it meanwhile: (.*)", network.said(1))
    assert back[1] == "temp of mote 9, 1 to 2"
    network.says(1, Push("temp", 9, 4))
    network.until(lambda: network.ports[3].written)
    assert network.delivered(3) == [Delivery(Push("temp", 9, 4), (7,))]
    network.stop(1)
    assert "!cnt,gateway_unsent,2\n" in network.said(1) and "still lost" not in network.said(1)


def test_who_is_lost_to_the_end_is_named_there(network):
    network.says(3, Registration(SUBSCRIBE, 7, "temp"))
    network.until(lambda: table(network, 4))
    network.stop(3)
    network.until(lambda: not table(network, 4))
    network.says(4, Push("temp", 9, 1))
    network.says(1, Push("temp", 8, 5))
    network.stop(1)
    assert re.search(
        r"gateway 1: gateway 3 is still lost after [0-9.]+ s; not sent to it meanwhile: temp of mote 8, 5\n",
        network.said(1),
    )
    assert "gateway_unsent" not in network.said(2)


def test_one_gateway_too_many_is_sent_away(network):
    stranger = socket.create_connection(network.server.listens)
    stranger.sendall(protocol.line(wire.hello(1, 0)))
    network.until(lambda: network.server.refused)
    assert "has 4 gateways" in network.server.refused[0]
    stranger.close()


@pytest.mark.parametrize(
    "line",
    [
        b"no JSON\n",
        b"[]\n",
        b'{"say":1}\n',
        protocol.line({"say": "join", "node": 99}),
        protocol.line({"say": "join"}),
        b"x" * (wire.LONGEST + 2),
    ],
)
def test_who_says_something_else_is_disconnected(network, line):
    before = len(network.places[1].links)
    stranger = socket.create_connection((HERE, network.nodes[1].listens))
    stranger.setblocking(False)
    network.until(lambda: len(network.places[1].links) == before + 1)
    stranger.sendall(line)
    network.until(lambda: len(network.places[1].links) == before)
    assert network.formed()
    stranger.close()


@pytest.mark.parametrize(
    "said",
    [
        {"say": "request", "event": "temp"},
        {"say": "request", "event": "much too long", "wanted": True},
        {"say": "push", "event": "temp", "supplier": 0, "number": 1, "data": ""},
        {"say": "push", "event": "temp", "supplier": 1, "number": 1, "data": "zz"},
        {"say": "push", "event": "temp", "supplier": 1, "number": 70000, "data": ""},
        {"say": "push", "event": "temp", "supplier": True, "number": 1, "data": "00" * 33},
        {"say": "listen", "event": "temp"},
    ],
)
def test_a_message_that_is_none_is_refused(said):
    with pytest.raises(wire.Malformed):
        wire.between_gateways(said)


def test_messages_there_and_back():
    request, push = Request("temp", False), Push("temp", 1, 2, b"\x03")
    for message in (request, push):
        written = wire.between(message)
        assert wire.between_gateways(wire.said(protocol.line(written))) == message
    relation = Relation(2, 1, "10.0.0.1:9", (3, 4))
    assert wire.relation_of(wire.said(protocol.line(wire.relation(relation)))) == relation


@pytest.mark.parametrize(
    "address", ["", "host", "host:port", "host:123456", 3, None, "h" * 300 + ":1", "h:1\n"]
)
def test_an_address_that_is_none_is_refused(address):
    said = {"say": "relation", "node": 2, "parent": 1, "address": address, "children": []}
    with pytest.raises(wire.Malformed):
        wire.relation_of(said)


def test_the_daemon_serves_it_on_a_mote_s_port(tmp_path, plugged, monkeypatch):
    monkeypatch.chdir(tmp_path)
    loop = Loop()
    disk = Disk(str(tmp_path), 0, 0)
    runs = Runs(loop, disk, str(tmp_path))
    doors, mote = Doors(loop, disk, runs), plugged("S")
    server = Server(loop, parse("1\n"), HERE, 0)
    runs.open("r", "S", str(mote.link), 115200)
    for wrong in ({"controller": HERE, "relay": "never"}, {"controller": 3}, {"controller": HERE, "port": 0}):
        with pytest.raises(Refusal):
            doors.serve("r", ("S",), "event-service", wrong)
    doors.serve("r", ("S",), "event-service", {"controller": HERE, "port": server.listens[1]})
    for what, who in ((ADVERTISE, 4), (SUBSCRIBE, 6)):
        mote.say(frames.line(Registration(what, who, "temp"), 1, sender=1) + b"\n")
    mote.say(frames.line(Push("temp", 1, 5, b"\x07"), 2, sender=1) + b"\n")
    os.set_blocking(mote.master, False)
    end, answer = monotonic() + HANG_S, b""
    while b"\n" not in answer or not server.controller.formed:
        assert monotonic() < end, doors.status("r")
        loop.turn(20_000)
        try:
            answer += os.read(mote.master, 200)
        except BlockingIOError:
            pass
    assert frames.read(answer.split(b"\n")[0]) == Delivery(Push("temp", 1, 5, b"\x07"), (6,))
    assert doors.alarms() == []
    doors.end()
    runs.end()
    server.close()
    loop.close()
