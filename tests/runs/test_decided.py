# SPDX-License-Identifier: Apache-2.0
"""Outcomes that are known by the manifest's stamp: always what the manifest says."""

import json
import os
import threading

import pytest

from orchestrator import durable
from orchestrator.runs import decided
from orchestrator.runs.model import Outcome
from orchestrator.runs.store import Store
from tests.runs.conftest import make_cell, make_result, make_spec, put
from tests.waiting import HANG_S


@pytest.fixture
def read(monkeypatch):
    """Manifests that were read."""
    seen = []
    real = Store.manifest
    monkeypatch.setattr(Store, "manifest", lambda self, *which: seen.append(which[1]) or real(self, *which))
    monkeypatch.setattr(decided, "_WORTH", 1)
    return seen


def test_a_manifest_is_read_once(store, read):
    ids = [put(store, make_spec(make_cell(), seed)).run_id for seed in (1, 2)]
    lost = put(store, make_spec(make_cell(), 3), make_result(Outcome.LOST)).run_id
    assert store.decided("trial") == dict.fromkeys(ids, Outcome.OK) and sorted(read) == sorted([*ids, lost])
    read.clear()
    assert Store(store.path).decided("trial") == dict.fromkeys(ids, Outcome.OK) and read == []


def test_what_has_changed_is_read_again(store, read):
    first, second, third = (put(store, make_spec(make_cell(), seed)).run_id for seed in (1, 2, 3))
    store.decided("trial")
    read.clear()
    path = store.folder("trial", first) / "manifest.json"
    status = os.stat(path)
    path.write_text(path.read_text().replace('"ok"', '"no"'))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    store.remove("trial", second)
    put(store, make_spec(make_cell(), 3), make_result(Outcome.FAILED))
    assert store.decided("trial") == {third: Outcome.FAILED}
    assert sorted(read) == sorted([first, third])


@pytest.mark.parametrize(
    "damage", ["", "{", "[]", '{"format": 2, "runs": {}}', '{"format": 1, "runs": {"a": 1}}']
)
def test_a_damaged_list_is_no_list(store, read, damage):
    run_id = put(store, make_spec()).run_id
    store.decided("trial")
    (store.path / "trial" / decided.NAME).write_text(damage)
    assert store.decided("trial") == {run_id: Outcome.OK}


def test_an_outcome_that_nobody_knows_is_read_again(store, read):
    run_id = put(store, make_spec()).run_id
    store.decided("trial")
    path = store.path / "trial" / decided.NAME
    data = json.loads(path.read_text())
    data["runs"][run_id][1] = "wonderful"
    path.write_text(json.dumps(data))
    assert store.decided("trial") == {run_id: Outcome.OK}


def test_a_store_that_cannot_be_written_is_read_all_the_same(store, read, monkeypatch):
    run_id = put(store, make_spec()).run_id
    monkeypatch.setattr(durable, "write", lambda *_: (_ for _ in ()).throw(OSError(30, "read-only")))
    assert store.decided("trial") == {run_id: Outcome.OK}
    assert not list(store.path.glob("trial/.*"))


def test_two_that_commit_one_run_at_once_do_not_fail(store):
    spec = make_spec()
    stores = [Store(store.path) for _ in range(2)]
    works = []
    for number, one in enumerate(stores):
        work = one.open("trial", spec.run_id)
        (work / "COOJA.testlog").write_text("same\n")
        works.append(work.rename(work.with_name(f"{work.name}-{number}")))
    from tests.runs.conftest import WHEN

    failed = []

    def commit(one, work):
        try:
            one.commit(work, spec, make_result(), started=WHEN, finished=WHEN)
        except Exception as error:  # noqa: BLE001
            failed.append(error)

    threads = [
        threading.Thread(daemon=True, target=commit, args=pair) for pair in zip(stores, works, strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == [] and store.verify("trial") == [] and store.ids("trial") == [spec.run_id]


def test_work_of_another_machine_is_not_swept(store):
    mine = store.open("trial", "ab")
    gone = mine.with_name(mine.name.replace(f"-{os.getpid()}-", "-4194999-"))
    elsewhere = mine.with_name(".tmp-4194999-at00000000-ab")
    old = mine.with_name(".tmp-4194999-ab")
    for folder in (gone, elsewhere, old):
        folder.mkdir()
    assert store.sweep("trial") == 2
    assert mine.is_dir() and elsewhere.is_dir() and not gone.exists() and not old.exists()


def test_those_who_share_an_experiment_do_not_wait_for_each_other(store):
    said = []
    with store.sharing("trial", said.append), store.sharing("trial", said.append):
        assert said == []
        waiting = threading.Event()

        def alone():
            with store.working("trial", lambda text: (said.append(text), waiting.set())):
                said.append("alone")

        thread = threading.Thread(daemon=True, target=alone)
        thread.start()
        assert waiting.wait(HANG_S) and "alone" not in said
    thread.join()
    assert said[-1] == "alone"


def test_what_was_just_committed_is_not_read(store, read):
    ids = [put(store, make_spec(make_cell(), seed)).run_id for seed in (1, 2)]
    store.remember("trial", {ids[0]: Outcome.OK})
    assert read == ids[1:]
    read.clear()
    assert set(store.decided("trial")) == set(ids) and read == []
