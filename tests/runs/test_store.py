# SPDX-License-Identifier: Apache-2.0
"""The run store: whole runs or none, found again, verified, removed."""

import errno
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator.errors import NoSuchThing, StorageFailed, WrongUsage
from orchestrator.runs import store as module
from orchestrator.runs.manifest import CSC_FILE, FILE, LOG_FILE, parse
from orchestrator.runs.model import Outcome
from orchestrator.runs.store import Store, default_store
from tests.runs.conftest import WHEN, make_cell, make_result, make_spec, put


def test_a_run_is_found_as_it_was_put(store):
    spec = make_spec()
    manifest = put(store, spec)
    assert store.runs("trial") == [manifest]
    folder = store.folder("trial", spec.run_id)
    assert sorted(path.name for path in folder.iterdir()) == [LOG_FILE, FILE, CSC_FILE]
    assert (folder / CSC_FILE).read_bytes() == spec.csc_text
    data = json.loads((folder / FILE).read_text())
    assert list(data) == [
        "format",
        "run_id",
        "trend_id",
        "experiment",
        "cell",
        "settings",
        "seed",
        "parameters",
        "motes",
        "csc_sha256",
        "log_sha256",
        "firmware",
        "engine",
        "outcome",
        "evidence",
        "statistics",
        "host",
        "started",
        "finished",
        "orchestrate",
        "built",
    ]
    assert data["engine"] == {"name": "embedded", "version": "v1", "rules": "5.0"}
    assert data["motes"][1] == {
        "mote": 2,
        "name": "P1",
        "role": "publisher",
        "x": 5,
        "y": 0,
        "parent": 1,
        "topic": 1,
        "second": 0,
        "also": "",
        "dies": False,
    }
    assert data["started"] == data["finished"] == "2026-01-02T03:04:05.000+00:00"
    assert parse(manifest.to_json()) == manifest
    assert store.verify("trial") == []
    assert [path.name for path in store.experiment("trial").iterdir()] == ["runs"]


def test_runs_come_by_cell_and_seed(store):
    for cell, seed in (("B", 2), ("A", 10), ("A", 2)):
        put(store, make_spec(make_cell(cell), seed))
    assert [(run.cell, run.seed) for run in store.runs("trial")] == [("A", 2), ("A", 10), ("B", 2)]
    assert store.experiments() == ["trial"]


def test_an_experiment_of_logs_alone_is_known(store):
    (store.path / "foreign" / "logs").mkdir(parents=True)
    assert store.known("foreign") == "foreign"
    assert store.experiments() == ["foreign"]


def test_an_open_run_is_not_a_run(store):
    work = store.open("trial", make_spec().run_id)
    (work / LOG_FILE).write_text("half")
    assert store.runs("trial") == []
    assert not list((store.experiment("trial") / "runs").iterdir())


def test_a_crash_between_the_last_write_and_the_rename_shows_nothing(store, monkeypatch):
    monkeypatch.setattr(
        module.os, "rename", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device"))
    )
    with pytest.raises(StorageFailed, match="No space left on device\n.*--store"):
        put(store, make_spec())
    assert store.ids("trial") == []


def test_a_later_result_replaces_an_earlier_one(store):
    put(store, make_spec(), make_result(Outcome.WALL_LIMIT))
    assert store.decided("trial") == {}
    put(store, make_spec(), make_result(Outcome.CRASH), log=b"other\n")
    assert store.decided("trial") == {make_spec().run_id: Outcome.CRASH}
    assert store.verify("trial") == []
    assert [path.name for path in store.experiment("trial").iterdir()] == ["runs"]


def test_a_try_of_which_nothing_was_logged_takes_no_log_away(store):
    put(store, make_spec(), make_result(Outcome.TRUNCATED), log=b"1\tID:1\tcollected\n")
    put(store, make_spec(), make_result(Outcome.TESTBED), log=b"")
    assert store.runs("trial")[0].outcome is Outcome.TRUNCATED and store.verify("trial") == []
    put(store, make_spec(), make_result(Outcome.TRUNCATED), log=b"1\tID:1\tmore\n")
    assert (store.folder("trial", make_spec().run_id) / LOG_FILE).read_bytes() == b"1\tID:1\tmore\n"


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (
            lambda folder: (folder / LOG_FILE).write_text("Random seed: 2\n"),
            f"{LOG_FILE} is not what the run wrote",
        ),
        (lambda folder: (folder / CSC_FILE).unlink(), f"{CSC_FILE}: No such file"),
        (lambda folder: (folder / FILE).write_text("{"), "not a readable manifest"),
        (
            lambda folder: (folder / FILE).write_text(
                (folder / FILE).read_text().replace('"seed": 1', '"seed": 2')
            ),
            "does not give its run id",
        ),
        (
            lambda folder: (folder / FILE).write_text(
                (folder / FILE).read_text().replace('"format": 1', '"format": 9')
            ),
            "not a readable manifest",
        ),
    ],
)
def test_damage_is_found(store, damage, said):
    spec = make_spec()
    put(store, spec)
    put(store, make_spec(seed=2))
    damage(store.folder("trial", spec.run_id))
    found = store.verify("trial")
    assert [one.run_id for one in found] == [spec.run_id]
    assert said in found[0].what


def test_an_unreadable_manifest_is_not_a_finished_run(store):
    put(store, make_spec())
    (store.folder("trial", make_spec().run_id) / FILE).write_text("")
    assert store.decided("trial") == {}
    with pytest.raises(StorageFailed, match="runs remove trial"):
        store.runs("trial")
    other = put(store, make_spec(seed=2))
    readable, unreadable = store.readable("trial")
    assert readable == [other] and make_spec().run_id in str(unreadable[0])
    assert store.runs("trial", {other.run_id}) == [other]


def test_prefixes(store):
    put(store, make_spec())
    put(store, make_spec(seed=2))
    one = make_spec().run_id
    assert store.find("trial", one[:10]) == one
    with pytest.raises(NoSuchThing, match="no run of trial starts with 'zz'"):
        store.find("trial", "zz")
    with pytest.raises(NoSuchThing, match="2 runs of trial start with ''"):
        store.find("trial", "")


def test_removing(store):
    put(store, make_spec())
    store.remove("trial", make_spec().run_id)
    assert store.ids("trial") == []
    assert [path.name for path in store.experiment("trial").iterdir()] == ["runs"]
    with pytest.raises(NoSuchThing):
        store.remove("trial", make_spec().run_id)


@pytest.mark.parametrize("name", ["..", ".", "", "a/b", "firmware", ".tmp-1-x", "a" * 101, "a\n"])
def test_names_stay_inside_the_store(store, name):
    with pytest.raises(WrongUsage):
        store.experiment(name)
    with pytest.raises((NoSuchThing, WrongUsage)):
        store.folder("trial", "../" + name)


def test_what_a_killed_process_left_is_swept(store):
    program = (
        "import os, sys; from orchestrator.runs.store import Store; print(Store(sys.argv[1]).open('trial', "
        "'ab'))"
    )
    left = subprocess.run(
        [sys.executable, "-c", program, str(store.path)], capture_output=True, text=True, check=True
    )
    mine = store.open("trial", "cd")
    assert Path(left.stdout.strip()).is_dir()
    assert store.sweep("trial") == 1
    assert not Path(left.stdout.strip()).exists()
    assert mine.is_dir()


def test_where_the_store_is(monkeypatch, tmp_path):
    monkeypatch.delenv("ORCHESTRATE_STORE", raising=False)
    assert default_store() == Path("orchestrate-store")
    monkeypatch.setenv("ORCHESTRATE_STORE", str(tmp_path))
    assert default_store() == tmp_path
    assert default_store("here") == Path("here")


def test_a_store_that_is_a_file(tmp_path):
    (tmp_path / "store").write_text("")
    with pytest.raises(StorageFailed, match="can't be written"):
        Store(tmp_path / "store").open("trial", "ab")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_store(tmp_path):
    (tmp_path / "store").mkdir(mode=0o500)
    with pytest.raises(StorageFailed, match="Permission denied"):
        Store(tmp_path / "store").open("trial", "ab")


def test_a_manifest_is_plain_json_whatever_the_names(store):
    kept = put(store, make_spec(make_cell(name="H\u00e9")))
    assert kept.to_json().isascii() and "\\u00e9" in kept.to_json()
    with pytest.raises(ValueError, match="JSON"):  # NaN is not JSON, and other readers refuse the file
        replace(kept, statistics={"wall_s": float("nan")}).to_json()


def test_a_run_is_removed_even_if_its_files_stay_for_now(store, monkeypatch):
    kept = put(store, make_spec())

    def busy(*_args, **_options):
        raise OSError(errno.EBUSY, "Device or resource busy")

    with monkeypatch.context() as patch:
        patch.setattr("os.rmdir", busy)
        store.remove("trial", kept.run_id)
    assert store.runs("trial") == []


def test_a_run_without_an_end_ends_when_it_is_put(store):
    spec = make_spec()
    kept = store.commit(store.open("trial", spec.run_id), spec, make_result(), started=WHEN)
    assert kept.started == "2026-01-02T03:04:05.000+00:00" < kept.finished
    assert (store.folder("trial", spec.run_id) / LOG_FILE).read_bytes() == b"", (
        "the log of an engine that wrote none"
    )


def test_a_run_that_is_not_there_is_named_with_what_lists_them(store):
    put(store, make_spec())
    with pytest.raises(
        NoSuchThing, match="no run 0123456789abcdef0123 in trial; `orchestrate runs list trial`"
    ):
        store.manifest("trial", "0123456789abcdef0123")
