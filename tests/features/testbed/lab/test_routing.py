# SPDX-License-Identifier: Apache-2.0
"""The event service between daemons: the controller of this machine, and a run of the engine with it."""

from __future__ import annotations

import os
from collections.abc import Callable
from types import SimpleNamespace

import pytest
from orchestrate_testbed import model
from orchestrate_testbed.errors import RemoteFailed
from orchestrate_testbed.gateway.event_service import frames
from orchestrate_testbed.gateway.event_service.messages import SUBSCRIBE, Delivery, Push, Registration
from orchestrate_testbed.gateway.event_service.topology import parse
from orchestrate_testbed.ssh import Ran

from orchestrator.errors import RunFailed
from orchestrator.features.event_service.model import Gateways
from orchestrator.features.testbed import routing
from orchestrator.features.testbed.engine import event_service
from orchestrator.features.testbed.engine.casting import Cast
from orchestrator.features.testbed.engine.event_service import EventService
from orchestrator.features.testbed.engine.going_on import watched_at
from orchestrator.features.testbed.engine.watching import Watch
from orchestrator.features.testbed.routing import Routing, Station
from tests.features.testbed.conftest import pyz  # noqa: F401 (a fixture)
from tests.features.testbed.daemons import Gateway, Mote
from tests.waiting import HANG_S, wait_until

RUN = "r"


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """Gateways may take as long as a busy machine lets them."""
    monkeypatch.setattr(routing, "CALL_S", HANG_S)


class At:
    """A gateway of this machine as AtGateway would be one; `seen`: its SSH_CONNECTION."""

    plain = False

    def __init__(self, name: str, daemon, seen: str = "127.0.0.1 5 127.0.0.1 22"):
        self.gateway, self.daemon = SimpleNamespace(name=name), daemon
        self.host = SimpleNamespace(script=lambda text: Ran(0, seen.encode(), b""))


@pytest.fixture(scope="module")
def bed(tmp_path_factory, pyz):  # noqa: F811
    """Two gateways, each with a base station S1 or S2 that is a pseudo-terminal."""
    folder = tmp_path_factory.mktemp("b")
    gateways = [Gateway(folder / name, pyz) for name in ("G1", "G2")]
    motes = [Mote(folder / "dev" / name) for name in ("S1", "S2")]
    for gateway in gateways:
        gateway.start()
    yield SimpleNamespace(
        at=[At(name, gateway.ask()) for name, gateway in zip(("G1", "G2"), gateways, strict=True)],
        motes=motes,
        folder=folder,
    )
    for gateway in gateways:
        gateway.end()


@pytest.fixture
def opened(bed):
    for at, mote, name in zip(bed.at, bed.motes, ("S1", "S2"), strict=True):
        at.daemon.open(RUN, name, str(mote.link), 115200)
    yield bed
    for at in bed.at:
        at.daemon.remove(RUN)


def heard(mote: Mote, meanwhile: Callable[[], object]) -> bytes:
    """The first line that the gateway writes to a mote; `meanwhile` is done again and again."""
    os.set_blocking(mote.master, False)
    content = b""

    def came() -> bool:
        nonlocal content
        meanwhile()
        try:
            content += os.read(mote.master, 4096)
        except BlockingIOError:
            pass
        return b"\n" in content

    wait_until(came)
    return content.split(b"\n")[0]


def stations(bed) -> list[Station]:
    return [Station(name, at) for name, at in zip(("S1", "S2"), bed.at, strict=True)]


def test_gateways_connect_in_the_stations_order_and_an_event_crosses(opened, tmp_path, monkeypatch):
    spec = Gateways((1, 2), {2: 1}, 2, (), 0, None, {}, "!end", 0)
    deployment = SimpleNamespace(partners=spec, start_delay_us=0)
    parts = Cast(
        {n: model.Mote(f"S{n}", f"G{n}", "sky", f"dev/S{n}", f"{n:016x}") for n in (1, 2)},
    )
    watch = Watch(
        RUN,
        {f"G{n}": watched_at(opened.at[n - 1], {n: parts.parts[n]}, tmp_path) for n in (1, 2)},
    )
    monkeypatch.setattr(event_service, "AtGateway", lambda gateway, network: opened.at[1])
    with EventService(deployment, RUN, None) as service:
        service.begin(parts, watch)
        one, two = opened.motes
        one.say(frames.line(Registration(SUBSCRIBE, 4, "temp"), 1, sender=1) + b"\n")
        push = frames.line(Push("temp", 1, 7, b"\x05"), 1, sender=2) + b"\n"
        # Again, as nobody says when the subscription has reached the other gateway.
        answer = frames.read(heard(one, lambda: two.say(push)))
        assert answer == Delivery(Push("temp", 1, 7, b"\x05"), (4,))
        assert service.end() == []
    watch.look(True)
    for at in opened.at:
        at.daemon.close(RUN)
    watch.look(True)
    merged = tmp_path / "merged"
    watch.merge(0, merged)
    last = service.last_words(merged, 0)
    assert (1, "!cnt,gateway_uart_received,1") in last and (1, "!cnt,gateway_uart_malformed,0") in last
    # The second gateway may have lost the first one, whose routing ended before.
    assert [text for mote, text in last if text.startswith("gateway") and mote == 1] == [
        "gateway 1: 0 advertised, 1 subscribed, 0 requested by other gateways"
    ]
    assert service.last_words(merged, 1 << 62) == []
    assert [lines.name for lines in watch.said_by_services] == ["event-service on G1", "event-service on G2"]


def test_a_tree_that_waits_for_itself_is_said_and_no_error(opened):
    with Routing(RUN, parse("2\n1 2\n"), {"formation": "as-written"}, stations(opened)) as made:
        made.begin()
        assert "gateway 1 has not answered" in made.waiting() and made.failures() == []


def test_a_gateway_that_never_calls_is_named(opened, monkeypatch):
    monkeypatch.setattr(routing, "CALL_S", 0.2)
    silent = SimpleNamespace(serve=lambda *_: None)
    with Routing(RUN, parse("1\n"), {}, [Station("S1", At("G9", silent))]) as made:
        with pytest.raises(RunFailed, match="G9 did not call the controller at 127.0.0.1"):
            made.begin()


def test_a_gateway_that_does_not_say_where_we_are(opened):
    with Routing(RUN, parse("1\n"), {}, [Station("S1", At("G1", opened.at[0].daemon, ""))]) as made:
        with pytest.raises(RemoteFailed, match="SSH_CONNECTION is empty"):
            made.begin()


def test_two_base_stations_behind_one_gateway_are_refused(opened):
    at = opened.at[0]
    with pytest.raises(RunFailed, match="behind 1"):
        Routing(RUN, parse("2\n1 2\n"), {}, [Station("S1", at), Station("S2", at)])


def test_a_port_that_is_taken_is_an_error_or_another_one_is(opened):
    with Routing(RUN, parse("2\n1 2\n"), {}, stations(opened)) as first:
        with pytest.raises(RunFailed, match=f"port {first.port}"):
            Routing(RUN, parse("2\n1 2\n"), {}, stations(opened), port=first.port)
        with Routing(RUN, parse("2\n1 2\n"), {}, stations(opened)) as second:
            assert second.port != first.port


def test_without_gateways_nothing_happens(tmp_path):
    service = EventService(SimpleNamespace(partners=None, start_delay_us=0), RUN, None)
    with service:
        service.begin(Cast(), None)
        service.instruct(Cast(), 0)
    assert service.last_words(tmp_path / "none", 0) == [] and service.end() == []
