# SPDX-License-Identifier: Apache-2.0
"""Which run a name means, and what is said of one that means none or several."""

from __future__ import annotations

from datetime import timedelta

import pytest

from orchestrator.errors import NoSuchThing, StorageFailed, WrongUsage
from orchestrator.inspect.find import Found, find, mote_number, of_cell, runs_of
from orchestrator.runs import run_list as run_lists
from orchestrator.runs.store import Store
from tests.runs.conftest import WHEN, make_cell, make_result, make_spec, put

FORMS = "EXPERIMENT RUN, EXPERIMENT/CELL/SEED, the start of a run's id, or a run folder's path"


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "store")


@pytest.fixture
def runs(store):
    """The cell H5 with seeds 1 to 3 and 5, H6 with seed 1, by (cell, seed)."""
    wanted = [("H5", seed) for seed in (1, 2, 3, 5)] + [("H6", 1)]
    specs = {
        one: make_spec(make_cell(one[0], duration_us=len(one[0]) + i), one[1]) for i, one in enumerate(wanted)
    }
    for spec in specs.values():
        put(store, spec)
    return {one: spec.run_id for one, spec in specs.items()}


def said(call, *args):
    with pytest.raises(NoSuchThing) as raised:
        call(*args)
    return str(raised.value)


def test_every_form_of_a_name(store, runs, monkeypatch):
    wanted = runs["H6", 1]
    folder = store.folder("trial", wanted)
    monkeypatch.chdir(folder)
    for names in (
        ["trial", wanted[:12]],
        ["trial/H6/1"],
        ["trial/H6"],
        [f"trial/{wanted[:12]}"],
        [wanted[:12]],
        [str(folder)],
        [str(folder / "manifest.json")],
        [str(folder / "COOJA.testlog")],
    ):
        found = find(store, names)
        assert found.manifest.run_id == wanted and found.where.resolve() == folder.resolve(), names
        assert found.others == ()
    (folder / "manifest.json").rename(folder / "elsewhere")
    assert find(store, [str(folder)]) == Found(folder, None)
    for name in ("a.log", "b.testlog"):
        (folder / name).write_text("")
        assert find(store, [str(folder / name)]) == Found(folder / name, None)
    (folder / "c.txt").write_text("")
    assert said(find, store, [str(folder / "c.txt")]) == (
        f"no run folder '{folder / 'c.txt'}': it has no manifest.json and no COOJA.testlog\n"
        f"    name a run by {FORMS}"
    )


def test_what_names_no_run(store, runs):
    for names in ([], ["a", "b", "c"]):
        with pytest.raises(WrongUsage) as raised:
            find(store, names)
        assert str(raised.value) == f"{len(names)} words don't name a run\n    name it by {FORMS}"
    assert said(find, store, ["trial"]) == (
        f"trial has 5 runs, in the cells H5, H6\n    name one by {FORMS}, such as trial/H5/1; "
        "`orchestrate runs list trial` shows them"
    )
    assert said(find, store, ["trial/H5"]) == (
        "trial/H5 is a cell, with runs of the seeds 1 to 3, 5\n    name one by its seed, such as trial/H5/1"
    )
    assert said(find, store, ["trial/H5/4"]) == "no run of trial/H5 with seed 4; there are: 1 to 3, 5"
    assert said(find, store, ["trial/H5/-1"]) == "no run of trial/H5 with seed -1; there are: 1 to 3, 5"
    assert said(find, store, ["trial/H5/x"]) == f"'x' is not a seed\n    name the run by {FORMS}"
    assert said(find, store, ["trial/H55/1"]) == "no cell 'H55' in trial; did you mean H5? there are: H5, H6"
    assert said(find, store, ["trial/H55"]) == "no cell 'H55' in trial; did you mean H5? there are: H5, H6"
    assert said(find, store, ["trial/"]) == (
        "no cell '' in trial, and no run whose id starts so; there are: H5, H6"
    )
    unknown = next(
        digit for digit in "0123456789abcdef" if not any(one.startswith(digit) for one in runs.values())
    )
    assert said(find, store, [f"trial/{unknown}"]) == (
        f"no cell '{unknown}' in trial, and no run whose id starts so; there are: H5, H6"
    )
    assert said(find, store, [unknown]) == (
        f"no run '{unknown}' in {store.path}\n    name it by {FORMS}; of experiments: there are: trial"
    )
    assert "no store" in said(find, Store(store.path / "nix"), ["zz"])


def test_the_start_of_several_ids_lists_them(store):
    ids = []
    while not ids or len([one for one in ids if one[0] == ids[0][0]]) < 2:
        spec = make_spec(seed=len(ids) + 1)
        put(store, spec)
        ids.append(spec.run_id)
    both = sorted(one for one in ids if one[0] == ids[0][0])
    assert said(find, store, [both[0][0]]) == (
        f"2 runs start with {both[0][0]!r}: trial/{both[0]}, trial/{both[1]}"
    )


def test_runs_of_a_cell_and_of_a_seed(store, runs):
    assert sorted(runs_of(store, "trial/H5")) == sorted(runs["H5", seed] for seed in (1, 2, 3, 5))
    assert runs_of(store, "trial/H5/5") == [runs["H5", 5]]
    assert runs_of(store, f"trial/{runs['H6', 1][:12]}") == [runs["H6", 1]]


def test_a_manifest_that_can_t_be_read(store, runs):
    damaged = store.folder("trial", runs["H6", 1]) / "manifest.json"
    damaged.write_text("{")
    assert find(store, ["trial/H5/1"]).manifest.run_id == runs["H5", 1]
    with pytest.raises(StorageFailed, match="not a readable manifest"):
        find(store, ["trial/H6/1"])
    with pytest.raises(
        StorageFailed, match="name its COOJA.testlog in a folder of its own to look into that alone"
    ):
        find(store, [str(damaged.parent)])
    for seed in (1, 2, 3, 5):
        (store.folder("trial", runs["H5", seed]) / "manifest.json").write_text("{")
    assert (
        said(find, store, ["trial"])
        == "trial has no readable run\n    `orchestrate runs list trial` says why"
    )


@pytest.fixture
def twice(store):
    """Two runs of one cell and seed, with different firmware; the ids, the earlier one's first."""
    specs = [make_spec(firmware=letter * 64) for letter in "ab"]
    for turn, spec in enumerate(specs):
        work = store.open(spec.experiment, spec.run_id)
        (work / "COOJA.testlog").write_bytes(b"Random seed: 1\n")
        when = WHEN - timedelta(days=turn)
        store.commit(work, spec, make_result(), started=when, finished=when)
    return [spec.run_id for spec in reversed(specs)]


def test_of_several_runs_of_a_seed_none_is_chosen(store, twice):
    assert said(find, store, ["trial/H5/1"]) == (
        "2 runs of trial/H5 have seed 1, of different firmware or engines; name one by its id:\n"
        f"    {twice[0][:12]}: ok, finished 2026-01-01T03:04:05, embedded 5.0, "
        "firmware aggregation bbbbbbbbbbbb\n"
        f"    {twice[1][:12]}: ok, finished 2026-01-02T03:04:05, embedded 5.0, "
        "firmware aggregation aaaaaaaaaaaa"
    )
    assert said(find, store, ["trial/H5"]).startswith("trial/H5 is a cell, with runs of the seeds 1\n")


def test_the_campaign_s_run_is_meant(store, twice):
    for meant, other in (twice, reversed(twice)):
        run_lists.keep(store.experiment("trial"), run_lists.RunList("trial", (meant,)), "")
        found = find(store, ["trial/H5/1"])
        assert found.manifest.run_id == meant and [one.run_id for one in found.others] == [other]
        assert find(store, ["trial/H5"]).manifest.run_id == meant
        assert [[one.run_id for one in some] for some in of_cell(store, "trial", "H5", 1)] == [
            [meant],
            [other],
        ]


def test_a_mote_by_name_or_number(store, runs):
    run = find(store, ["trial/H6/1"])
    assert mote_number(run, "P1") == mote_number(run, "2") == 2
    assert said(mote_number, run, "P3") == "no mote 'P3' in this run; there are: S, P1"
    assert said(mote_number, Found(run.where, None), "P1") == "no mote 'P1' in this run; there are none"
