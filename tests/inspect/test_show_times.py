# SPDX-License-Identifier: Apache-2.0
"""Times that `orchestrate show` takes, and the tables of threads, blackboards and subscriptions."""

from __future__ import annotations

import argparse

import polars as pl
import pytest

from orchestrator.cli.show import time_us
from orchestrator.errors import NoSuchThing, WrongUsage
from orchestrator.features.blackboard.commands.show_threads import diagram, of_notifications, of_threads
from orchestrator.features.blackboard.run_threads import notifications, threads
from orchestrator.inspect.owed import delivery
from tests import threaded_log


@pytest.mark.parametrize(
    ("text", "us"),
    [("12.5", 12_500_000), ("300 ms", 300_000), ("0", 0), ("9007199254740991 us", (1 << 53) - 1)],
)
def test_a_time_is_in_seconds_unless_it_says_its_unit(text, us):
    assert time_us(text) == us


@pytest.mark.parametrize("text", ["9007199254740992 us", "3 apples", "", "-1", "-1 us"])
def test_what_is_no_time_is_refused(text):
    with pytest.raises(argparse.ArgumentTypeError):
        time_us(text)


def cells(table):
    return [[text for text, _ in row] for row in table.rows]


THREADS = [
    {
        "mote": 2,
        "name": "idle",
        "priority": 4,
        "cpu_us": 3_000_000,
        "switches": 1000,
        "stack_used": 0,
        "stack_size": 9,
    },
    {
        "mote": 2,
        "name": "main",
        "priority": 1,
        "cpu_us": 1_000_001,
        "switches": 2,
        "stack_used": 1500,
        "stack_size": 2048,
    },
    {"mote": 5, "name": "idle", "priority": 4, "cpu_us": 0, "switches": 0, "stack_used": 0, "stack_size": 9},
]


def test_threads_of_motes():
    rows = threads({"threads": pl.DataFrame(THREADS)}, {2: "P1"})
    assert [row["mote"] for row in rows] == ["P1", "P1", "mote 5"]
    assert [row["share"] for row in rows] == [3_000_000 / 4_000_001, 1_000_001 / 4_000_001, None]
    table = of_threads(rows)
    assert [(one.name, one.number, one.key) for one in table.columns] == [
        ("mote", False, True),
        ("thread", False, True),
        *((name, True, False) for name in ("priority", "CPU, ms", "CPU, %", "switched to", "stack, bytes")),
    ]
    assert cells(table) == [
        ["P1", "idle", "4", "3,000.000", "75.00", "1,000", "–"],
        ["P1", "main", "1", "1,000.001", "25.00", "2", "1,500 of 2,048"],
        ["mote 5", "idle", "4", "0.000", "–", "0", "–"],
    ]


def test_notifications_of_blackboards():
    columns = "mote event subscriber thread deadline_us notified missed total_us max_us".split()
    given = [(2, 3, 0, "main", 10_000, 4, 1, 8_002, 5_000), (5, 3, 1, "main", 0, 0, 0, 0, 0)]
    rows = notifications({"subscriptions": pl.DataFrame(given, columns, orient="row")}, {2: "P1"})
    assert rows == [
        {
            "mote": "P1",
            "event": 3,
            "subscriber": 0,
            "thread": "main",
            "deadline_us": 10_000,
            "notified": 4,
            "missed": 1,
            "mean_us": 2_000.5,
            "max_us": 5_000,
        },
        {
            "mote": "mote 5",
            "event": 3,
            "subscriber": 1,
            "thread": "main",
            "deadline_us": None,
            "notified": 0,
            "missed": None,
            "mean_us": None,
            "max_us": None,
        },
    ]
    table = of_notifications(rows)
    assert [(one.name, one.number, one.key) for one in table.columns] == [
        ("mote", False, True),
        ("event", True, True),
        ("subscriber", False, True),
        *((name, True, False) for name in ("deadline, ms", "notified", "mean, ms", "largest, ms", "missed")),
    ]
    assert cells(table) == [
        ["P1", "3", "0 main", "10.000", "4", "2.001", "5.000", "1"],
        ["mote 5", "3", "1 main", "–", "0", "–", "–", "–"],
    ]


def test_a_diagram_needs_a_form_a_length_and_threads_in_it(tmp_path):
    path = tmp_path / "COOJA.testlog"
    path.write_bytes(threaded_log.log({1: threaded_log.mote(2)}))
    with pytest.raises(WrongUsage) as raised:
        diagram(path, tmp_path / "d.txt", None, None, None)
    assert str(raised.value) == f"{tmp_path / 'd.txt'}: a figure is a file of .svg, .pdf, .pgf, .csv"
    with pytest.raises(
        WrongUsage, match="^--for: the diagram has no length\n    name a time such as '200 ms'$"
    ):
        diagram(path, tmp_path / "d.svg", None, None, 0)
    with pytest.raises(
        NoSuchThing, match=r"no thread of mote 1 ran in that time; its trace is from 1\.0+ to 1\.\d+ s$"
    ):
        diagram(path, tmp_path / "d.svg", None, 9_000_000, None)
    target = diagram(path, tmp_path / "d.CSV", "1", None, 1)
    assert target == tmp_path / "d.CSV" and target.read_text().startswith("mote,what,thread")


def event(time, mote, kind, subject=None, publisher=None, sequence=None, events=()):
    events = [{"publisher": one, "sequence": two} for one, two in events] or None
    return (time, mote, kind, subject, publisher, sequence, events)


def test_what_subscribers_should_get_is_owed_to_those_subscribed_at_the_time():
    kinds = pl.List(pl.Struct({"publisher": pl.Int64, "sequence": pl.Int64}))
    columns = {
        "time_us": pl.Int64,
        "mote": pl.Int64,
        "kind": pl.String,
        "subject": pl.String,
        "publisher": pl.Int64,
        "sequence": pl.Int64,
        "events": kinds,
    }
    rows = [
        event(9, 7, "pub", "a", 7, 4),
        event(1, 1, "sub", "a"),
        event(2, 7, "pub", "a", 7, 1),
        event(2, 7, "pub", "b", 7, 1),  # nobody's
        event(3, 2, "sub", "a"),
        event(4, 7, "pub", "a", 7, 2),
        event(5, 1, "dlv", "a", events=[(7, 1), (7, 2)]),
        event(6, 1, "dlv", "a", events=[(7, 2)]),
        event(6, 1, "dlv", "a", events=[(7, 2)]),
        event(6, 2, "dlv", "a", events=[(7, 1)]),  # from before its subscription
        event(7, 1, "die"),
        event(8, 7, "pub", "a", 7, 3),
        event(8, 8, "pub", "a", 9, 3),
    ]
    frame = pl.DataFrame(rows, columns, orient="row")
    assert delivery(frame, {1: "S", 7: "P1"}) == [
        {"subscriber": "S", "publisher": "P1", "published": 2, "delivered": 2, "duplicates": 2, "lost": 0},
        {"subscriber": None, "publisher": "P1", "published": 3, "delivered": 0, "duplicates": 0, "lost": 3},
        {
            "subscriber": None,
            "publisher": "publisher 9",
            "published": 1,
            "delivered": 0,
            "duplicates": 0,
            "lost": 1,
        },
    ]
    assert delivery(frame.filter(pl.col("kind") != "sub"), {}) == []
