# SPDX-License-Identifier: Apache-2.0
"""Logs of IoT-LAB, serialdump and Cooja's window become logs of Cooja's form; nothing is lost."""

from __future__ import annotations

from pathlib import Path

import pytest
from orchestrate_spark.load import load

from orchestrator.errors import FaultyInput
from orchestrator.features.patterns import lines
from orchestrator.features.patterns.lines import FORMS, Form


def read(tmp_path: Path, data: bytes, form: Form | None = None) -> list[tuple[int, int, str]]:
    """Return (time in us, mote, text) of a log, whose form is found out unless it is given."""
    log = tmp_path / "given"
    log.write_bytes(data)
    form = form or lines.form_of(log)
    assert form is not None
    (tmp_path / "made").write_bytes(b"".join(lines.converted([(log, form)])))
    rows = load(tmp_path / "made", "arrow", ["text"])["text"].to_pylist()
    return [(row["time_us"], row["mote"], row["text"]) for row in rows]


def test_iot_labs_aggregator(tmp_path):
    data = b"1700000000.000001;m3-12;hello; world\n1700000001.500000;m3-7;\tx\n"
    assert read(tmp_path, data) == [(0, 12, "hello; world"), (1_499_999, 7, "\tx")]


def test_serialdump_with_carriage_returns(tmp_path):
    data = b"[2024-02-28 23:59:59] hello\r\n[2024-02-29 00:00:01] again\r\n"
    assert read(tmp_path, data) == [(0, 1, "hello"), (2_000_000, 1, "again")]


def test_cooja_log_listener(tmp_path):
    data = b"00:01.250\tID:3\thello\n1:00:00.001\tID:4\tlate\n"
    assert read(tmp_path, data) == [(1_250_000, 3, "hello"), (3_600_001_000, 4, "late")]


def test_cooja_times_in_seconds(tmp_path):
    """As Contiki-NG's benchmarks read logs; whole seconds are among them."""
    data = b"0.032\tID:4\thello\n1\tID:5\ta second\n61.5\tID:4\tlate\n"
    assert read(tmp_path, data) == [(32_000, 4, "hello"), (1_000_000, 5, "a second"), (61_500_000, 4, "late")]


def test_one_damaged_time_makes_no_seconds_of_microseconds(tmp_path):
    (tmp_path / "log").write_bytes(b"5000\tID:1\tx\n6000\tID:1\tx\n50.5\tID:3\thello\n")
    assert lines.form_of(tmp_path / "log") == FORMS["cooja"]


@pytest.mark.parametrize(
    ("time", "written", "expected"),
    [
        ("us", "17", 17),
        ("ms", "17.5", 17_500),
        ("s", "1.000001", 1_000_001),
        ("epoch-ms", "1700000000017", 0),
        ("clock", "02:03.5", 123_500_000),
        ("%H:%M:%S.%f", "10:11:12.250000", 0),
        ("%d.%m.%Y %H:%M:%S,%f", "01.02.2024 10:11:12,250000", 0),
    ],
)
def test_times_are_those_that_the_pattern_names(tmp_path, time, written, expected):
    form = Form("own", r"^(?P<time>.+) n(?P<mote>[0-9]+): (?P<text>.*)$", time)
    assert read(tmp_path, f"{written} n5: x\n".encode(), form) == [(expected, 5, "x")]


def test_lines_out_of_order_are_sorted_and_the_earliest_is_the_begin(tmp_path):
    data = b"1700000002.0;m3-1;b\n1700000001.0;m3-2;a\n1700000003.0;m3-1;c\n"
    assert read(tmp_path, data) == [(0, 2, "a"), (1_000_000, 1, "b"), (2_000_000, 1, "c")]


def test_lines_of_another_form_stay_and_are_counted_as_damage(tmp_path):
    log = tmp_path / "given"
    log.write_bytes(b"1700000000.0;m3-1;a\nconnection lost\n1700000001.0;m3-x;b\n")
    (tmp_path / "made").write_bytes(b"".join(lines.converted([(log, FORMS["iot-lab"])])))
    tables = load(tmp_path / "made", "arrow", ["text", "damage"])
    assert tables["text"].num_rows == 1
    assert sum(row["count"] for row in tables["damage"].to_pylist()) == 2


def test_a_log_without_a_line_of_the_form_is_refused(tmp_path):
    (tmp_path / "log").write_bytes(b"Dear all,\n")
    assert lines.form_of(tmp_path / "log") is None
    with pytest.raises(FaultyInput, match="no line has the form iot-lab: 'Dear all,'"):
        list(lines.converted([(tmp_path / "log", FORMS["iot-lab"])]))


def test_two_names_with_one_number_are_refused(tmp_path):
    (tmp_path / "log").write_bytes(b"1700000000.0;m3-1;a\n1700000001.0;a8-1;b\n")
    with pytest.raises(FaultyInput, match="a8-1 and m3-1 have the same number"):
        list(lines.converted([(tmp_path / "log", FORMS["iot-lab"])]))


def test_logs_of_single_motes_become_one_run_with_one_clock(tmp_path):
    for mote, data in ((2, b"[2024-01-01 10:00:05] from two\n"), (7, b"[2024-01-01 10:00:03] from seven\n")):
        (tmp_path / f"mote-{mote}.txt").write_bytes(data)
    logs = [(tmp_path / f"mote-{mote}.txt", FORMS["serialdump"]) for mote in (2, 7)]
    assert b"".join(lines.converted(logs)) == b"0\tID:7\tfrom seven\n2000000\tID:2\tfrom two\n"
    (tmp_path / "mote-3.txt").write_bytes(b"5\tID:3\tx\n")
    with pytest.raises(FaultyInput, match="begin with the run"):
        list(lines.converted([*logs, (tmp_path / "mote-3.txt", FORMS["cooja"])]))


@pytest.mark.parametrize("time", ["9" * 25 + ".0", "99:99:" + "9" * 20, "1..2:3"])
def test_times_that_are_none_are_damage(tmp_path, time):
    log = tmp_path / "log"
    log.write_bytes(f"{time};m3-1;x\n1700000000.0;m3-2;y\n".encode())
    assert b"".join(lines.converted([(log, FORMS["iot-lab"])])).endswith(b"0\tID:2\ty\n")
    log.write_bytes(f"{time}\tID:1\tx\n00:01.0\tID:2\ty\n".encode())
    assert b"".join(lines.converted([(log, FORMS["log-listener"])])).endswith(b"1000000\tID:2\ty\n")


def test_times_of_day_are_in_order(tmp_path):
    form = Form("own", r"^(?P<time>\S+) n(?P<mote>[0-9]+): (?P<text>.*)$", "%H:%M:%S.%f")
    assert read(tmp_path, b"10:00:01.5 n5: x\n10:00:02.25 n5: y\n", form)[1] == (750_000, 5, "y")
