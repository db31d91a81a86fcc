# SPDX-License-Identifier: Apache-2.0
"""`orchestrate trace` as it is printed, and how it chooses and checks a run's traced twin."""

from __future__ import annotations

import json
import re
from argparse import Namespace
from dataclasses import replace
from types import SimpleNamespace

import pytest

from orchestrator.cli import trace
from orchestrator.cli.app import main
from orchestrator.console import show
from orchestrator.execution import again
from orchestrator.inspect import traced
from orchestrator.inspect.find import find
from orchestrator.inspect.journey import Untraced
from orchestrator.inspect.traced import Check
from orchestrator.runs import manifest as manifests
from orchestrator.runs.model import Outcome
from orchestrator.runs.spec import EngineUsed
from orchestrator.runs.store import Store
from tests.inspect.test_journey import ARRIVED, log
from tests.runs.conftest import make_spec, put


def lines_of(text):
    return re.sub(r"─+", "-", re.sub(r"(?<=\S) {2,}", "|", text)).splitlines()


def printed(capsys, *parts):
    show(*parts)
    return lines_of(capsys.readouterr().out)


def test_a_way_as_it_is_printed(tmp_path, capsys):
    path = tmp_path / "COOJA.testlog"
    path.write_bytes(
        log(
            (
                *ARRIVED,
                (1_504_000, 2, "!snd,reading,1,9,1.1+2.1"),
                (1_505_000, 1, "!rcv,reading,2,9,1.1+2.1"),
                (1_505_500, 1, "!dlv,reading,2,2.1+1.1"),
                (1_600_000, 1, "!dlv,reading,2,2.1+1.1+1.2"),
                (1_700_000, 1, "!dlv,reading,2,2.1"),
                (1_800_000, 3, "!snd,reading,2,11,2.1"),
                (1_800_000, 3, "!drp,queue,3,11"),
            )
        )
    )
    assert main(["trace", str(path), "--event", "2/1"]) == 0
    assert lines_of(capsys.readouterr().out) == [
        f"P2/1 of {path.parent}, topic reading",
        "published by P2 at 1.000000 s, value 20; delivered to mote 1 after 505.500 ms with 1 "
        "other; delivered again to mote 1 after 600.000 ms with 2 others; delivered again to mote 1 after "
        "700.000 ms",
        "",
        "       s|ms since|step|mote|what",
        "-",
        "1.000000|0.000|+0.000|P2|published in reading, value 20",
        "1.200000|200.000|+200.000|P2|forwarded: it held every publisher that can pass there",
        "1.500000|500.000|+300.000|P2|forwarded: the merge function's time-out passed",
        "1.500000|500.000|+0.000|P2|handed to the MAC for P1, frame 7",
        "1.504000|504.000|+4.000|P1|received from P2, frame 7",
        "1.504000|504.000|+0.000|P1|handed to the MAC for mote 1, frame 9 with P1/1",
        "1.505000|505.000|+1.000|mote 1|received from P1, frame 9 with P1/1",
        "1.505500|505.500|+0.500|mote 1|delivered to the subscriber with P1/1",
        "1.600000|600.000|+94.500|mote 1|delivered to the subscriber with P1/1, P1/2",
        "1.700000|700.000|+100.000|mote 1|delivered to the subscriber",
        "1.800000|800.000|+100.000|P2|handed to the MAC for P1, frame 11",
        "1.800000|800.000|+0.000|P2|LOST: its MAC had no room for the frame",
        "",
        "from|to|frame|events|held, ms|MAC and air, ms|forwarded|fate",
        "-",
        "P2|P1|7|1|500.000|4.000|timeout|received",
        "P1|mote 1|9|2|0.000|1.000|at once|received",
        "P2|P1|11|1|800.000|–|at once|dropped: queue",
        "",
        "P2 to P1: its MAC had no room for the frame",
    ]
    assert main(["trace", str(path), "--event", "2/1", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["run"] == {"folder": str(path.parent)} and told["twin_of_measured_run"] is None
    assert told["event"] == "P2/1" and len(told["hops"]) == 3


def test_what_was_not_delivered_is_said(capsys):
    told = {"published": {"mote": "P1", "time_us": 5}, "value": 7, "deliveries": [], "delivered": False}
    assert printed(capsys, trace._outcome(told)) == ["published by P1 at 0.000005 s, value 7; not delivered"]


def an_end(**known):
    return {"where": "P2", "to": "P1", "why": "lost", "window_us": None, "heard_by": [], "others": []} | known


def an_other(**known):
    return {
        "from": "S",
        "to": None,
        "frame": None,
        "events": [],
        "by_next_hop": False,
        "window_us": [5, 9],
    } | known


def test_ends_as_they_are_printed(capsys):
    assert printed(capsys, *trace._end(an_end(to=None))) == ["P2: lost"]
    assert printed(capsys, *trace._end(an_end(window_us=[1_500_000, 1_502_000], heard_by=["S", "P3"]))) == [
        "P2 to P1: lost",
        "  on the air from 1.500000 to 1.502000 s; heard by S, P3",
    ]
    others = [an_other(), an_other(to="P1", frame=0, events=["P1/1", "P2/9"], by_next_hop=True)]
    assert printed(capsys, *trace._end(an_end(window_us=[0, 1], others=others))) == [
        "P2 to P1: lost",
        "  on the air from 0.000000 to 0.000001 s; nobody heard it",
        "  S: another protocol's frame, on the air from 0.000005 to 0.000009 s",
        "  S (the next hop itself) to P1: frame 0 with P1/1, P2/9, on the air from 0.000005 to 0.000009 s",
    ]
    assert len(printed(capsys, *trace._end(an_end(others=others * 3)))) == 7
    assert printed(capsys, *trace._end(an_end(others=others * 4)))[-1] == "  and 2 more frames"


@pytest.mark.parametrize(
    ("check", "lines", "style"),
    [
        (
            Check(7, (), ("the engine has another version",)),
            [
                "this is a traced repetition: all 7 values that motes dump equal those of the measured run",
                "  the engine has another version",
            ],
            "green",
        ),
        (
            Check(9, tuple("abcdefg"), ("other",)),
            [
                "this traced repetition is NOT the same as the measured run: 7 of 9 values differ",
                *(f"  {text}" for text in ("other", "a", "b", "c", "d", "e")),
            ],
            "red",
        ),
    ],
)
def test_the_check_as_it_is_printed(check, lines, style):
    text = trace._checked(check)
    assert (text.plain.splitlines(), text.style) == (lines, style)


DUMP = ((9, 2, "!cnt,packets_sent,1"), (9, 2, "!nrg,off,5"), (9, 2, "!from,1,4,2"), (9, 2, "!agg,1,3"))


@pytest.fixture
def runs(tmp_path):
    """Makes runs of other stores, of some lines, as if they had been traced."""

    def made(name, lines=DUMP, firmware="f" * 64):
        store = Store(tmp_path / name)
        put(store, make_spec(firmware=firmware), log=log(lines))
        return find(store, ["trial"])

    return made


def test_everything_that_motes_dump_is_compared(runs):
    measured = runs("measured")
    assert traced.check(measured, runs("same", ((5, 2, "!pub,a,1,1,5"), *DUMP))) == Check(4, (), ())
    other = (*DUMP[1:2], (9, 2, "!from,1,4,3"), *DUMP[3:], (9, 2, "!dly,10,8"), (9, 7, "!cnt,merged,1"))
    assert traced.check(measured, runs("other", other)) == Check(
        6,
        (
            "P1 counters packets_sent: 1 measured, nothing traced",
            "7 counters merged: nothing measured, 1 traced",
            "P1 delays 10: nothing measured, 8 traced",
            "P1 deliveries 1: 4 2 measured, 4 3 traced",
        ),
        (),
    )
    lines = ((5, 2, "text"), *DUMP)
    assert traced.check(runs("more", lines), runs("less")).differences == (
        "the log has other lines than those of the trace",
    )


def test_another_firmware_or_engine_is_told_and_excuses_other_lines(runs):
    measured, built = runs("measured", ((5, 2, "text"), *DUMP)), runs("built", firmware="e" * 64)
    assert traced.check(measured, built) == Check(4, (), ("the firmware was built again and differs",))
    newer = replace(built, manifest=replace(built.manifest, engine=EngineUsed("embedded", "v2", "5.0")))
    assert traced.check(measured, newer).other == (
        "the firmware was built again and differs",
        "the engine has another version",
    )
    assert traced.check(measured, replace(built, manifest=None)).other == ()


def test_the_newest_whole_twin_of_the_same_inputs_is_chosen(runs):
    measured = runs("measured")
    assert traced.twin(measured) is None
    parameters = {**measured.manifest.parameters, "trace": True}
    known = {
        "old": {},
        "new": {"finished": "2026-09-01T00:00:00.000+00:00"},
        "other": {"finished": "2027-01-01T00:00:00.000+00:00", "firmware": {"aggregation": "e" * 64}},
        "failed": {"finished": "2028-01-01T00:00:00.000+00:00", "outcome": Outcome.CRASH},
        "untraced": {"finished": "2028-01-01T00:00:00.000+00:00", "parameters": measured.manifest.parameters},
    }
    for name, changes in known.items():
        folder = measured.where / "trace" / name
        folder.mkdir(parents=True)
        manifest = replace(measured.manifest, parameters=parameters, evidence=())
        (folder / manifests.FILE).write_text(replace(manifest, **changes).to_json())
    (measured.where / "trace" / "damaged").mkdir()
    (measured.where / "trace" / "damaged" / manifests.FILE).write_text("{")
    for best in ("new", "old", "other"):
        assert traced.twin(measured).where.name == best
        (measured.where / "trace" / best / manifests.FILE).unlink()
    assert traced.twin(measured) is None


@pytest.mark.parametrize(
    ("there", "rerun", "other", "made"),
    [
        (True, False, (), False),
        (True, False, ("another engine",), False),
        (True, True, (), False),
        (True, True, ("another engine",), True),
        (False, True, (), True),
    ],
)
def test_a_twin_is_made_where_there_is_none_or_one_of_other_inputs(monkeypatch, there, rerun, other, made):
    new, old = object(), object()
    monkeypatch.setattr(traced, "twin", lambda _: old if there else None)
    monkeypatch.setattr(traced, "check", lambda _, one: Check(1, (), other if one is old else ()))
    monkeypatch.setattr(traced, "make", lambda *_: new)
    args = Namespace(rerun=rerun, run=["trial"], store=None, event="P1/1")
    found, check = trace._twin(SimpleNamespace(manifest=1), args, Untraced("no trace"))
    assert found is (new if made else old) and check.other == (() if made else other)


@pytest.mark.parametrize(("store", "where"), [(None, ""), ("a b", " --store 'a b'")])
def test_without_a_twin_it_is_said_how_to_make_it(monkeypatch, store, where):
    monkeypatch.setattr(traced, "twin", lambda _: None)
    args = Namespace(rerun=False, run=["some trial", "3f"], store=store, event="P1/1")
    with pytest.raises(Untraced) as raised:
        trace._twin(SimpleNamespace(manifest=1), args, Untraced("no trace"))
    assert str(raised.value) == (
        "no trace\n    this makes its cell and seed again with the trace on: "
        f"orchestrate trace 'some trial' 3f --event P1/1{where} --rerun"
    )
    untraced = Untraced("no trace")
    with pytest.raises(Untraced) as raised:
        trace._twin(SimpleNamespace(manifest=None), replace_rerun(args), untraced)
    assert raised.value is untraced


def replace_rerun(args):
    return Namespace(**{**vars(args), "rerun": True})


def test_a_made_twin_is_read_from_its_folder(runs, monkeypatch):
    measured, twin = runs("measured"), runs("twin")
    monkeypatch.setattr(again, "trace", lambda *_: twin.where)
    assert traced.make(measured) == twin
