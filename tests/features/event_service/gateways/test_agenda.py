# SPDX-License-Identifier: Apache-2.0
"""The order of what is still to happen, and the whole co-simulation beside motes that say what is planned."""

from __future__ import annotations

from dataclasses import replace

from orchestrate_testbed.gateway.event_service import frames
from orchestrate_testbed.gateway.event_service.messages import (
    SUBSCRIBE,
    Delivery,
    Push,
    Registration,
)
from orchestrate_testbed.gateway.event_service.readings import Readings

from orchestrator.features.event_service.cosimulation import CoSimulation
from orchestrator.features.event_service.gateway import Gateway
from orchestrator.features.event_service.model import Delays, Gateways
from orchestrator.partners.agenda import Agenda
from tests.features.distribution.test_networks import Motes

DELAYS = Delays(115_200, 0, 10, 100, 2, 500, False, 0)


def test_acts_happen_by_time_and_those_of_a_time_in_their_order():
    now, done = [10], []
    agenda = Agenda(lambda: now[0])
    assert agenda.next(99) == 99
    agenda.at(30, lambda: done.append("late"))
    agenda.at(20, lambda: done.append("a"))
    agenda.at(20, lambda: done.append("b"))
    agenda.at(3, lambda: done.append("past"))  # at once
    assert agenda.next(99) == 10 and agenda.next(5) == 5
    agenda.do_due()
    assert done == ["past"] and agenda.next(99) == 20
    now[0] = 19
    agenda.do_due()
    assert done == ["past"]
    now[0] = 20
    agenda.at(20, lambda: agenda.at(20, lambda: done.append("d")))
    agenda.at(20, lambda: done.append("c"))
    agenda.do_due()
    assert done == ["past", "a", "b", "c", "d"] and agenda.next(25) == 25


SPEC = Gateways((1, 4), {2: 1}, 1, ((700, "push\n"), (900, "end\n")), 0, DELAYS, {}, "it is over", 100_000)


def ran(spec, *plan):
    motes = Motes(list(plan))
    made = CoSimulation(motes, spec, 1)
    return motes, made, made.run()


def held(gateway, text):
    counters = ["uart_received", "uart_sent", "uart_malformed", "tcp_received", "tcp_sent", "queue_full"]
    return [f"!cnt,gateway_{name},{gateway.counters[f'gateway_{name}']}" for name in counters] + [text]


def test_the_instructor_s_commands_are_written_at_their_times_and_its_word_is_the_end():
    motes, made, ended = ran(SPEC, (1500, 4, b"it is over"), (2000, 1, b"well, it is over now"))
    assert ended is True and motes.now_us == 2000 and motes.listened == {1, 4}
    assert motes.got == [(700, 1, b"push\n"), (900, 1, b"end\n")]
    nothing = "0 advertised, 0 subscribed, 0 requested by other gateways"
    waits = made.controller.waiting()
    assert motes.notes == [
        *((1, line) for line in held(made.gateways[1], f"gateway 1: {nothing}")),
        *((4, line) for line in held(made.gateways[2], f"gateway 2: {nothing}")),
        (1, f"the tree of gateways was not formed: {waits}"),
    ]
    assert waits


def test_without_the_instructor_s_word_it_ends_at_its_time():
    motes, made, ended = ran(SPEC)
    assert ended is False and motes.now_us == 100_000 and made.controller.waiting() == ""
    assert not any("not formed" in text for _, text in motes.notes) and len(motes.notes) == 14


def test_when_the_tree_is_formed():
    """Gateways connect one delay after the other; each message takes one, a connection two."""
    motes = Motes([])
    made = CoSimulation(motes, SPEC, 1)
    seen = []
    for node, gateway in made.gateways.items():
        gateway.connected = lambda other, _, node=node: seen.append((motes.now_us, node, other))
        gateway.member.told = _noting(seen, motes, f"told {node}", gateway.member.told)
    made.controller.established = _noting(seen, motes, "established", made.controller.established)
    made.run()
    first, *_ = [one for one in seen if one[1] == "told 1"]
    assert first[0] == 1500
    joined = [one for one in seen if one[1] in (1, 2)]
    (told,) = [one[0] for one in seen if one[1] == "told 2"]
    assert joined == [(told + 1000, 2, 1), (told + 1000, 1, 2)]
    assert {one[0] for one in seen if one[1] == "established" and one[2] == (2,)} == {told + 1500}
    assert set(made.gateways[1].sockets) == {2} and set(made.gateways[2].sockets) == {1}


def _noting(seen, motes, what, call):
    def noted(*given):
        seen.append((motes.now_us, what, given))
        return call(*given)

    return noted


def test_an_event_goes_from_one_base_station_to_the_other():
    wants, push = frames.line(Registration(SUBSCRIBE, 5, "temp"), 1, 4), Push("temp", 2, 1, b"\x07")
    motes, made, _ = ran(SPEC, (20_000, 4, wants), (40_000, 1, frames.line(push, 2, 1)), (50_000, 9, b"#00"))
    ((time, mote, line),) = [one for one in motes.got if one[2].startswith(b"#")]
    assert mote == 4 and frames.read(line) == Delivery(push, (5,)) and time > 40_000
    assert made.gateways[1].counters == dict(
        gateway_uart_received=1,
        gateway_uart_sent=0,
        gateway_uart_malformed=0,
        gateway_tcp_received=1,
        gateway_tcp_sent=1,
        gateway_queue_full=0,
    )
    assert made.gateways[2].counters["gateway_uart_sent"] == 1
    assert (4, "gateway 2: 0 advertised, 1 subscribed, 0 requested by other gateways") in motes.notes
    assert (1, "gateway 1: 0 advertised, 0 subscribed, 1 requested by other gateways") in motes.notes


class World:
    def __init__(self, delays=DELAYS, renewal_us=0):
        self.now, self.wrote, self.said = 0, [], []
        agenda = Agenda(lambda: self.now)
        self.gateway = Gateway(
            1,
            Readings(),
            delays,
            3,
            agenda.at,
            agenda.now,
            lambda line: self.wrote.append((self.now, line)),
            lambda text: self.said.append((self.now, text)),
            renewal_us,
        )
        self.agenda = agenda

    def until(self, time):
        while self.now < time:
            self.now = self.agenda.next(time)
            self.agenda.do_due()


def test_a_line_waits_for_the_serial_line_the_usb_chip_and_the_forwarder():
    world = World(replace(DELAYS, usb_latency_us=16_000))
    line = frames.line(Registration(SUBSCRIBE, 5, "temp"), 1, 5)
    world.gateway.printed(line)
    world.until(16_003 + 9)
    assert world.gateway.counters["gateway_uart_received"] == 0
    world.until(16_003 + 10)
    assert world.gateway.counters["gateway_uart_received"] == 1 and world.gateway.router.kept() == []
    world.until(16_003 + 110)
    assert len(world.gateway.router.kept()) == 1
