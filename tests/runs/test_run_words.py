# SPDX-License-Identifier: Apache-2.0
"""What the store, manifests and records of campaigns say word by word, their defaults and what is written."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import pytest

from orchestrator.errors import NoSuchThing, StorageFailed, WrongUsage
from orchestrator.runs import campaign as campaigns
from orchestrator.runs import cell as cells
from orchestrator.runs import decided, identity
from orchestrator.runs import manifest as manifests
from orchestrator.runs import store as module
from orchestrator.runs.from_plain import from_plain
from orchestrator.runs.model import RETRIED, UNDECIDED, VERDICTS, OnTestbed, Outcome, PlacedMote, RunResult
from orchestrator.runs.spec import Built
from orchestrator.runs.store import Damage, Store
from tests.runs.conftest import WHEN, make_cell, make_result, make_spec, put


def said(kind, call, *given):
    with pytest.raises(kind) as raised:
        call(*given)
    assert type(raised.value) is kind
    return str(raised.value)


def test_names_and_ids_that_are_none(store):
    for name in (".", "a b", "firmware", "campaigns", "", "-a", "a" * 101):
        assert said(WrongUsage, store.experiment, name) == (
            f"an experiment can't be called {name!r}\n    use letters, digits, `.`, `_` and `-`, and neither "
            "'firmware' nor 'campaigns'"
        )
    assert store.experiment("a" * 100).name == "a" * 100 and store.experiment("0._-Z").name == "0._-Z"
    for run_id in ("", "xyz", "AB", "0/1"):
        assert said(NoSuchThing, store.folder, "trial", run_id) == (
            f"{run_id!r} is no run's id; `orchestrate runs list` shows them"
        )


def test_what_is_not_in_a_store(store):
    assert store.experiments() == [] and store.ids("trial") == [] and store.decided("trial") == {}
    assert said(NoSuchThing, store.there) == (
        f"no store {store.path}\n    name its folder with --store; `orchestrate run` makes one"
    )
    assert said(NoSuchThing, store.known, "x").startswith("no store")
    put(store, make_spec())
    (store.path / "firmware" / "runs").mkdir(parents=True)
    (store.path / "campaigns" / "runs").mkdir(parents=True)
    (store.path / "other").mkdir()
    (store.folder("trial", "ab")).mkdir()
    assert store.experiments() == ["trial"] and store.ids("trial") == [make_spec().run_id]
    assert store.known("trial") == "trial" and store.there() is None
    assert said(NoSuchThing, store.known, "trail") == (
        f"no experiment 'trail' in {store.path}; did you mean trial? there are: trial"
    )
    for call in (store.manifest, store.remove):
        assert said(NoSuchThing, call, "trial", "abc") == (
            "no run abc in trial; `orchestrate runs list` shows them"
        )
    assert said(NoSuchThing, store.find, "trial", "zz") == (
        "no run of trial starts with 'zz'; `orchestrate runs list trial` shows them"
    )
    ids = sorted([make_spec().run_id, *(put(store, make_spec(seed=seed)).run_id for seed in range(2, 8))])
    assert said(NoSuchThing, store.find, "trial", "") == (
        f"7 runs of trial start with '': {', '.join(ids[:5])}"
    )


def test_only_some_runs_are_read(store):
    one, other = (put(store, make_spec(seed=seed)) for seed in (1, 2))
    assert store.readable("trial", [other.run_id]) == ([other], []) and store.readable("trial", ()) == (
        [],
        [],
    )
    (store.folder("trial", one.run_id) / "manifest.json").write_text("{")
    found, unreadable = store.readable("trial")
    assert found == [other]
    assert str(unreadable[0]).endswith(
        f"\n    remove the run (`orchestrate runs remove trial {one.run_id}`) and run the scenario again"
    )
    with pytest.raises(StorageFailed):
        store.runs("trial")
    assert store.runs("trial", [other.run_id]) == [other]


def test_damage_word_by_word(store):
    spec = make_spec()
    kept = put(store, spec)
    folder = store.folder("trial", spec.run_id)
    (folder / "manifest.json").write_text(replace(kept, seed=9).to_json())
    (folder / "simulation.csc").write_text("other")
    (folder / "COOJA.testlog").unlink()
    assert store.verify("trial", [spec.run_id]) == [
        Damage("trial", spec.run_id, "the manifest's content does not give its run id: it was changed"),
        Damage("trial", spec.run_id, "simulation.csc is not what the run wrote"),
        Damage("trial", spec.run_id, "COOJA.testlog: No such file or directory"),
    ]
    (folder / "manifest.json").write_text(replace(kept, run_id="ff").to_json())
    assert store.verify("trial")[0].what == "the manifest is of run ff"
    assert store.verify("trial", []) == []


def test_a_work_folder_is_empty_and_goes_when_it_is_abandoned(store):
    work = store.open("trial", "ab")
    (work / "left").write_text("")
    assert store.open("trial", "ab") == work and list(work.iterdir()) == []
    assert work.name.startswith(f".tmp-{os.getpid()}-at") and work.name.endswith("-ab")
    store.abandon(work)
    assert not work.exists()
    store.abandon(work)


def test_a_store_that_can_t_be_written_says_so(store, monkeypatch):
    remedy = (
        "    free space or choose another folder with --store, then run the same command again; "
        "finished runs are kept"
    )
    store.path.write_text("")
    for call in (lambda: store.open("trial", "ab"), lambda: store.working("trial").__enter__()):
        assert (
            said(StorageFailed, call) == f"the store {store.path} can't be written: Not a directory\n{remedy}"
        )
    with pytest.raises(StorageFailed):
        store.sharing("trial").__enter__()


@pytest.mark.parametrize(("errors", "committed"), [(4, True), (5, False)])
def test_a_place_that_others_fill_is_tried_again(store, monkeypatch, errors, committed):
    import errno

    spec, real, left = make_spec(), os.rename, [errors]

    def rename(one, other):
        if str(other).endswith(spec.run_id) and left[0]:
            left[0] -= 1
            raise OSError(errno.ENOTEMPTY if left[0] % 2 else errno.EEXIST, "there")
        real(one, other)

    monkeypatch.setattr(module.os, "rename", rename)
    put(store, spec)
    assert (store.ids("trial") == [spec.run_id]) is committed


def test_a_committed_run_is_as_it_was_made(store):
    made = put(store, make_spec(), make_result(Outcome.CRASH))
    assert (made.evidence, made.outcome, made.seed, made.cell) == (("why",), Outcome.CRASH, 1, "H5")
    assert (made.statistics.sim_us, made.statistics.wall_s) == (370_000_000, 0.012346)
    assert (made.statistics.events, made.statistics.peak_memory) == (4711, 30_000_000)
    assert dict(made.host) == module.host() and set(made.host) == {
        "name",
        "system",
        "machine",
        "cores",
        "python",
        "byteorder",
    }
    assert made.host["cores"] == os.cpu_count() and made.host["byteorder"] in ("little", "big")
    assert " " in made.host["system"] and made.orchestrate == module.__version__
    assert made.expected_run_id() == made.run_id and made.settings == {"topology.publishers": 5}


def test_whoever_waits_says_for_whom(store, monkeypatch):
    told = []

    def alone(folder, waiting, shared=False):
        told.append((folder, shared))
        waiting()
        return module.contextmanager(lambda: iter([None]))()

    monkeypatch.setattr(module, "alone", alone)
    with store.working("trial", told.append), store.sharing("trial", told.append):
        pass
    there = f"another process is running trial in {store.path}; waiting for it to end"
    assert told == [
        (store.path / "trial", False),
        f"{there} (its runs are not made again)",
        (store.path / "trial", True),
        there,
    ]


# --- manifests


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"evidence": "x"}, "evidence: not a list of texts: 'x'"),
        ({"evidence": [1]}, "evidence: not a list of texts: [1]"),
        ({"firmware": []}, "firmware: not texts by name: []"),
        ({"firmware": {"a": 1}}, "firmware: not texts by name: {'a': 1}"),
        ({"motes": {}}, "motes: not a list: {}"),
        ({"testbed": []}, "testbed: not a testbed: []"),
        ({"testbed": {"motes": {}}}, "testbed: not a testbed: {'motes': {}}"),
        ({"testbed": {"notes": [1]}}, "testbed: not a list of texts: [1]"),
        ({"outcome": "odd"}, "outcome: 'odd' is not a valid Outcome"),
        ({"seed": True}, "seed is True"),
        ({"engine": {}}, "engine: name is missing; version is missing; rules is missing"),
    ],
)
def test_faults_of_manifests(store, change, fault):
    data = json.loads(put(store, make_spec()).to_json())
    with pytest.raises(ValueError) as raised:
        manifests.parse(json.dumps(data | change))
    assert str(raised.value) == fault
    del data["seed"]
    with pytest.raises(ValueError) as raised:
        manifests.parse(json.dumps({name: one for name, one in (data | change).items() if name != "seed"}))
    assert str(raised.value) in (f"seed is missing; {fault}", "seed is missing")


def test_what_is_no_manifest():
    for text in ("[]", "{}", '{"format": 2}'):
        with pytest.raises(ValueError, match="^not a manifest of format 1$"):
            manifests.parse(text)


def test_a_testbed_s_run_comes_back(store):
    bed = OnTestbed("lab", "hall", (PlacedMote(2, "m2", "g1", "00"),), 5, 6, ("a",), ("b",), ("c",), ("d",))
    made = put(store, make_spec(), replace(make_result(), testbed=bed))
    again = manifests.parse(made.to_json())
    assert again.testbed == bed and json.loads(made.to_json())["testbed"]["motes"][0]["eui64"] == "00"
    assert "testbed" not in json.loads(put(store, make_spec(seed=2)).to_json())


def test_times_are_to_the_millisecond(store):
    when = datetime(2026, 1, 2, 3, 4, 5, 678_999, tzinfo=UTC)
    ended = manifests.outcome(
        make_result(), csc_sha256="c", log_sha256="l", host={}, started=when, finished=when, version="9"
    )
    assert ended["started"] == ended["finished"] == "2026-01-02T03:04:05.678+00:00"
    assert (ended["orchestrate"], ended["csc_sha256"], ended["log_sha256"]) == ("9", "c", "l")


def test_defaults():
    assert OnTestbed() == OnTestbed("", "", (), 0, 0, (), (), (), ())
    assert RunResult(Outcome.OK, 1, 2.0, 3, 4) == RunResult(Outcome.OK, 1, 2.0, 3, 4, (), OnTestbed())
    assert Built() == Built("", "", "", "", "", "", "", "") and Built().described() == {}
    assert Built(flags="-g", tree="t").described() == {"tree": "t", "flags": "-g"}
    assert campaigns.Campaign("a", ()) == campaigns.Campaign("a", (), {}, None)


def test_which_outcomes_count_for_what():
    assert {one.value for one in VERDICTS} == {"failed verdict", "script timeout"}
    assert {one.value for one in RETRIED} == {"lost"}
    assert {one.value for one in UNDECIDED} == {
        "lost",
        "wall-clock limit",
        "truncated log",
        "out of memory",
        "JVM missing or too old",
        "build error",
        "testbed failed",
    }


# --- values


@dataclass(frozen=True)
class Thing:
    name: str
    size: float
    whole: int = 1
    is_odd: bool = False
    rules: str | None = None
    parts: dict = field(default_factory=dict)
    place: str = field(default="", metadata={"identity": False})


@pytest.mark.parametrize(
    ("given", "faults"),
    [
        ({}, "name is missing; size is missing"),
        ({"name": 1, "size": "x", "odd": 1}, "odd is unknown; name is 1; size is 'x'"),
        ({"name": "a", "size": True}, "size is True"),
        ({"name": "a", "size": 1, "whole": 1.0}, "whole is 1.0"),
        ({"name": "a", "size": 1, "is_odd": 1, "rules": 5}, "is_odd is 1; rules is 5"),
        ([], "not a mapping: []"),
    ],
)
def test_what_is_not_made_of_plain_values(given, faults):
    with pytest.raises(ValueError) as raised:
        from_plain(Thing, given)
    assert str(raised.value) == faults


def test_values_there_and_back():
    assert from_plain(Thing, {"name": "a", "size": 1}) == Thing("a", 1)
    assert from_plain(Thing, {"name": "a", "size": 1.5, "rules": None}, whole=7) == Thing("a", 1.5, 7)
    assert identity.plain(Thing("a", 1.5, place="here")) == {
        "name": "a",
        "size": 1.5,
        "whole": 1,
        "is_odd": False,
        "rules": None,
        "parts": {},
    }
    assert identity.plain({1: (Outcome.OK, [True])}) == {"1": ["ok", [True]]}
    assert identity.canonical({"b": "é", "a": [1, None]}) == b'{"a":[1,null],"b":"\\u00e9"}'
    assert len(identity.digest(1)) == 20
    with pytest.raises(TypeError, match="^set has no canonical form: .1.$"):
        identity.plain({1})
    with pytest.raises(TypeError, match="^type has no canonical form"):
        identity.plain(Thing)


@pytest.mark.parametrize(
    ("section", "given", "fault"),
    [
        ("topology", {"shape": "positions", "parameters": {"nodes": 5}}, "topology: nodes is 5"),
        (
            "topology",
            {"shape": "x", "parameters": {}, "source_sha256": "", "nodes": None},
            "topology: nodes is None",
        ),
        ("radio", {"links": {}}, "radio: links is {}"),
        ("application", {"name": "a", "parameters": {}, "folder": ""}, "application: folder is unknown"),
        ("application", None, "application: not a mapping: None"),
    ],
)
def test_faults_of_cells(section, given, fault):
    parameters = identity.plain(make_cell())
    with pytest.raises(ValueError) as raised:
        cells.as_cell(parameters | {section: given})
    assert str(raised.value).startswith(fault)


def test_a_cell_that_can_t_be_used_is_told(store):
    manifest = put(store, make_spec())
    assert str(manifest.unusable()) == (
        f"the manifest of run {manifest.run_id} holds no cell that can be simulated\n"
        "    `orchestrate runs verify` says whether it was changed since"
    )
    assert manifest.usable().application.folder == "" and manifest.usable("/f").application.folder == "/f"
    assert cells.as_cell(manifest.parameters) == make_cell()


# --- outcomes that are remembered


def test_outcomes_are_kept_once_enough_were_read(store, monkeypatch):
    assert decided._WORTH == 50
    monkeypatch.setattr(decided, "_WORTH", 3)
    for seed in (1, 2):
        put(store, make_spec(seed=seed))
    store.decided("trial")
    kept = store.path / "trial" / ".outcomes.json"
    assert not kept.exists()
    put(store, make_spec(seed=3), make_result(Outcome.LOST))
    assert len(store.decided("trial")) == 2 and kept.is_file()
    data = json.loads(kept.read_text())
    assert data["format"] == 1 and len(data["runs"]) == 3
    path = store.folder("trial", make_spec().run_id) / "manifest.json"
    status = path.stat()
    stamp = f"{status.st_ino}-{status.st_ctime_ns}-{status.st_size}"
    assert data["runs"][make_spec().run_id] == [stamp, "ok"]


# --- campaigns


def test_faults_of_campaigns_are_told(tmp_path):
    (tmp_path / "campaign.json").write_text("{")
    first, second = said(StorageFailed, campaigns.read, tmp_path).split("\n")
    assert first.startswith(f"{tmp_path / 'campaign.json'}: not a readable list of runs: ")
    assert second == "    run the scenario again; finished runs are kept"
    (tmp_path / "campaigns").write_text("")
    assert said(StorageFailed, campaigns.keep, tmp_path, campaigns.Campaign("a", ()), "", WHEN) == (
        f"{tmp_path} can't be written: File exists\n    free space or choose another folder with --store, "
        f"then run "
        "the same command again"
    )


def test_a_campaign_s_files_by_name_and_time(tmp_path):
    campaigns.keep(tmp_path, campaigns.Campaign("a", ("b",)), "text", WHEN)
    assert sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.*")) == [
        "campaign.json",
        "campaigns/2026-01-02T030405.000000Z.json",
        "scenario.yaml",
    ]
    kept = json.loads((tmp_path / "campaigns" / "2026-01-02T030405.000000Z.json").read_text())
    assert kept == {"format": 1, "experiment": "a", "applications": {}, "runs": ["b"], "scenario": "text"}
    before = datetime.now(UTC)
    campaigns.keep(tmp_path, campaigns.Campaign("a", ("c",)), "text")
    assert campaigns.history(tmp_path)[-1][0] >= before.replace(microsecond=0)


def test_a_store_of_its_own(tmp_path):
    assert Store(str(tmp_path)).path == tmp_path
