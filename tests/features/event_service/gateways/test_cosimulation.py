# SPDX-License-Identifier: Apache-2.0
"""Motes and gateways together, on the embedded engine: the same bytes each time, and events arrive."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

import pytest

from orchestrator.applications import descriptor, place
from orchestrator.build import host
from orchestrator.engines.model import Job
from orchestrator.engines.protocol import engine, run_one
from orchestrator.errors import FaultyInput, Unsupported
from orchestrator.runs.model import Outcome
from orchestrator.scenario.load import loads
from orchestrator.scenario.model import EngineOptions
from tests import needs
from tests.features.event_service.gateways import recorded_logs

needs.a_compiler()
SCENARIO = """experiment: boards
topology: {{shape: boards, boards: {boards}}}
radio: {{range: 2.54 m, interference: 5.08 m}}
application: {{name: event-service, suppliers: P1, {application}}}
duration: {duration}
drain: 1 s
start-delay: 100 ms
seeds: 1
"""


def cell(application: str, boards: int = 2, duration: str = "3 s"):
    text = SCENARIO.format(application=application, boards=boards, duration=duration)
    return loads(text, "boards.yaml").cells[0]


@cache
def library():
    return host.firmware(descriptor.load("event-service"), {"MAC": "csma"}).path


def simulated(folder, made, seed: int = 1) -> str:
    """The log of a cell's run."""
    folder.mkdir(exist_ok=True)
    log = folder / "COOJA.testlog"
    deployment = place.place(made).deployment(seed)
    result = run_one(engine("embedded"), Job(deployment, seed, {"event_service": library()}, log))
    assert result.outcome is Outcome.OK, result.evidence
    return log.read_text()


def ran(folder, application: str, boards: int = 2, seed: int = 1, duration: str = "3 s") -> str:
    log = simulated(folder, cell(application, boards, duration), seed)
    recorded_logs.same(f"boards: {boards}, seed {seed}, {duration}, {application}", log.encode())
    return log


def got(log: str, mote: int) -> list[str]:
    """The events that reached a mote's application."""
    return re.findall(rf"\tID:{mote}\t!dlv,(\w+,\d+,[\d.]+)", log)


def counter(log: str, mote: int, name: str) -> int:
    return int(re.search(rf"\tID:{mote}\t!cnt,{name},(\d+)", log)[1])


# Boards of seven: S is mote 1, P1 to P4 are 4 to 7; S2 is 8, P5 to P8 are 11 to 14.
TWENTY = "pushes: 20, interval: 100 ms, warm-up: 4 s"


@pytest.fixture(scope="module")
def near_and_far(tmp_path_factory):
    return ran(tmp_path_factory.mktemp("one"), f"consumers: P3 P5, {TWENTY}")


def test_events_reach_consumers_on_both_boards(near_and_far):
    for mote, sender in ((6, 3), (11, 9)):
        assert got(near_and_far, mote) == [f"temp,{sender},1.{number}" for number in range(1, 21)]
    assert got(near_and_far, 12) == []


def test_the_gateways_counted(near_and_far):
    assert counter(near_and_far, 1, "gateway_uart_received") == 22  # an advertise, a subscribe, twenty pushes
    assert counter(near_and_far, 1, "gateway_tcp_sent") == 21  # a request for P3, and the pushes
    assert counter(near_and_far, 8, "gateway_tcp_received") == 21
    assert counter(near_and_far, 8, "gateway_uart_sent") == 20
    assert "ID:1\tgateway 1: 1 advertised, 1 subscribed, 1 requested by other gateways" in near_and_far
    assert "was not formed" not in near_and_far


def test_the_same_seed_gives_the_same_bytes_and_another_one_others(near_and_far, tmp_path):
    again = ran(tmp_path / "again", f"consumers: P3 P5, {TWENTY}")
    other = ran(tmp_path / "other", f"consumers: P3 P5, {TWENTY}", seed=2)
    assert again == near_and_far
    assert other != near_and_far


def test_at_once_needs_no_instructor(tmp_path):
    log = ran(tmp_path, f"consumers: P5, start: at-once, {TWENTY}")
    assert len(got(log, 11)) == 20
    assert counter(log, 15, "control_packets_sent") == 0


@pytest.mark.parametrize("ttl", [1, 2])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_no_event_outruns_its_advertisement_and_its_ttl(tmp_path, ttl, seed):
    """A chain of five gateways whose last board supplies. A supplier that pushes as soon as it has advertised
    must not push past what its advertisement says: the first event went to every gateway.
    """
    application = (
        f'consumers: P18 P13 P9 P5 P1, gateway-fan-out: 1, start: at-once, offers: "ttl {ttl}", pushes: 10, '
        "interval: 500 ms, warm-up: 4 s"
    )
    made = cell(application, boards=5, duration="7 s")
    made = replace(
        made,
        application=replace(made.application, parameters={**made.application.parameters, "suppliers": "P17"}),
    )
    log = simulated(tmp_path, made, seed)
    motes = {node.name: node.mote for node in place.place(made).layout.nodes}
    came = [len(got(log, motes[name])) for name in ("P18", "P13", "P9", "P5", "P1")]
    assert came[: ttl + 1] == [10] * (ttl + 1) and came[ttl + 1 :] == [0] * (4 - ttl)


def test_formed_as_written_the_tree_waits_for_itself_and_nothing_crosses(tmp_path):
    log = ran(tmp_path, f"consumers: P3 P5, formation: as-written, {TWENTY}")
    assert (len(got(log, 6)), got(log, 11)) == (20, [])
    assert "the tree of gateways was not formed: gateway 1 has not answered: it waits for 2 to connect" in log


def test_tables_on_the_base_station_save_the_trip(tmp_path):
    log = ran(tmp_path, f"consumers: P3, tables: base-station, {TWENTY}", boards=1)
    assert len(got(log, 6)) >= 18  # the instructor's repeats can meet the first ones
    assert counter(log, 1, "gateway_uart_received") == 0


def test_with_the_sender_included_events_come_again_and_again(tmp_path):
    application = "consumers: P3 P5, sender: included, pushes: 2, interval: 500 ms, warm-up: 4 s"
    log = ran(tmp_path, application, duration="2 s")
    assert len(got(log, 6)) > len(set(got(log, 6)))


def test_only_leaves_take_part_unless_any_mote_may(tmp_path):
    log = ran(tmp_path / "leaves", f"consumers: R1, {TWENTY}", boards=1)
    assert "ID:2\tevent-service: only leaves supply and consume" in log
    assert got(log, 2) == []
    log = ran(tmp_path / "any", f"consumers: R1 S, anybody: true, {TWENTY}", boards=1)
    assert len(got(log, 2)) > 15 and len(got(log, 1)) == 20


def test_a_full_queue_of_a_gateway_loses_and_counts(tmp_path):
    log = ran(
        tmp_path,
        "consumers: P3, pushes: 20, interval: 50 ms, warm-up: 4 s, gateway-queue: 1, processing: 1 s",
        1,
    )
    assert counter(log, 1, "gateway_queue_full") > 0
    assert len(got(log, 6)) < 20


@pytest.mark.parametrize(
    ("application", "boards", "what"),
    [
        (
            "consumers: P5, tables: base-station",
            2,
            "tables: base-station is for a single board, and there are 2",
        ),
        ("consumers: P2 P3 P4, warm-up: 2 s", 1, "the instructor's 5 commands take 2.25 s"),
        ("consumers: P3 P36", 9, "the instructor C is not heard by P36, beyond the range of 2.54 m"),
    ],
)
def test_settings_that_do_not_go_together(application, boards, what):
    with pytest.raises(FaultyInput) as caught:
        cell(application, boards)
    assert any(what in fault.what for fault in caught.value.faults)


def test_who_is_told_nothing_may_be_beyond_the_instructor_s_range():
    assert place.place(cell("consumers: P3 P36, start: at-once", 9)).partners.commands == ()


def test_no_record_of_radios_is_kept(tmp_path):
    deployment = place.place(cell(f"consumers: P3, {TWENTY}")).deployment(1)
    job = Job(deployment, 1, {"event_service": library()}, tmp_path / "log", radio=tmp_path)
    with pytest.raises(Unsupported, match="no record of radios"):
        run_one(engine("embedded"), job)


def test_a_real_cooja_refuses_gateways(tmp_path):
    deployment = place.place(cell(f"consumers: P3, {TWENTY}")).deployment(1)
    job = Job(deployment, 1, {"event_service": library()}, tmp_path / "log")
    with pytest.raises(Unsupported, match="this application has gateways"):
        run_one(engine("cooja", EngineOptions(path=str(tmp_path))), job)


CONDITION = "temperature > 50 and < 60 and humidity > 40 %"


def test_only_events_of_a_condition_come_and_the_others_stay_at_their_gateway(tmp_path):
    log = ran(
        tmp_path,
        f'consumers: P3 P5, type: climate, condition: "{CONDITION}", pushes: 30, interval: 200 ms, '
        "warm-up: 4 s",
        duration="7 s",
    )
    # As the application's measure() has it: the condition holds for these of the numbers 1 to 30.
    wanted = [k for k in range(1, 31) if 50 < 40 + k % 30 < 60 and 30 + 7 * k % 40 > 40]
    for mote, sender in ((6, 3), (11, 9)):
        assert got(log, mote) == [f"temp,{sender},1.{number}" for number in wanted]
    assert counter(log, 1, "gateway_tcp_sent") == len(wanted) + 1  # and a request for P3
    assert "!sub" not in log


def test_with_tables_on_the_base_station_it_evaluates_the_condition(tmp_path):
    log = ran(
        tmp_path,
        f'consumers: P3, type: climate, condition: "{CONDITION}", tables: base-station, pushes: 30, '
        "interval: 200 ms, warm-up: 4 s",
        boards=1,
        duration="7 s",
    )
    assert len(got(log, 6)) == sum(50 < 40 + k % 30 < 60 and 30 + 7 * k % 40 > 40 for k in range(1, 31))
    assert counter(log, 1, "gateway_uart_received") == 0


def test_an_offer_that_is_too_small_is_refused_with_its_reason(tmp_path):
    offers = 'offers: "period 200 ms, omission 2", asks: "period 100 ms, omission 2"'
    log = ran(tmp_path, f"consumers: P3 P5, {offers}, pushes: 3, interval: 200 ms, warm-up: 4 s")
    for gateway, mote in ((1, 6), (2, 11)):
        assert (
            f"gateway {gateway}: the subscription of mote {mote} to temp refuses what mote 4 publishes: "
            "period of at most 100 ms is asked, 200 ms offered\n"
        ) in log
        assert f"ID:{mote}\tevent-service: subscribed to temp, refuses mote 4: period\n" in log
        assert got(log, mote) == []


def test_a_time_to_live_of_no_gateway_stays_on_its_board(tmp_path):
    log = ran(tmp_path, f'consumers: P3 P5, offers: "ttl 0", {TWENTY}')
    assert (len(got(log, 6)), len(got(log, 11))) == (20, 0)
    assert counter(log, 1, "gateway_expired") == 20


@pytest.mark.parametrize(
    ("application", "what"),
    [
        ("condition: temperature > 3", "condition: a condition needs a type of events"),
        (
            'condition: "warmth > 3", type: climate',
            "condition: events of type climate have no field 'warmth'",
        ),
        ("offers: speed 3, asks: ttl 999", "offers: 'speed' is not a quality attribute"),
        ("offers: speed 3, asks: ttl 999", "asks: ttl is '999'"),
        (
            "offers: ttl 3, tables: base-station",
            "tables: base-station leaves the gateway out, which compares offers",
        ),
    ],
)
def test_terms_that_are_none(application, what):
    with pytest.raises(FaultyInput) as caught:
        cell(f"consumers: P3, {application}", 1)
    assert sum(what in fault.what for fault in caught.value.faults) == 1


def test_faults_of_terms_are_at_their_own_lines():
    text = SCENARIO.format(application="consumers: P3", boards=1, duration="3 s")
    begin, end = text[: text.index("application:")], text[text.index("application:") :]
    rest = end.split("}", 1)[1]
    written = (
        "application:\n  name: event-service\n  consumers: P3\n  asks: ttl 999\n  condition: warmth > 3\n"
    )
    text = f"{begin}{written}  type: climate\n{rest}"
    with pytest.raises(FaultyInput) as caught:
        loads(text, "boards.yaml")
    lines = text.splitlines()
    assert sorted(lines[fault.line - 1].strip() for fault in caught.value.faults) == [
        "asks: ttl 999",
        "condition: warmth > 3",
    ]


def test_a_fault_of_an_axis_is_at_the_line_of_its_value():
    text = SCENARIO.format(application="consumers: P3, type: climate", boards=1, duration="3 s")
    text += "matrix:\n  application.pushes: [1, 2]\n"
    text += "  application.condition:\n    - temperature > 3\n    - warmth > 3\n"
    with pytest.raises(FaultyInput) as caught:
        loads(text, "boards.yaml")
    (fault,) = caught.value.faults
    assert text.splitlines()[fault.line - 1].strip() == "- warmth > 3"


def test_events_larger_than_a_frame_come_whole(tmp_path):
    log = ran(
        tmp_path,
        "consumers: P3 P5, size: 120, pushes: 4, interval: 1200 ms, warm-up: 4 s",
        duration="6 s",
    )
    for mote in (6, 11):
        assert len(got(log, mote)) == 4 * 5  # 29 bytes a fragment
        assert [counter(log, mote, f"fragmented_{name}") for name in ("whole", "incomplete", "damaged")] == [
            4,
            0,
            0,
        ]


def test_an_event_that_finds_the_one_before_under_way_is_refused(tmp_path):
    log = ran(tmp_path, "consumers: P5, size: 120, pushes: 4, interval: 600 ms, warm-up: 4 s", duration="6 s")
    assert counter(log, 4, "fragmented_refused") == 2
    assert len(got(log, 11)) <= 2 * 5


def test_a_size_and_a_type_do_not_go_together():
    with pytest.raises(FaultyInput) as caught:
        cell("consumers: P3, size: 9, type: climate", 1)
    assert [fault.what for fault in caught.value.faults] == ["size: an event of a type has the type's size"]


def test_a_subject_of_the_publish_subscribe_middleware_crosses_gateways(tmp_path):
    with_base = SCENARIO.replace("suppliers: P1,", "suppliers: P1 P5,")
    text = with_base.format(
        boards=3,
        duration="7 s",
        application="consumers: S S3, bridged: true, start: at-once, pushes: 20, interval: 300 ms, "
        "warm-up: 4 s",
    )
    placed = place.place(loads(text, "bridged.yaml").cells[0])
    log = tmp_path / "COOJA.testlog"
    result = run_one(engine("embedded"), Job(placed.deployment(1), 1, {"event_service": library()}, log))
    assert result.outcome is Outcome.OK
    recorded_logs.same("bridged", log.read_bytes())
    said = log.read_text()
    numbers = range(1, 21)
    assert sorted(one.split(",")[2] for one in got(said, 15)) == sorted(
        f"{supplier}.{number}" for supplier in (1, 2) for number in numbers
    )
    assert sorted(one.split(",")[2] for one in got(said, 1)) == sorted(
        f"{supplier}.{number}" for supplier in (1, 2) for number in numbers
    )
    # Frames of the middleware's own type, 1, in both directions; nothing of the event service but the calls.
    assert len(re.findall(r"ID:8\t#11", said)) == 20
    assert counter(said, 15, "gateway_uart_sent") == 40 and counter(said, 1, "gateway_uart_sent") == 20


@pytest.mark.parametrize(
    ("application", "what"),
    [
        ("consumers: S", "bridged: there is no instructor"),
        (
            "consumers: P3, start: at-once",
            "consumers: P3 is not a base station, and events of the publish/subscribe middleware end there",
        ),
        (
            "consumers: S, start: at-once, size: 9, asks: ttl 1",
            "bridged: asks, size is the event service's",
        ),
        ("consumers: S, start: at-once, events: 2", "bridged: events is the event service's"),
    ],
)
def test_what_does_not_go_with_a_bridge(application, what):
    with pytest.raises(FaultyInput) as caught:
        cell(f"bridged: true, {application}", 1)
    assert [fault.what for fault in caught.value.faults] == [what]
