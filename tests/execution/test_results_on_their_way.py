# SPDX-License-Identifier: Apache-2.0
"""Results on their way to the machine that keeps them: each is there once and as a whole, in a folder or an
object store, and what a place refuses is told.
"""

from __future__ import annotations

import os
from dataclasses import replace

import pytest

from orchestrator.errors import StorageFailed
from orchestrator.execution.results import SharedFolder
from orchestrator.runs.model import Outcome, RunResult

RESULT = RunResult(Outcome.FAILED, 5, 0.25, 7, 9, ("a line",))


def test_a_worker_that_does_not_see_the_store_says_so(tmp_path):
    (tmp_path / "log").touch()
    with pytest.raises(StorageFailed, match="not seen here"):
        SharedFolder(tmp_path / "none").keep("k", tmp_path / "log", RESULT)


def broken(*_, **__):
    raise PermissionError(13, "Permission denied")


REMEDY = "\n    see that all machines of the cluster reach it, then run the same command again"


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
