# SPDX-License-Identifier: Apache-2.0
"""Rounds of campaigns in the store: written once, read back, whatever a kill left of them."""

import errno
import json
import os
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.errors import NoSuchThing, StorageFailed, WrongUsage
from orchestrator.features.campaigns import record
from orchestrator.features.campaigns.model import End, Left, Quarantined, RunKey, Shard, State, Why
from orchestrator.runs.model import Outcome
from orchestrator.runs.store import Store
from tests.features.campaigns.conftest import AT, cell_plan, ran, round_plan

WHOLE = Shard()


def done(found, shard=WHOLE, state=State.COMPLETE):
    found.end(End(shard, state, AT, "here", 12.5, 3.0))


def test_a_round_is_read_as_it_was_begun(store):
    plan = round_plan(
        fresh=(5, 6),
        quarantine=(Quarantined("one", "A", None, "2026-04-01", "it hangs"),),
        notes=("the clock",),
    )
    begun = record.begin(store, plan)
    (read,) = record.rounds(store, "nights")
    assert read.plan == plan == begun.plan
    assert record.latest(store, "nights").plan == plan
    assert record.names(store) == ["nights"] and record.known(store, "nights") == "nights"
    assert read.plan.total == 4 and len(list(read.plan.keys())) == 4
    assert read.plan.part("two").scenario == "paper aggregation"
    with pytest.raises(KeyError):
        read.plan.part("three")
    assert not list(begun.folder.glob(".tmp-*"))


def test_rounds_are_in_the_order_of_their_numbers_whatever_the_clock_said(store):
    for number in (1, 2, 10):
        record.begin(store, round_plan(number, at=AT.replace(year=2030 - number)))
    assert [one.plan.number for one in record.rounds(store, "nights")] == [1, 2, 10]
    assert [one.plan.number for one in record.readable(store, "nights", 2)[0]] == [2, 10]
    assert record.next_number(store, "nights") == 11
    assert record.next_number(store, "another") == 1 and record.rounds(store, "another") == []
    assert record.latest(store, "another") is None


def test_no_round_replaces_another(store):
    record.begin(store, round_plan())
    with pytest.raises(FileExistsError):
        record.begin(store, round_plan(host="elsewhere"))
    assert record.latest(store, "nights").plan.host == "here"


def test_a_campaign_that_the_store_does_not_have_is_named_with_those_it_has(store):
    record.begin(store, round_plan())
    with pytest.raises(NoSuchThing, match="did you mean nights"):
        record.known(store, "nightz")


def test_runs_of_a_journal_and_what_is_left(store):
    found = record.begin(store, round_plan())
    assert found.state is State.INCOMPLETE and list(found.runs()) == [] and found.came == []
    keys = list(found.plan.keys())
    with found.writing(WHOLE) as journal:
        assert found.state is State.RUNNING
        journal.add(ran(keys[0]))
        journal.add_all([ran(keys[1], Outcome.LOST), ran(keys[3], made=False)])
        assert [run.key for run in found.runs()] == [keys[0], keys[1], keys[3]], "at once"
        journal.add(ran(keys[1]))
    assert found.state is State.INTERRUPTED and not found.over and found.came == [WHOLE]
    assert list(found.runs()) == [ran(keys[0]), ran(keys[3], made=False), ran(keys[1])], "the last result"
    assert list(found.left()) == [Left("one", "A", 3, Why.DRAINED)]
    done(found, state=State.BUDGET)
    assert found.over and found.state is State.BUDGET and found.ended == AT
    assert list(found.left()) == [Left("one", "A", 3, Why.BUDGET)]
    assert found.ends[WHOLE] == End(WHOLE, State.BUDGET, AT, "here", 12.5, 3.0)


def test_going_on_takes_the_end_back(store):
    found = record.begin(store, round_plan())
    with found.writing(WHOLE):
        pass
    done(found)
    assert found.over
    with found.writing(WHOLE):
        assert found.ends == {} and found.state is State.RUNNING
    assert found.state is State.INTERRUPTED


def test_one_process_writes_a_journal(store):
    found = record.begin(store, round_plan())
    with found.writing(WHOLE):
        with pytest.raises(BlockingIOError), record.latest(store, "nights").writing(WHOLE):
            pass
        assert record.latest(store, "nights").state is State.RUNNING


@given(st.integers(0, 400), st.binary(max_size=30))
def test_a_line_that_a_kill_tore_spoils_no_other(tmp_path_factory, cut, rest):
    store = tmp_path_factory.mktemp("torn")
    found = record.begin(store, round_plan())
    keys = list(found.plan.keys())
    with found.writing(WHOLE) as journal:
        journal.add_all([ran(key) for key in keys[:2]])
    path = found.folder / "000001.1-of-1.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    rest = rest.replace(b"\n", b"")
    path.write_bytes(lines[0] + lines[1][: min(cut, len(lines[1]) - 2)] + rest)
    assert [run.key for run in found.runs()] == keys[:1]
    with found.writing(WHOLE) as journal:
        journal.add(ran(keys[2]))
    assert [run.key for run in found.runs()] == [keys[0], keys[2]]


@given(st.integers(1, 5), st.lists(st.integers(0, 9), min_size=1, max_size=4))
def test_shards_together_are_exactly_the_whole_list(shards, sizes):
    plan = round_plan(
        shards=shards, cells=[cell_plan(f"C{index}", range(size)) for index, size in enumerate(sizes)]
    )
    pieces = [list(plan.of_shard(Shard(number, shards))) for number in range(1, shards + 1)]
    assert sorted(sum(pieces, [])) == sorted(plan.keys())
    assert max(map(len, pieces)) - min(map(len, pieces)) <= 1
    assert pieces[0][0] == next(plan.keys()), "the first shard has the first run"


def test_a_shard_that_never_came_leaves_the_round_incomplete(store):
    found = record.begin(store, round_plan(shards=2))
    first, second = found.shards
    keys = list(found.plan.of_shard(first))
    with found.writing(first) as journal:
        journal.add_all([ran(key) for key in keys])
    done(found, first)
    assert found.state is State.INCOMPLETE and not found.over and found.ended is None
    assert found.shard_state(first) is State.COMPLETE
    assert {left.why for left in found.left()} == {Why.SHARD}
    assert [RunKey(*left[:3]) for left in found.left()] == list(found.plan.of_shard(second))
    with found.writing(second):
        assert found.state is State.RUNNING
    done(found, second)
    assert found.state is State.COMPLETE


def test_a_round_is_as_far_as_the_least_of_its_shards(store):
    found = record.begin(store, round_plan(shards=3))
    for shard, state in zip(found.shards, (State.COMPLETE, State.BUDGET, State.FAILED), strict=True):
        with found.writing(shard):
            pass
        done(found, shard, state)
    assert found.state is State.FAILED and found.over
    done(found, found.shards[2], State.COMPLETE)
    assert found.state is State.BUDGET
    done(found, found.shards[0], State.INTERRUPTED)
    assert found.state is State.INTERRUPTED and not found.over


def test_quarantine_says_why_a_run_is_left_out(store):
    quarantine = (
        Quarantined("one", "A", 2, "2026-04-01", "a"),
        Quarantined("two", None, None, "2026-04-01", "b"),
    )
    found = record.begin(store, round_plan(quarantine=quarantine))
    with found.writing(WHOLE):
        pass
    done(found)
    whys = {RunKey(*left[:3]): left.why for left in found.left()}
    assert whys == {
        RunKey("one", "A", 1): Why.DRAINED,
        RunKey("one", "A", 2): Why.QUARANTINE,
        RunKey("one", "A", 3): Why.DRAINED,
        RunKey("two", "B", 7): Why.QUARANTINE,
    }


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[: len(text) // 2],
        lambda text: text.replace('"format": 1', '"format": 2'),
        lambda text: text.replace('"number": 1,', '"number": 2,'),
        lambda text: text.replace('"shards": 1', '"shards": 0'),
        lambda text: text.replace('"host"', '"guest"'),
        lambda text: text.replace("+00:00", ""),
        lambda text: text.replace("      1,\n", '      "1",\n'),
        lambda text: "[]",
        lambda text: json.dumps(json.loads(text) | {"parts": None}),
    ],
)
def test_a_damaged_round_is_named_and_keeps_its_number(store, damage):
    found = record.begin(store, round_plan())
    record.begin(store, round_plan(2))
    path = found.folder / "000001.json"
    changed = damage(path.read_text())
    assert changed != path.read_text()
    path.write_text(changed)
    with pytest.raises(StorageFailed, match=r"000001\.json: not a readable round"):
        record.rounds(store, "nights")
    others, unreadable = record.readable(store, "nights")
    assert [one.plan.number for one in others] == [2] and len(unreadable) == 1
    assert record.next_number(store, "nights") == 3


def test_a_store_that_cannot_be_written_is_named(store):
    store.mkdir()
    (store / "campaigns").write_text("a file")
    with pytest.raises(StorageFailed, match="can't be written"):
        record.begin(store, round_plan())


@pytest.mark.parametrize("error", [errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EIO])
def test_on_a_file_system_without_links_a_round_is_begun_by_a_rename(store, monkeypatch, error):
    def link(*_):
        raise OSError(error, os.strerror(error))

    monkeypatch.setattr(record.os, "link", link)
    if error == errno.EIO:
        with pytest.raises(StorageFailed, match="can't be written"):
            record.begin(store, round_plan())
        assert record.latest(store, "nights") is None
    else:
        assert record.begin(store, round_plan()).plan == record.latest(store, "nights").plan
    assert not list((record.folder(store, "nights") / "rounds").glob(".tmp-*"))


def test_on_a_file_system_without_locks_a_round_is_written_all_the_same(store, monkeypatch):
    def flock(*_):
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(record.fcntl, "flock", flock)
    found = record.begin(store, round_plan())
    key = next(found.plan.keys())
    with found.writing(WHOLE) as journal:
        journal.add(ran(key))
        assert found.state is State.INTERRUPTED, "nobody can tell that it runs"
    assert [run.key for run in found.runs()] == [key]


def test_a_journal_that_cannot_be_read_is_named(store):
    found = record.begin(store, round_plan())
    (found.folder / "000001.1-of-1.jsonl").mkdir()
    with pytest.raises(StorageFailed, match=r"000001\.1-of-1\.jsonl: .*\n.*make it readable"):
        list(found.runs())


def test_a_round_is_named_by_its_number(store):
    for number in (1, 2, 10):
        record.begin(store, round_plan(number))
    assert record.named(store, "nights").plan.number == 10
    for text, number in (("1", 1), ("000001", 1), ("02", 2), ("10", 10)):
        assert record.named(store, "nights", text).plan.number == number
    for text in ("3", "0", "100", "x"):
        with pytest.raises(NoSuchThing, match=f"no round {text} of nights in .*\n.*campaign status"):
            record.named(store, "nights", text)
    with pytest.raises(NoSuchThing, match="no rounds of a campaign 'days'"):
        record.named(store, "days")


def test_no_experiment_is_called_campaigns(store):
    record.begin(store, replace(round_plan(), campaign="runs"))
    (store / "campaigns/runs").mkdir(exist_ok=True)
    assert Store(store).experiments() == []
    with pytest.raises(WrongUsage, match="campaigns"):
        Store(store).experiment("campaigns")
