# SPDX-License-Identifier: Apache-2.0
"""What changed between two rounds, by their digests and the sources that the store keeps."""

import json
from dataclasses import replace

import pytest

from orchestrator.errors import StorageFailed
from orchestrator.features.campaigns import record
from orchestrator.features.campaigns.judging import blame_words
from orchestrator.features.campaigns.judging.blame import OUTCOME, Change, Red, What, blame
from orchestrator.features.campaigns.model import Checkout, PartPlan, Shard
from orchestrator.runs.model import Outcome
from orchestrator.runs.spec import EngineUsed
from tests.features.campaigns.conftest import cell_plan, ran, round_plan

SECONDS = {"A": 0.25, "B": 4.0, "C": 1.0}


def a_round(store, number, cells, outcomes=None, **changes):
    parts = (PartPlan("one", "one.yaml", "experiment: one\n", {}, tuple(cells)),)
    begun = record.begin(store, round_plan(number, parts=parts, **changes))
    with begun.writing(Shard()) as journal:
        for key in begun.plan.keys():
            outcome = (outcomes or {}).get(key.cell, Outcome.OK)
            journal.add(replace(ran(key, outcome), wall_s=SECONDS.get(key.cell, 1.0)))
    return begun


def test_nothing_changed_and_a_run_failed_all_the_same(store):
    base = a_round(store, 1, [cell_plan("A")])
    now = a_round(store, 2, [cell_plan("A", (4, 5))], {"A": Outcome.FAILED})
    found = blame(store, base, now, blame_words.reds(now, None))
    assert found.red == (Red("one", "A", OUTCOME),)
    assert found.changes == () and found.unchanged == ("one/A",) and found.before == ()
    assert [(one.place, one.seconds) for one in found.shows] == [("one/A", 0.5)]
    said = " ".join(blame_words.sentences(found))
    assert "Nothing that determines a run changed" in said and "chance" in said and "machine" in said
    assert "no seed is in both rounds" in said
    again = blame(store, now, a_round(store, 3, [cell_plan("A", (4, 5))], {"A": Outcome.FAILED}), found.red)
    assert again.before == ("one/A",) and "failed in round 2 as well" in " ".join(
        blame_words.sentences(again)
    )


def test_each_kind_of_change_is_named_with_the_cells_that_it_is_in(store):
    before = [cell_plan(name, (1, 2)) for name in ("A", "B", "C", "D", "gone")]
    engine = EngineUsed("embedded", "v2", "5.0")
    after = [
        cell_plan("A", (1, 2), made_of="a", firmware={"app": "e" * 64}),
        cell_plan("B", (1, 2), made_of="b", engine=engine),
        cell_plan("C", (1, 2), made_of="c", digest="other"),
        cell_plan("D", (1, 2), made_of="d"),
        cell_plan("new", (1, 2)),
    ]
    one = Checkout("orchestrate", "/x", "a" * 40, "v1", False)
    base = a_round(store, 1, before, checkouts=(one,))
    now = a_round(
        store,
        2,
        after,
        checkouts=(replace(one, commit="b" * 40, described="v2", changed=True),),
        host="there",
    )
    red = [Red("one", cell, "loss") for cell in "ABC"] + [Red("one", "A", "delay")]
    found = blame(store, base, now, red)
    assert [
        (one.what, one.name, one.how, one.cells)
        for one in found.changes
        if one.what not in (What.TOOL, What.REPOSITORY)
    ] == [
        (What.FIRMWARE, "app", f"{'f' * 12} to {'e' * 12}", ("one/A",)),
        (What.ENGINE, "embedded", "version v1 to v2", ("one/B",)),
        (What.SCENARIO, "cells that are gone", "", ("one/gone",)),
        (What.SCENARIO, "cells that are new", "", ("one/new",)),
        (What.SCENARIO, "settings", "its settings", ("one/C",)),
        (What.CSC, "simulation", found.changes[5].how, ("one/D",)),
    ]
    assert found.changes[-1].how == "v1 to v2 with changes"
    assert any("lost" in note for note in found.notes) and any(
        "different machines" in note for note in found.notes
    )
    # Loss changed with three different changes: no cell stands for another.
    assert [(one.place, one.covers) for one in found.shows] == [("one/A", 2), ("one/B", 1), ("one/C", 1)]
    assert "does not show that they are the cause" in " ".join(blame_words.sentences(found))


def test_cells_with_the_same_change_and_the_same_red_metric_stand_for_each_other(store):
    base = a_round(store, 1, [cell_plan(name, (1,)) for name in "ABC"])
    other = {"firmware": {"app": "e" * 64}}
    now = a_round(store, 2, [cell_plan(name, (1,), made_of=f"new {name}", **other) for name in "ABC"])
    red = [Red("one", cell, "loss") for cell in "ABC"] + [Red("one", "B", "delay"), Red("one", "C", "delay")]
    assert [one.place for one in blame(store, base, now, red).shows] == ["one/C"]
    assert [one.place for one in blame(store, base, now, red[:3]).shows] == ["one/A"]


def test_a_cell_that_no_round_has_made_counts_as_the_slowest(store):
    base = a_round(store, 1, [cell_plan(name, (1,)) for name in "ABC"])
    now = a_round(store, 2, [cell_plan(name, (1,)) for name in "ABCD"])
    plan = replace(
        now.plan,
        number=3,
        parts=(replace(now.plan.parts[0], cells=(*now.plan.parts[0].cells, cell_plan("E", (1,)))),),
    )
    found = blame(store, base, record.begin(store, plan), [Red("one", cell, "loss") for cell in "CEB"])
    assert {one.place: one.seconds for one in found.shows} == {"one/C": 1.0, "one/E": 4.0}


def test_what_failed_before_and_does_not_now_is_not_told(store):
    base = a_round(store, 1, [cell_plan("A"), cell_plan("B")], {"A": Outcome.CRASH, "B": Outcome.CRASH})
    now = a_round(store, 2, [cell_plan("A"), cell_plan("B")], {"A": Outcome.CRASH})
    assert blame(store, base, now, blame_words.reds(now, None)).before == ("one/A",)


def test_variants_of_one_firmware_are_one_change(store):
    base = a_round(store, 1, [cell_plan(n, (1,), firmware={"app": n * 64}) for n in "ab"])
    now = a_round(store, 2, [cell_plan(n, (1,), firmware={"app": n * 63 + "0"}, made_of=n) for n in "ab"])
    (change,) = blame(store, base, now, []).changes
    assert change == Change(
        What.FIRMWARE, "app", "2 variants, each of another digest", (), ("one/a", "one/b")
    )


def test_what_is_red_is_taken_from_the_verdict_the_surest_first(store):
    now = a_round(store, 1, [cell_plan("A")])
    findings = [
        {"experiment": "one", "cell": "A", "metric": name, "key": "total", "kind": kind, "p": p}
        for name, kind, p in (("delay", "worse", 0.01), ("sent", "better", 0.0), ("loss", "changed", 0.001))
    ]
    folder = store / "campaigns" / "nights" / "verdicts" / now.id
    assert blame_words.verdict(store, now) is None
    folder.mkdir(parents=True)
    (folder / "verdict.json").write_text(json.dumps({"findings": findings, "cells": [], "baseline": None}))
    told = blame_words.verdict(store, now)
    assert [one.metric for one in blame_words.reds(now, told)] == ["loss", "delay"]
    (folder / "verdict.json").write_text("{")
    with pytest.raises(StorageFailed, match="give it again"):
        blame_words.verdict(store, now)
