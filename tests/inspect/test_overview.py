# SPDX-License-Identifier: Apache-2.0
"""What `orchestrate show` says of a log written by hand, as values."""

from __future__ import annotations

from functools import partial

import pytest

from orchestrator.errors import NoSuchThing
from orchestrator.inspect.find import Found
from orchestrator.inspect.overview import last_lines, one_mote, overview
from tests.inspect.log_of_a_run import COUNTERS, LINES, log, stored


@pytest.fixture
def found(tmp_path):
    return partial(stored, tmp_path / "store")


def a_mote(number, name, role, **known):
    nothing = dict.fromkeys(
        (
            "parent index sent received overheard published transmitted events_received on_air merged "
            "pending undone measured_us energy_mj text also died_us"
        ).split()
    )
    return {
        "mote": number,
        "name": name,
        "role": role,
        **nothing,
        "dropped": {},
        "forwarded": {},
        "states_us": {},
    } | known


def test_the_motes(found):
    assert overview(found())["motes"] == [
        a_mote(1, "S", "subscriber", sent=1, received=8, events_received=7),
        a_mote(
            2,
            "P1",
            "publisher",
            parent="S",
            index=1,
            sent=1500,
            received=4,
            overheard=5,
            published=6,
            transmitted=9,
            events_received=2,
            on_air=11,
            merged=3,
            pending=1,
            undone=2,
            dropped={"queue": 2, "channel-access": 3, "collision": 4, "no-route": 6, "malformed": 7},
            forwarded={"timeout": 1, "full": 2, "contained": 3, "frame": 4},
            states_us={"cpu": 7_000_000, "listen": 1_500_000, "off": 0, "transmit": 500_000},
            measured_us=2_000_000,
            energy_mj=pytest.approx(3.0 * (12.5 * 1.5 + 14.5 * 0.5)),
            also="relay",
        ),
        a_mote(
            3,
            "P2",
            "publisher",
            parent="P1",
            text={"lines": 3, "first_us": 5, "first": "hello", "last_us": 7, "last": "ready"},
        ),
    ]


def test_what_the_run_delivered(found):
    shown = overview(found())
    assert shown["delivery"] == [
        {"subscriber": "S", "publisher": "P1", "published": 6, "delivered": 4, "duplicates": 2, "lost": 2},
        {
            "subscriber": "S",
            "publisher": "publisher 9",
            "published": None,
            "delivered": 1,
            "duplicates": 0,
            "lost": None,
        },
    ]
    assert shown["aggregate_sizes"] == {"1": 3000, "3": 30, "4": 0}
    assert shown["delay_ms"] == {
        "events": 20,
        "mean": 4.5,
        "quantiles": {"p05": 10, "p50": 10, "p95": 20, "p99": 40},
        "buckets": {"10": 18, "20": 1, "40": 1},
    }
    assert shown["links"] == {
        "transmitted": 9,
        "on_air": 11,
        "events_received": 9,
        "pending": 1,
        "queue": 2,
        "channel-access": 3,
        "collision": 4,
        "pool": 0,
        "no-route": 6,
        "malformed": 7,
        "lost_on_air": 2,
    }
    assert shown["damage"] == [
        {
            "reason": "own",
            "kept": True,
            "count": 1,
            "first_line": len(LINES) + 1,
            "samples": ["2500000 ID:2 !what"],
        }
    ]
    assert shown["threads"] == [] and shown["notifications"] == []


def test_what_was_lost_on_the_air_is_unknown_where_events_are_diffused(found):
    shown = overview(found((*LINES, (2_500_000, 1, "!cnt,interests_received,0"))))
    assert shown["links"]["lost_on_air"] is None


def test_a_log_without_counts_knows_no_sums(found):
    shown = overview(found(LINES[:3]))
    assert shown["links"]["transmitted"] is None and shown["links"]["lost_on_air"] is None
    assert shown["delay_ms"] == {"events": 0, "mean": None, "quantiles": {}, "buckets": {}}
    assert shown["run"]["trace"] is False


def test_delays_without_their_sum_have_no_mean(found):
    assert (
        overview(found([line for line in LINES if "delay_total_ms" not in line[2]]))["delay_ms"]["mean"]
        is None
    )


def test_the_header(found):
    run = found()
    header = overview(run)["run"]
    assert {
        name: header[name] for name in header if name not in ("folder", "run_id", "firmware", "finished")
    } == {
        "experiment": "trial",
        "cell": "H5",
        "seed": 1,
        "outcome": "ok",
        "verdict": "OK",
        "evidence": [],
        "engine": {"name": "embedded", "version": "v1", "rules": "5.0"},
        "application": "aggregation",
        "experiment_us": 70_000_000,
        "sim_us": 3_000_000,
        "wall_s": 0.5,
        "speed": 140.0,
        "phases_of": ["P1"],
        "phases": {"start": 11, "end": 2_000_000},
        "lines": len(LINES) + 3,
        "trace": False,
        "settings": {"topology.publishers": 5},
        "statistics": {"sim_us": 3_000_000, "wall_s": 0.5, "events": 4711, "peak_memory": 30_000_000},
    }
    assert header["folder"] == str(run.where) and header["run_id"] == run.manifest.run_id
    assert header["firmware"] == {"aggregation": "f" * 64} and header["finished"] == run.manifest.finished


def test_a_log_alone_and_one_that_tells_deaths(tmp_path):
    path = tmp_path / "COOJA.testlog"
    path.write_bytes(log(((5, 7, "!cnt,packets_sent,1"), (6, 9, "!die,planned"), (7, 9, "x"))))
    shown = overview(Found(path, None))
    assert (shown["run"]["sim_us"], shown["run"]["speed"], shown["run"]["engine"]) == (3_000_000, None, None)
    assert (shown["run"]["experiment_us"], shown["run"]["trace"]) == (None, True)
    assert [(mote["name"], mote["role"], mote["died_us"]) for mote in shown["motes"]] == [
        ("mote 7", None, None),
        ("mote 9", None, 6),
    ]


def test_one_mote_by_name_and_number(found):
    run = found()
    shown = one_mote(run, "P1")
    assert shown == one_mote(run, "2")
    assert shown["mote"] == overview(run)["motes"][1] and shown["run"] == overview(run)["run"]
    assert shown["counters"] == COUNTERS[2] and list(shown["counters"]) == sorted(COUNTERS[2])
    assert shown["last_lines"][-1] == "2500000\tID:2\t!what" and len(shown["last_lines"]) == 12
    assert shown["trace_records"] == {} and shown["threads"] == [] and shown["notifications"] == []
    with pytest.raises(NoSuchThing, match="no mote 'P3' in this run; there are: S, P1, P2$"):
        one_mote(run, "P3")


def test_one_mote_s_trace_records(found):
    lines = (
        (1, 2, "!pub,a,1,1,5"),
        (2, 2, "!pub,a,1,2,5"),
        (2, 2, "!sch,idle,start"),
        (3, 3, "!pub,a,2,2,5"),
    )
    assert one_mote(found(lines), "P1")["trace_records"] == {"pub": 2, "sch": 1}


def test_last_lines_are_what_a_terminal_can_show(tmp_path):
    path = tmp_path / "some.log"
    path.write_bytes(
        b"1\tID:1\ta\x1b[2J\tb\xff\r\n2\tID:12\tother\n3\tID:1\tc\n"
        + b"4\tID:2\t"
        + b"x" * 90
        + b"\tID:1\t\n"
    )
    assert last_lines(Found(path, None), 1) == ["1\tID:1\ta\ufffd[2J\tb\ufffd", "3\tID:1\tc"]
    assert last_lines(Found(path, None), 1, 1) == ["3\tID:1\tc"]
