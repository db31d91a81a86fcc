# SPDX-License-Identifier: Apache-2.0
"""Times that `orchestrate show` takes, and the tables of threads, blackboards and subscriptions."""

from __future__ import annotations

import argparse

import polars as pl
import pytest

from orchestrator.cli.show import time_us
from orchestrator.errors import NoSuchThing, WrongUsage
from orchestrator.features.blackboard.commands.show_threads import diagram
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
    assert delivery(frame.to_arrow(), {1: "S", 7: "P1"}) == [
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
    assert delivery(frame.filter(pl.col("kind") != "sub").to_arrow(), {}) == []
