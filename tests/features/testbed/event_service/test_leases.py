# SPDX-License-Identifier: Apache-2.0
"""Beyond the thesis: calls that aren't renewed end, so that motes which move are with one gateway alone."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from orchestrate_testbed.gateway.event_service import driver, frames
from orchestrate_testbed.gateway.event_service.leases import RENEWALS, Leases, words
from orchestrate_testbed.gateway.event_service.messages import (
    ADVERTISE,
    DISCONNECT_CONSUMER,
    DISCONNECT_SUPPLIER,
    SUBSCRIBE,
    Registration,
)

from tests.features.testbed.event_service.gateways import Gateways
from tests.features.testbed.event_service.test_gateway_tables import EVENTS, trees
from tests.tier import examples

RENEWAL = 10
CALL = Registration(SUBSCRIBE, 3, "temp")


def test_a_call_ends_when_so_many_renewals_are_missing():
    leases = Leases(RENEWAL)
    leases.came(CALL, 5)
    assert leases.over(4 + RENEWALS * RENEWAL) == []
    leases.came(CALL, 20)
    assert leases.over(19 + RENEWALS * RENEWAL) == []
    assert leases.over(20 + RENEWALS * RENEWAL) == [Registration(DISCONNECT_CONSUMER, 3, "temp")]
    assert leases.over(1000) == []


def test_who_disconnects_is_not_waited_for():
    leases = Leases(RENEWAL)
    leases.came(Registration(ADVERTISE, 3, "temp"), 0)
    leases.came(CALL, 0)
    leases.came(Registration(DISCONNECT_SUPPLIER, 3, "temp"), 1)
    assert leases.over(1000) == [Registration(DISCONNECT_CONSUMER, 3, "temp")]


def test_what_an_earlier_life_kept_has_its_time_from_the_start():
    leases = Leases(RENEWAL, [CALL], 100)
    assert leases.over(99 + RENEWALS * RENEWAL) == []
    assert len(leases.over(100 + RENEWALS * RENEWAL)) == 1


def test_without_renewal_nothing_ends():
    leases = Leases(0, [CALL])
    leases.came(CALL, 0)
    assert leases.over(1 << 60) == []


def test_the_words_of_a_log():
    assert words(Registration(DISCONNECT_SUPPLIER, 3, "temp")) == (
        "mote 3 did not renew its advertise of temp, which ends here"
    )


class Boards(Gateways):
    """Motes that renew their calls with the base station that has them. `where`: mote -> gateway."""

    def __init__(self, tree, where: dict[int, int]):
        super().__init__(tree)
        self.where, self.now = where, 0
        self.calls: dict[int, set[Registration]] = {mote: set() for mote in where}
        self.leases = {node: Leases(RENEWAL) for node in tree.nodes}

    def registers(self, call: Registration) -> None:
        node = self.where[call.mote]
        self.leases[node].came(call, self.now)
        self.do(node, self.routers[node].registered(call))

    def passes(self, time: int) -> None:
        """Time passes, in which every mote renews its calls as often as it should."""
        for _ in range(time):
            self.now += 1
            for mote, calls in self.calls.items():
                if self.now % RENEWAL == mote % RENEWAL:
                    for call in sorted(calls, key=lambda one: (one.what, one.event)):
                        self.registers(call)
            for node, leases in self.leases.items():
                for ended in leases.over(self.now):
                    self.do(node, self.routers[node].registered(ended))

    def came(self) -> list[tuple[str, int, int, int]]:
        """What consumers got: a base station that a mote left is dead, or isn't the mote's parent."""
        return [
            (event, supplier, number, mote)
            for node, event, supplier, number, mote in self.delivered
            if self.where[mote] == node
        ]


@settings(max_examples=examples(80), deadline=None)
@given(trees(), st.data())
def test_no_call_is_lost_and_no_event_comes_twice_however_motes_are_adopted(tree, data):
    nodes = st.sampled_from(tree.nodes)
    boards = Boards(tree, {mote: data.draw(nodes) for mote in range(1, 5)})
    number = 0
    for _ in range(data.draw(st.integers(0, 30))):
        kind = data.draw(st.sampled_from(["call", "move", "time", "push", "message"]))
        mote, event = data.draw(st.integers(1, 4)), data.draw(st.sampled_from(EVENTS))
        if kind == "call":
            call = Registration(data.draw(st.sampled_from([ADVERTISE, SUBSCRIBE])), mote, event)
            boards.calls[mote].add(call)
            boards.registers(call)
        elif kind == "move":
            boards.where[mote] = data.draw(nodes)
        elif kind == "time":
            boards.passes(data.draw(st.integers(1, 3 * RENEWAL)))
        elif kind == "push":
            number += 1
            boards.push(boards.where[mote], mote, number, event)
        elif boards.busy:
            boards.step(data.draw(st.sampled_from(boards.busy)))
        assert len(boards.came()) == len(set(boards.came())), "an event came twice"
    boards.passes(2 * RENEWALS * RENEWAL)
    boards.settle()
    for node, router in boards.routers.items():
        here = {call for mote, calls in boards.calls.items() if boards.where[mote] == node for call in calls}
        assert set(router.kept()) == here
    assert boards.requests() == boards.needed()
    boards.delivered.clear()
    boards.push(boards.where[1], 1, number + 1, "temp")
    boards.settle()
    wanted = [mote for mote, calls in boards.calls.items() if Registration(SUBSCRIBE, mote, "temp") in calls]
    assert sorted(mote for *_, mote in boards.came()) == wanted
    assert len(boards.delivered) == len(wanted)  # and nothing goes to base stations that motes left


class Place:
    """What a daemon gives a service, with a clock that the test moves."""

    motes, unkept = ("S",), ""

    def __init__(self, **settings):
        self.settings = {"controller": "127.0.0.1", **settings}
        self.time, self.due, self.writes, self.said, self.value = 0, [], 0, [], None

    def now_us(self):
        return self.time

    def after(self, delay, call):
        self.due.append([self.time + delay, call])
        return self.due[-1]

    def cancel(self, entry):
        self.due.remove(entry)

    def listen(self, address, number):
        return address, 1

    def connect(self, *where):
        pass

    def say(self, text):
        self.said.append(text)

    def keep(self, value):
        self.value = value
        self.writes += 1

    def kept(self):
        return self.value

    def until(self, time: int) -> None:
        while any(at <= time for at, _ in self.due):
            entry = min(self.due, key=lambda one: one[0])
            self.due.remove(entry)
            self.time = entry[0]
            entry[1]()
        self.time = time


def test_a_daemon_forgets_what_is_not_renewed_and_writes_only_what_changed():
    place = Place(renewal=RENEWAL)
    service = driver.service(place)
    service.start()
    for time in range(0, 100, RENEWAL):
        place.until(time)
        service.line("S", frames.line(CALL, time))
    assert place.writes == 1
    assert len(service.router.subscribe) == 1
    place.until(100 + RENEWALS * RENEWAL)
    assert place.said == ["mote 3 did not renew its subscribe of temp, which ends here"]
    assert len(service.router.subscribe) == 0
    assert place.value == {"node": 0, "calls": []}
    service.stop()
    assert place.due == []


def test_a_daemon_that_could_not_write_tries_again():
    place = Place()
    service = driver.service(place)
    service.start()
    place.unkept = "the disk is full"
    for number in range(3):
        service.line("S", frames.line(CALL, number))
    assert place.writes == 3
    assert place.due == []
