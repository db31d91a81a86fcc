# SPDX-License-Identifier: Apache-2.0
"""Results on their way to the machine that keeps them: each is there once and as a whole, in a folder or an
object store, and what a place refuses is told.
"""

from __future__ import annotations

import os
from dataclasses import replace

import pytest

from orchestrator.errors import StorageFailed
from orchestrator.execution.results import ObjectStore, SharedFolder
from orchestrator.runs.model import Outcome, RunResult

RESULT = RunResult(Outcome.FAILED, 5, 0.25, 7, 9, ("a line",))


@pytest.mark.parametrize("kind", ["folder", "objects"])
def test_a_result_is_there_once_and_as_a_whole(tmp_path, kind, object_store):
    (tmp_path / "shared").mkdir()
    door = SharedFolder(tmp_path / "shared") if kind == "folder" else ObjectStore(object_store)
    for number in (1, 2):
        (tmp_path / f"log{number}").write_bytes(b"%d" % number)
    assert door.found("k") is None and door.take("k", tmp_path / "taken") is None
    door.keep("k", tmp_path / "log1", RESULT)
    door.keep("k", tmp_path / "log2", replace(RESULT, outcome=Outcome.OK))  # a lost task's twin
    assert door.found("k") == RESULT
    assert door.take("k", tmp_path / "taken") == RESULT and (tmp_path / "taken").read_bytes() == b"1"
    assert door.found("k") is None
    if kind == "objects":
        assert door._files.find("/results") == []


@pytest.mark.parametrize("kind", ["folder", "objects"])
def test_a_log_that_is_not_what_was_written_is_no_result(tmp_path, kind, object_store):
    (tmp_path / "shared").mkdir()
    door = SharedFolder(tmp_path / "shared") if kind == "folder" else ObjectStore(object_store)
    (tmp_path / "log").write_bytes(b"whole")
    door.keep("k", tmp_path / "log", RESULT)
    if kind == "folder":
        (tmp_path / "shared" / "k" / "COOJA.testlog").write_bytes(b"who")
    else:
        (log,) = [name for name in door._files.find("/results") if name.endswith(".testlog")]
        door._files.pipe_file(log, b"who")
    assert door.take("k", tmp_path / "taken") is None
    assert door.found("k") is None  # so that it is made again


def test_a_worker_that_does_not_see_the_store_says_so(tmp_path):
    (tmp_path / "log").touch()
    with pytest.raises(StorageFailed, match="not seen here"):
        SharedFolder(tmp_path / "none").keep("k", tmp_path / "log", RESULT)


def broken(*_, **__):
    raise PermissionError(13, "Permission denied")


REMEDY = "\n    see that all machines of the cluster reach it, then run the same command again"


def test_an_object_store_that_can_t_be_reached(tmp_path, object_store, monkeypatch):
    """What it refuses is told with its place; what it has lost is no result."""
    (tmp_path / "log").write_bytes(b"lines")
    door = ObjectStore(f"{object_store}/")
    files, folder = door._files, "/results/k"
    door.keep("k", tmp_path / "log", RESULT)
    with monkeypatch.context() as patch:
        patch.setattr(files, "pipe_file", broken)
        with pytest.raises(StorageFailed, match=f"^/results: Permission denied{REMEDY}$"):
            door.keep("other", tmp_path / "log", RESULT)
    with monkeypatch.context() as patch:
        patch.setattr(files, "cat_file", broken)
        with pytest.raises(StorageFailed, match=f"^{folder}/result.json: Permission denied{REMEDY}$"):
            door.found("k")
    with monkeypatch.context() as patch:
        patch.setattr(files, "rm_file", broken)
        with pytest.raises(StorageFailed, match=f"^{folder}/result.json: Permission denied{REMEDY}$"):
            door.take("k", tmp_path / "taken")
    assert not (tmp_path / "taken").exists()
    (log,) = [name for name in files.find("/results") if name.endswith(".testlog")]
    files.rm_file(log)
    assert door.found("k") == RESULT and door.take("k", tmp_path / "taken") is None
    assert files.find("/results") == [] and not (tmp_path / "taken").exists()


def test_of_two_machines_that_keep_a_result_at_once_the_first_one_s_stays(tmp_path, monkeypatch):
    """The second finds no folder there and, when it puts its own in place, one that has come meanwhile."""
    (tmp_path / "log").write_bytes(b"lines")
    place = tmp_path / "shared"
    place.mkdir()
    door, rename = SharedFolder(place), os.rename

    def late(source, target):
        monkeypatch.setattr(os, "rename", rename)
        door.keep("k", tmp_path / "log", replace(RESULT, events=1))
        rename(source, target)

    monkeypatch.setattr(os, "rename", late)
    door.keep("k", tmp_path / "log", RESULT)
    assert door.found("k") == replace(RESULT, events=1)
    assert [one.name for one in place.iterdir()] == ["k"]
    monkeypatch.setattr(os, "rename", broken)
    with pytest.raises(StorageFailed, match=f"^{place}: Permission denied{REMEDY}$"):
        door.keep("other", tmp_path / "log", RESULT)
    assert [one.name for one in place.iterdir()] == ["k"]
