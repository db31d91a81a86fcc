# SPDX-License-Identifier: Apache-2.0
"""The run-time diagram shows what the log says: who ran when, what was published, who was notified, and too
late.
"""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.errors import NoSuchThing
from orchestrator.features.blackboard.threads.diagram import COLUMNS, diagram
from orchestrator.features.blackboard.threads.execution import read
from orchestrator.report.drawing import FORMATS
from tests import threaded_log
from tests.tier import examples

THREADS = ("publisher", "blackboard", "subscriber1", "subscriber2", "idle")


@pytest.fixture
def log(tmp_path):
    def write(content: bytes):
        (tmp_path / "x.testlog").write_bytes(content)
        return tmp_path / "x.testlog"

    return write


def test_the_spans_are_what_each_thread_used(log):
    mote = threaded_log.mote()
    found = read(log(threaded_log.log({1: mote})))
    assert found.threads == THREADS and found.mote == "mote 1" and found.others == ()
    assert found.spans[0].begin_us == 1_000_000 and found.spans[-1].end_us == mote.now
    assert all(one.end_us == next_.begin_us for one, next_ in zip(found.spans, found.spans[1:]))
    used = {
        name: sum(span.end_us - span.begin_us for span in found.spans if span.thread == name)
        for name in THREADS
    }
    assert used == mote.cpu_us
    assert {span.why for span in found.spans if span.thread == "publisher"} == {"sleep", "slice"}
    assert found.spans[-1].why == ""  # still running where the log ends


def test_publications_and_notifications_are_all_there(log):
    mote = threaded_log.mote()
    found = read(log(threaded_log.log({1: mote})))
    assert [one.value for one in found.publications] == list(range(20))
    assert {one.thread for one in found.publications} == {"publisher"}
    for subscriber, delays in enumerate(mote.delays_us):
        mine = [one for one in found.notifications if one.subscriber == subscriber]
        assert [one.delay_us for one in mine] == delays
        deadline = threaded_log.DEADLINES_US[subscriber]
        assert [one.missed for one in mine] == [delay > deadline for delay in delays]
        assert {one.due_us - (one.time_us - one.delay_us) for one in mine} == {deadline}
    assert (
        sum(one.missed for one in found.notifications) == 12
    )  # 9.6 and 25 ms for subscriber1, 25 ms for subscriber2


def test_the_rows_are_what_lies_in_the_window(log):
    found = read(log(threaded_log.log({1: threaded_log.mote()})))
    drawn = diagram(found, 1_030_000, 30_000)
    rows = list(csv.DictReader(io.StringIO(drawn.file("csv").decode())))
    assert tuple(rows[0]) == COLUMNS and drawn.columns == COLUMNS
    runs = [
        (row["thread"], int(row["end_us"]) - int(row["begin_us"])) for row in rows if row["what"] == "run"
    ]
    assert runs == [
        ("idle", 0),
        ("publisher", 1000),
        ("blackboard", 500),
        ("subscriber1", 1000),
        ("subscriber2", 1000),
        ("idle", 26_500),
        ("publisher", 0),
    ]
    assert [row["value"] for row in rows if row["what"] == "written"] == ["0", "1"]
    assert [row["begin_us"] for row in rows if row["what"] == "published"] == ["1030000", "1060000"]
    assert [(row["subscriber"], row["delay_us"]) for row in rows if row["what"] == "notified"] == [
        ("0", "1500"),
        ("1", "2500"),
    ]
    late = diagram(found, 1_120_000, 30_000).rows
    assert [(row[8], row[9], row[10]) for row in late if row[1] == "missed"] == [(0, 10_100, 10_000)]


def test_lanes_and_window_are_the_callers(log):
    found = read(log(threaded_log.log({1: threaded_log.mote()})))
    drawn = diagram(found, threads=("idle", "publisher"))
    assert {row[2] for row in drawn.rows if row[1] == "run"} == {"idle", "publisher"}
    with pytest.raises(ValueError, match="window"):
        diagram(found, 5, 0)


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_the_same_bytes(log, form):
    path = log(threaded_log.log({1: threaded_log.mote()}))
    once, again = (diagram(read(path)).file(form) for _ in range(2))
    assert once == again and len(once) > 500
    if form in ("svg", "pgf"):
        assert diagram(read(path), 1_030_000, 20_000).file(form) != once


def test_of_several_motes_the_busiest_or_the_one_that_is_asked_for(log):
    path = log(
        threaded_log.log({2: threaded_log.mote(5), 7: threaded_log.mote(9), 1: threaded_log.mote(9, shift=2)})
    )
    assert read(path).mote == "mote 1" and read(path).others == ("mote 7", "mote 2")
    assert read(path, "mote 2").mote == "mote 2" == read(path, 2).mote
    with pytest.raises(NoSuchThing, match="there are: mote 1, mote 7, mote 2"):
        read(path, "P9")


def test_a_run_without_threads_says_so(log):
    with pytest.raises(NoSuchThing, match="trace: true"):
        read(log(threaded_log.log({1: threaded_log.mote()}, trace=False)))


@pytest.mark.parametrize(
    "damaged",
    [b"5\tID:1\t!sch,one,start\n", b"9\tID:1\t!sch,a,start\n5\tID:1\t!sch,b,sleep\n4\tID:1\t!bpb,1,1\n"],
)
def test_a_log_of_a_line_or_with_a_clock_that_jumps_is_drawn(log, damaged):
    drawn = diagram(read(log(damaged)))
    assert drawn.file("svg") and [row for row in drawn.rows if row[1] == "run"]


number = st.one_of(st.integers(-3, 40), st.sampled_from([2**63 - 1, -(2**63), 10**9, 2**32]))
time = st.one_of(st.integers(0, 60), st.sampled_from([10**6, 2**53, 2**63 - 1]))
thread = st.sampled_from(["a", "b", "idle", "-", "x" * 64, "$x_1^2$", "a/b"])
record = st.one_of(
    st.builds("!sch,{},{}".format, thread, st.sampled_from(["slice", "end", "no such reason"])),
    st.builds("!bpb,{},{}".format, number, number),
    st.builds("!ntf,{},{},{},{},{}".format, number, number, thread, number, number),
    st.builds("!thr,{},1,{},{},{},{}".format, thread, number, number, number, number),
    st.just("!run,start,1"),
    st.just("text"),
)


@settings(max_examples=examples(100), deadline=None)
@given(lines=st.lists(st.tuples(time, st.integers(1, 2), record), min_size=1, max_size=30))
def test_of_any_log_there_is_a_diagram_or_a_reason_why_not(tmp_path_factory, lines):
    path = tmp_path_factory.mktemp("logs") / "x.testlog"
    path.write_text("".join(f"{at}\tID:{mote}\t{text}\n" for at, mote, text in lines))
    try:
        found = read(path)
    except NoSuchThing:
        assert not any(text.startswith("!sch") for _, _, text in lines)
        return
    assert all(span.begin_us <= span.end_us for span in found.spans)
    drawn = diagram(found)
    assert drawn.rows and drawn.file("csv") == diagram(found).file("csv")
    if len(lines) % 10 == 0:  # painting takes a tenth of a second
        assert drawn.file("svg").startswith(b"<?xml")
