# SPDX-License-Identifier: Apache-2.0
"""Beyond the thesis, in virtual time: a base station fails and its motes are adopted by another one;
subjects have short identifiers that motes can lose.
"""

from __future__ import annotations

import re

import pytest

from orchestrator.errors import FaultyInput
from tests import needs
from tests.features.event_service.gateways.test_cosimulation import cell, counter, got, ran

needs.a_compiler()

# Boards whose motes hear the other board's base station. P1 (mote 4) supplies, P3 (6) and P5 (11) consume;
# S and S2 are motes 1 and 8.
NEAR = "2, board-spacing: 0.5 m"
SIXTY = "consumers: P3 P5, power: 40, pushes: 60, interval: 250 ms, warm-up: 5 s"
DIES = "killed: S, kill-at: 3 s"


def numbers(log: str, mote: int) -> list[int]:
    """The numbers of the events that a consumer got, each of which may come once."""
    found = [int(one.rsplit(".", 1)[1]) for one in got(log, mote)]
    assert len(found) == len(set(found)), "an event came twice"
    return found


@pytest.fixture(scope="module")
def adopted(tmp_path_factory):
    folder = tmp_path_factory.mktemp("adopted")
    return ran(folder, f"{SIXTY}, renewal: 2 s, {DIES}", NEAR, duration="16 s")


def test_motes_of_a_dead_base_station_are_adopted_with_all_that_they_registered(adopted):
    for mote in (2, 3):  # its children; the leaves stay with them
        assert f"ID:{mote}\tevent-service: mote 8 is the parent instead of 1\n" in adopted
        assert counter(adopted, mote, "parents_found") == 1
    assert [counter(adopted, mote, "parents_found") for mote in (4, 5, 6, 7, 9, 10)] == [0] * 6
    assert "ID:8\tgateway 2: 1 advertised, 2 subscribed, 0 requested" in adopted
    for mote in (6, 11):
        assert max(numbers(adopted, mote)) == 60
        assert len(numbers(adopted, mote)) >= 38  # none for a few seconds after the 12th


def test_its_gateway_forgets_them(adopted):
    assert "gateway 1: mote 6 did not renew its subscribe of temp, which ends here\n" in adopted
    assert "gateway 1: mote 4 did not renew its advertise of temp, which ends here\n" in adopted
    assert "ID:1\tgateway 1: 0 advertised, 0 subscribed, 1 requested" in adopted


def test_who_registered_renews_it_and_nobody_else_does(adopted):
    """Every 2 to 2.25 s, in 16 s and before; P3 and P5 subscribed, P1 advertised."""
    renewed = {mote: counter(adopted, mote, "registrations_renewed") for mote in range(2, 15) if mote != 8}
    assert {mote for mote, times in renewed.items() if times > 0} == {4, 6, 11}
    assert all(7 <= renewed[mote] <= 10 for mote in (4, 6, 11))


def test_without_renewal_they_stay_alone(tmp_path):
    log = ran(tmp_path, f"{SIXTY}, {DIES}", NEAR, duration="16 s")
    assert [max(numbers(log, mote)) for mote in (6, 11)] == [12, 12]
    assert "ID:1\tgateway 1: 1 advertised, 1 subscribed, 1 requested" in log


def test_out_of_range_of_another_base_station_nobody_is_adopted(tmp_path):
    log = ran(
        tmp_path, f"{SIXTY}, renewal: 2 s, {DIES}".replace("power: 40", "power: 10"), NEAR, duration="16 s"
    )
    assert "is the parent instead" not in log
    assert counter(log, 2, "parents_silent") == 1


@pytest.mark.parametrize("away", ["1 s", "6 s"])
def test_a_base_station_that_comes_back_takes_its_motes_or_leaves_them(tmp_path, away):
    log = ran(tmp_path, f"{SIXTY}, renewal: 2 s, {DIES}, revive-after: {away}", NEAR, duration="16 s")
    assert [max(numbers(log, mote)) for mote in (6, 11)] == [60, 60]
    held = re.findall(r"gateway \d: (\d) advertised, (\d) subscribed", log)
    assert held == ([("1", "1"), ("0", "1")] if away == "1 s" else [("0", "0"), ("1", "2")])


# A push of two bytes has 23, its identifier takes the place of eight of them; a registration has 18 and its
# acknowledgement two more.
def test_identifiers_save_six_bytes_of_each_event_on_the_air(tmp_path):
    application = "consumers: P3 P5, pushes: 20, interval: 200 ms, warm-up: 4 s"
    whole = ran(tmp_path / "whole", application, duration="5 s")
    short = ran(tmp_path / "short", f"{application}, identifiers: true", duration="5 s")
    for mote in (6, 11):
        assert numbers(short, mote) == numbers(whole, mote) == list(range(1, 21))
    assert counter(short, 4, "identifiers_sent") == 20
    assert counter(short, 4, "frame_bytes_sent") == 18 + 20 * (23 - 6)
    assert counter(short, 1, "frame_bytes_sent") == 2 * 20 + 20 * (26 - 6)  # to R1 and R2, and deliveries
    assert "identifiers_sent" not in whole
    on_air = {name: airtime(log) for name, log in (("whole", whole), ("short", short))}
    assert on_air["whole"] - on_air["short"] == 20 * 6 * 32  # us a byte at 250 kbit/s


def airtime(log: str) -> int:
    """How long the radio of P1 sent, us."""
    return int(re.search(r"\tID:4\t!nrg,transmit,(\d+)", log)[1])


def test_bindings_that_a_base_station_lost_are_said_and_the_whole_subject_goes_again(tmp_path):
    alone = "consumers: P5, power: 40, pushes: 60, interval: 250 ms, warm-up: 5 s, identifiers: true"
    log = ran(tmp_path, f"{alone}, {DIES}, revive-after: 1 s", NEAR, duration="16 s")
    assert counter(log, 1, "identifiers_unknown") == 1
    found = numbers(log, 11)
    lacking = sorted(set(range(1, 61)) - set(found))
    assert lacking == list(range(lacking[0], lacking[0] + len(lacking))), "only while it was away"
    assert len(lacking) <= 6 and found[-1] == 60
    assert counter(log, 2, "identifiers_sent") < 60 == counter(log, 4, "identifiers_sent")


def test_a_renewal_binds_again(tmp_path):
    log = ran(
        tmp_path,
        f"{SIXTY}, identifiers: true, renewal: 2 s, {DIES}, revive-after: 1 s",
        NEAR,
        duration="16 s",
    )
    assert [max(numbers(log, mote)) for mote in (6, 11)] == [60, 60]
    assert counter(log, 2, "identifiers_sent") > 30


def test_an_adopted_mote_has_no_identifiers_of_its_former_parent(tmp_path):
    log = ran(tmp_path, f"{SIXTY}, identifiers: true, renewal: 2 s, {DIES}", NEAR, duration="16 s")
    assert [max(numbers(log, mote)) for mote in (6, 11)] == [60, 60]
    assert counter(log, 8, "identifiers_unknown") == 0
    assert counter(log, 8, "identifiers_sent") > 30


@pytest.mark.parametrize(
    ("application", "what"),
    [
        ("killed: P1 S", "killed: P1 supplies, consumes or is the instructor"),
        ("killed: C", "killed: C supplies, consumes or is the instructor"),
        ("renewal: 1 s, tables: base-station", "tables: base-station is for a single board, and nobody can"),
        ("identifiers: true, bridged: true, start: at-once", "bridged: identifiers is the event service's"),
    ],
)
def test_settings_that_do_not_go_together(application, what):
    with pytest.raises(FaultyInput) as caught:
        cell(f"consumers: P3, {application}", 1)
    assert any(what in fault.what for fault in caught.value.faults)
