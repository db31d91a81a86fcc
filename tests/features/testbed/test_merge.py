# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json

import pytest
from orchestrate_testbed.clock_fit import ClockFit
from orchestrate_testbed.gateway_log import Chunk, Note, Torn, records
from orchestrate_testbed.merge import Source, merged

CLOCK = ClockFit("b", 0, 10**9, 1000.0, 0.0, 50.0, 9)  # the gateway is 1 ms ahead


def chunk(time: int, content: bytes) -> bytes:
    return b"@%d %d %d\n%b\n" % (time, time + 10**15, len(content), content)


def note(time: int, **what) -> bytes:
    return b"!%d %d %b\n" % (time, time + 10**15, json.dumps(what).encode())


def opened(time: int) -> bytes:
    return note(time, event="open", baud=100_000, boot="b")  # 100 us a byte


def told(tmp_path, *segments: bytes, epoch_us: int = 0):
    """The log of one mote, and what it lacks."""
    paths = []
    for number, content in enumerate(segments):
        paths.append(tmp_path / f"M1.{number}.log")
        paths[-1].write_bytes(content)
    log = tmp_path / "log"
    found = merged([Source("M1", 7, tuple(paths), (CLOCK,))], epoch_us, log)
    return log.read_text(encoding="utf-8"), found["M1"]


def test_lines_have_the_time_at_which_the_serial_line_brought_their_end(tmp_path):
    log, found = told(tmp_path, opened(2000) + chunk(10_000, b"one\ntwo\nth") + chunk(12_000, b"ree\n"))
    # "one" ended 6 bytes before the read of 10,000; the gateway's clock is 1,000 ahead.
    assert log == "8400\tID:7\tone\n8800\tID:7\ttwo\n11000\tID:7\tthree\n"
    assert found.lines == 3 and found.missing() == []


def test_a_line_is_never_put_before_the_read_before_it(tmp_path):
    log, _ = told(tmp_path, opened(2000) + chunk(10_000, b"x") + chunk(10_100, b"y\n" + b"z" * 500 + b"\n"))
    assert log.split("\t")[0] == "9000"


def test_motes_are_merged_by_time(tmp_path):
    sources = []
    for number, times in ((2, (3000, 9000)), (1, (5000, 9000))):
        path = tmp_path / f"M{number}"
        path.write_bytes(opened(2000) + b"".join(chunk(time, b"at %d\n" % time) for time in times))
        sources.append(Source(f"M{number}", number, (path,), (CLOCK,)))
    merged(sources, 0, tmp_path / "log")
    lines = (tmp_path / "log").read_text().splitlines()
    assert lines == [
        "2000\tID:2\tat 3000",
        "4000\tID:1\tat 5000",
        "8000\tID:1\tat 9000",
        "8000\tID:2\tat 9000",
    ]


def test_lines_before_the_run_are_not_of_it(tmp_path):
    log, _ = told(tmp_path, opened(2000) + chunk(3000, b"old\n") + chunk(9000, b"new\n"), epoch_us=5000)
    assert log == "3000\tID:7\tnew\n"


def test_an_unplugged_mote_leaves_a_gap_and_a_torn_line(tmp_path):
    content = (
        opened(2000) + chunk(3000, b"whole\nhal") + note(4000, event="gone", why="it was \x1b unplugged")
    )
    log, found = told(tmp_path, content + opened(2_004_000) + chunk(2_005_000, b"back\n"))
    assert [line.split("\t")[2] for line in log.splitlines()] == ["whole", "back"]
    sentences = found.missing()
    assert sentences == [
        "1 lines of M1 are torn (3 bytes).",
        "Nobody listened to M1 for 2.000 s: it was \\x1b unplugged.",
    ]


def test_a_gap_that_never_ended_is_said(tmp_path):
    _, found = told(tmp_path, opened(2000) + note(4000, event="lent"))
    assert found.missing() == ["Nobody listened to M1 to the end: a tool had its port."]


def test_bytes_lost_on_a_full_disk_are_counted_and_no_half_line_is_taken_for_one(tmp_path):
    content = opened(2000) + chunk(3000, b"a\n!cnt,packets_") + note(4000, event="lost", bytes=70, lines=2)
    log, found = told(tmp_path, content + chunk(5000, b"12\n!cnt,x,1\n"))
    assert [line.split("\t")[2] for line in log.splitlines()] == ["a", "!cnt,x,1"]
    assert (found.lost_bytes, found.lost_lines, found.torn_lines, found.torn_bytes) == (70, 2, 2, 15)
    assert any("70 bytes of M1" in each for each in found.missing())


@pytest.mark.parametrize("cut", range(1, 60))
def test_a_segment_that_a_crash_cut_anywhere_gives_what_it_has(tmp_path, cut):
    whole = opened(2000) + chunk(3000, b"first\n") + chunk(4000, b"second\nthird\n")
    log, found = told(tmp_path, whole[:-cut], opened(9000) + chunk(10_000, b"il\n!later\n"))
    texts = [line.split("\t")[2] for line in log.splitlines()]
    assert texts[-1] == "!later" and texts[:-1] == ["first", "second", "third"][: len(texts) - 1]
    assert found.restarts == 1 and any("daemon was down" in gap.why for gap in found.gaps)
    kept = sum(len(text) + 1 for text in texts) + found.torn_bytes
    assert kept <= found.bytes + 1
    if cut == 1:
        assert texts[:-1] == ["first", "second", "third"]


def test_a_clock_that_was_never_measured_gives_no_times(tmp_path):
    log, found = told(tmp_path, note(1, event="open", baud=9600, boot="other") + chunk(5, b"a\n"))
    assert log == "" and found.timeless == 1
    assert found.missing() == ["1 lines of M1 have no time: its clock was never measured."]


@pytest.mark.parametrize(
    "junk",
    [
        b"@1 2 99999999\nabc\n",
        b"@1 2 -3\n",
        b"!1 2 [1]\n",
        b"!1 2 {]\n",
        b"\x00" * 100,
        b"@1 2 3\nabcd\n",
        b"!1 2 " + b"{" * 70000,
    ],
)
def test_a_damaged_segment_is_torn_where_the_damage_is(junk):
    found = list(records(chunk(1, b"a\n") + junk + chunk(2, b"b\n")))
    assert found[0] == Chunk(1, 1 + 10**15, b"a\n")
    assert isinstance(found[1], Torn) and len(found) == 2


def test_a_note_of_a_gateway_may_hold_anything(tmp_path):
    odd = note(1, event=["open"]) + note(2, event="open", baud=-1, boot=3) + note(3, event="lost", bytes="x")
    assert [type(each) for each in records(odd)] == [Note, Note, Note]
    log, _ = told(tmp_path, odd + chunk(4, b"a\n"))
    assert log == ""


def test_order_is_kept_where_two_boots_clocks_disagree(tmp_path):
    first = opened(2000) + chunk(9000, b"one\n")
    second = note(10, event="open", baud=100_000, boot="c") + chunk(500, b"!two\n")
    paths = []
    for number, content in enumerate((first, second)):
        paths.append(tmp_path / f"M1.{number}.log")
        paths[-1].write_bytes(content)
    later = ClockFit(
        "c", 0, 10**9, -7000.0, 0.0, 1000.0, 9
    )  # of the second boot: 500 is 7,500 of the controller
    merged([Source("M1", 7, tuple(paths), (CLOCK, later))], 0, tmp_path / "log")
    assert (tmp_path / "log").read_text() == "8000\tID:7\tone\n8000\tID:7\t!two\n"
