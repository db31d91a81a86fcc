# SPDX-License-Identifier: Apache-2.0
"""Motes and gateways together, on the embedded engine: the same bytes each time, and events arrive."""

from __future__ import annotations

import re
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


def ran(folder, application: str, boards: int = 2, seed: int = 1, duration: str = "3 s") -> str:
    placed = place.place(cell(application, boards, duration))
    folder.mkdir(exist_ok=True)
    log = folder / "COOJA.testlog"
    deployment = placed.deployment(seed)
    result = run_one(engine("embedded"), Job(deployment, seed, {"event_service": library()}, log))
    assert result.outcome is Outcome.OK, result.evidence
    return log.read_text()


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


def test_the_same_seed_gives_the_same_bytes_and_another_one_others(near_and_far, tmp_path):
    again = ran(tmp_path / "again", f"consumers: P3 P5, {TWENTY}")
    other = ran(tmp_path / "other", f"consumers: P3 P5, {TWENTY}", seed=2)
    assert again == near_and_far
    assert other != near_and_far


def test_at_once_needs_no_instructor(tmp_path):
    log = ran(tmp_path, f"consumers: P5, start: at-once, {TWENTY}")
    assert len(got(log, 11)) == 20
    assert counter(log, 15, "control_packets_sent") == 0


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
    ],
)
def test_settings_that_do_not_go_together(application, boards, what):
    with pytest.raises(FaultyInput) as caught:
        cell(application, boards)
    assert any(what in fault.what for fault in caught.value.faults)


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
