# SPDX-License-Identifier: Apache-2.0
"""What the daemon offers to a service, in this process: its loop is turned by hand."""

from __future__ import annotations

import os
import sys
import types

import pytest
from orchestrate_testbed.client import Refused
from orchestrate_testbed.gateway import service
from orchestrate_testbed.gateway.disk import Disk
from orchestrate_testbed.gateway.doors import Doors
from orchestrate_testbed.gateway.loop import Loop
from orchestrate_testbed.gateway.protocol import Refusal
from orchestrate_testbed.gateway.runs import Runs


class Told(service.Service):
    """Keeps what it is told, and does what a test asks."""

    def __init__(self, place):
        self.place = place
        self.told = []

    def start(self):
        self.told.append("start")

    def line(self, mote, line):
        self.told.append((mote, line))
        if line == b"fail":
            raise RuntimeError("as asked")

    def linked(self, link):
        self.told.append(("linked", link.name))

    def received(self, link, content):
        self.told.append(("received", link.name, content))

    def unlinked(self, link, why):
        self.told.append(("unlinked", link.name, why))

    def stop(self):
        self.told.append("stop")


class Gateway:
    """The daemon's parts without its process."""

    def __init__(self, folder):
        self.loop = Loop()
        disk = Disk(str(folder), 0, 0)
        self.runs = Runs(self.loop, disk, str(folder))
        self.doors = Doors(self.loop, disk, self.runs)

    def turn_until(self, true):
        for _ in range(100_000):
            if true():
                return
            self.loop.turn(1000)
        raise AssertionError("it never came")


@pytest.fixture
def gateway(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = []
    module = types.ModuleType("told_service")
    module.service = lambda place: made.append(Told(place)) or made[-1]
    monkeypatch.setitem(sys.modules, "told_service", module)
    monkeypatch.setitem(service.SERVICES, "told", "told_service")
    monkeypatch.setitem(service.SERVICES, "absent", "no_such_module")
    found = Gateway(tmp_path)
    found.made = made
    yield found
    found.doors.end()
    found.runs.end()
    found.loop.close()


def test_it_hears_its_base_stations_and_speaks_to_them(gateway, plugged):
    motes = {name: plugged(name) for name in ("B1", "B2", "M3")}
    for name, mote in motes.items():
        gateway.runs.open("r", name, str(mote.link), 115200)
    gateway.doors.serve("r", ("B1", "B2"), "told", {"depth": 3})
    gateway.doors.serve("r", ("B1", "B2"), "told", {"depth": 3})
    (told,) = gateway.made
    assert told.place.settings == {"depth": 3} and told.place.motes == ("B1", "B2")
    motes["M3"].say(b"not for it\n")
    motes["B1"].say(b"#01")
    gateway.turn_until(lambda: gateway.runs.port("r", "B1").log.bytes == 3)
    motes["B1"].say(b"02\n#03\n")
    gateway.turn_until(lambda: len(told.told) == 3)
    assert told.told == ["start", ("B1", b"#0102"), ("B1", b"#03")]
    assert told.place.write("B2", b"#04\n")
    assert os.read(motes["B2"].master, 10) == b"#04\n"
    with pytest.raises(Refusal, match="other settings"):
        gateway.doors.serve("r", ("B1",), "told", {})
    gateway.doors.close("r", "B2")
    assert told.told[-1] == "stop"
    assert gateway.doors.status("r")["services"] == {}
    motes["B1"].say(b"#05\n")
    gateway.turn_until(lambda: gateway.runs.port("r", "B1").log.bytes == 14)
    assert told.told[-1] == "stop"


def test_two_services_are_linked_over_tcp(gateway, plugged):
    for name in ("B1", "B2"):
        gateway.runs.open("r", name, str(plugged(name).link), 115200)
    gateway.doors.serve("r", ("B1",), "told", {})
    gateway.runs.open("s", "B3", str(plugged("B3").link), 115200)
    gateway.doors.serve("s", ("B3",), "told", {})
    parent, child = gateway.made
    number = parent.place.listen("127.0.0.1", 0)
    link = child.place.connect("parent", "127.0.0.1", number)
    link.send(b"early")
    gateway.turn_until(lambda: ("received", "", b"early") in parent.told)
    assert child.told == ["start", ("linked", "parent")]
    (back,) = parent.place.links
    back.send(b"answer")
    gateway.turn_until(lambda: ("received", "parent", b"answer") in child.told)
    gateway.doors.close("s")
    gateway.turn_until(lambda: ("unlinked", "", "the other side closed it") in parent.told)
    assert parent.place.links == []
    assert child.told[-1] == "stop"


def test_a_call_that_nobody_answers_is_told_later(gateway, plugged):
    gateway.runs.open("r", "B1", str(plugged("B1").link), 115200)
    gateway.doors.serve("r", ("B1",), "told", {})
    (told,) = gateway.made
    number = told.place.listen("127.0.0.1", 0)
    gateway.doors.close("r")
    gateway.doors.serve("r", ("B1",), "told", {})
    told = gateway.made[-1]
    told.place.connect("gone", "127.0.0.1", number)
    assert told.told == ["start"]
    gateway.turn_until(lambda: told.told[-1] == ("unlinked", "gone", "Connection refused"))
    told.place.connect("odd", "256.1.1.1", 1)
    gateway.turn_until(lambda: told.told[-1][:2] == ("unlinked", "odd"))


def test_a_service_that_fails_ends_alone_and_is_said(gateway, plugged, tmp_path):
    mote = plugged("B1")
    gateway.runs.open("r", "B1", str(mote.link), 115200)
    gateway.doors.serve("r", ("B1",), "told", {})
    (told,) = gateway.made
    mote.say(b"fail\nmore\n")
    gateway.turn_until(lambda: gateway.doors.alarms())
    assert gateway.doors.alarms() == ["the service 'told' of run r ended: RuntimeError: as asked"]
    gateway.turn_until(lambda: gateway.runs.port("r", "B1").log.lines == 2)
    assert told.told == ["start", ("B1", b"fail")]
    assert b'"why":"RuntimeError: as asked"' in (tmp_path / "runs" / "r" / "told.1.log").read_bytes()


def test_times_its_own_log_and_what_it_keeps(gateway, plugged, tmp_path):
    gateway.runs.open("r", "B1", str(plugged("B1").link), 115200)
    gateway.doors.serve("r", ("B1",), "told", {})
    (told,) = gateway.made
    place, calls = told.place, []
    place.cancel(place.after(0, lambda: calls.append("never")))
    place.after(2000, lambda: calls.append("second"))
    place.after(1000, lambda: calls.append("first"))
    gateway.turn_until(lambda: len(calls) == 2)
    assert calls == ["first", "second"]
    place.say("table \x1b[2J\n1")
    assert b"table ?[2J?1\n" in (tmp_path / "runs" / "r" / "told.1.log").read_bytes()
    assert place.kept() is None
    place.keep({"tables": [1, 2]})
    # The daemon is killed: another one opens all again.
    again = Gateway(tmp_path)
    for port in gateway.runs.ports.values():
        port.lend()
    again.runs.restore()
    again.doors.restore()
    assert gateway.made[-1] is not told
    assert gateway.made[-1].place.kept() == {"tables": [1, 2]}
    again.doors.end()
    again.runs.end()


def test_a_service_that_is_not_there_is_refused_and_leaves_nothing(gateway, plugged, tmp_path):
    gateway.runs.open("r", "B1", str(plugged("B1").link), 115200)
    for name, text in (("nothing", "services are"), ("absent", "lacks the service")):
        with pytest.raises(Refusal, match=text):
            gateway.doors.serve("r", ("B1",), name, {})
    with pytest.raises(Refusal, match="not being logged"):
        gateway.doors.serve("r", ("B9",), "told", {})
    assert [path.name for path in (tmp_path / "runs" / "r").iterdir()] == ["B1.1.log"]


def test_the_daemon_refuses_a_wrong_request(lasting):
    daemon = lasting.ask()
    for asked in ({"motes": "B1"}, {"motes": []}, {"motes": ["../x"]}, {"motes": ["B1"], "settings": 3}):
        with pytest.raises(Refused) as caught:
            daemon.ask("serve", **{"run": "r", "service": "event-service", **asked})
        assert caught.value.kind == "malformed"
    lasting.hang_up()
