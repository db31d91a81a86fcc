# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from orchestrate_testbed.errors import RemoteFailed
from orchestrate_testbed.model import Gateway, Lab
from orchestrate_testbed.ssh import Network

from orchestrator.errors import RunFailed
from orchestrator.features.testbed import reservation
from orchestrator.features.testbed.reservation import Reservation, mine, read, release, reserve, take


@pytest.fixture
def lab(servers):
    made = [servers.make(name) for name in ("G1", "G2")]
    gateways = tuple(Gateway(one.name, one.endpoint(servers.key)) for one in made)
    with Network(servers.known_hosts) as network:
        yield Lab("l", gateways, ()), network, made


@pytest.fixture
def as_user(monkeypatch):
    return lambda name: monkeypatch.setattr(reservation, "me", lambda: name)


def test_one_has_it_and_others_are_told_who_and_how_long(lab, as_user):
    lab, network, _ = lab
    as_user("ann@here")
    held = reserve(lab, network, 7_000, "a thesis")
    assert sorted(held) == ["G1", "G2"] and mine(lab, network) == held
    as_user("bob@there")
    with pytest.raises(RunFailed, match=r"G1 is reserved by ann@here for a thesis for another 1?\d\d min"):
        reserve(lab, network, 60)
    assert mine(lab, network) == {}
    as_user("ann@here")
    longer = reserve(lab, network, 50_000)
    assert all(longer[name].until_s > held[name].until_s for name in held), "one's own is extended"
    assert reserve(lab, network, 60, "a run") == longer == mine(lab, network), "and not shortened"
    release(lab, network, longer)
    as_user("bob@there")
    assert len(reserve(lab, network, 60)) == 2


def test_if_one_gateway_is_taken_the_others_are_given_back(lab, as_user):
    lab, network, _ = lab
    as_user("ann@here")
    take(network.host(lab.gateways[1].ssh), lab.gateways[1], 600)
    as_user("bob@there")
    with pytest.raises(RunFailed, match="G2 is reserved by ann"):
        reserve(lab, network, 60)
    assert mine(lab, network) == {}


def test_what_is_over_is_nobodys(lab, as_user):
    lab, network, servers = lab
    as_user("ann@here")
    reserve(lab, network, -10)
    as_user("bob@there")
    assert len(reserve(lab, network, 60)) == 2


@pytest.mark.parametrize(
    "record", ["", "not a record", "[" * 1900, '{"owner": "ann", "until": %s}' % ("9" * 1800)]
)
def test_a_record_that_can_not_be_read_counts_as_taken(lab, record):
    lab, network, servers = lab
    take(network.host(lab.gateways[0].ssh), lab.gateways[0], -10)
    (servers[0].home / lab.gateways[0].root / "state" / "reservation").write_text(f"{record}\n")
    with pytest.raises(RunFailed, match="counts as taken\n.*remove .*state/reservation"):
        reserve(lab, network, 60)
    assert mine(lab, network) == {}, "and the other gateway is given back"


def test_a_name_or_a_purpose_with_any_character_reserves_as_every_other(lab, as_user):
    lab, network, _ = lab
    as_user("LAB\\ann@here")
    held = reserve(lab, network, 7_000, "a\\x \t\u00a0\U0001f600" * 100)
    assert mine(lab, network) == held
    as_user("bob@there")
    with pytest.raises(RunFailed, match=r"G1 is reserved by LAB\\ann@here"):
        reserve(lab, network, 60)
    as_user("LAB\\ann@here")
    release(lab, network, held)
    as_user("bob@there")
    assert len(reserve(lab, network, 60)) == 2


def test_a_silent_gateway_keeps_nobody_from_the_others(lab, as_user):
    lab, network, servers = lab
    servers[0].close()
    as_user("ann@here")
    assert sorted(reserve(lab, network, 60)) == ["G2"]
    servers[1].close()
    network.close()
    with pytest.raises(RunFailed, match="does not answer|connection was lost"):
        reserve(lab, network, 60)


def test_of_two_who_come_at_once_one_gets_it(lab, as_user):
    lab, network, servers = lab
    gateway, host = lab.gateways[0], network.host(lab.gateways[0].ssh)
    as_user("ann@here")
    original = host.script

    def late(text, *operands, **options):
        if "ln " in text:  # after ann looked, and before she takes it
            as_user("bob@there")
            monkey.undo()
            take(host, gateway, 60)
        return original(text, *operands, **options)

    monkey = pytest.MonkeyPatch()
    monkey.setattr(host, "script", late)
    with pytest.raises(RemoteFailed, match="just reserved by someone else"):
        take(host, gateway, 60)


def test_a_record_is_read_with_care():
    assert read(None) is None
    assert not read({}).readable and not read({"owner": "a", "until": True}).readable
    assert read({"owner": "a", "until": 5, "purpose": "p"}) == Reservation("a", 5, "p")
