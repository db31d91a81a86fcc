# SPDX-License-Identifier: Apache-2.0
"""What git says of checkouts, and that a folder which merely lies in one is not of it."""

import pytest

from orchestrator import git
from orchestrator.errors import MissingTool
from tests import checkout


@pytest.fixture
def repository(tmp_path):
    folder = tmp_path / "repository"
    checkout.begin(folder)
    (folder / "mine").mkdir()
    (folder / "mine" / "a.c").write_text("one")
    return folder


def test_a_checkout_is_that_of_files_under_version_control(repository, tmp_path):
    first = checkout.commit(repository, "the first one")
    inside = repository / ".venv"
    inside.mkdir()
    (inside / "a.c").write_text("installed")
    assert git.top(repository / "mine", "a.c") == repository
    assert git.top(inside, "a.c") is None and git.top(repository / "mine", "b.c") is None
    assert git.top(tmp_path / "none", "a.c") is None and git.top(tmp_path, "a.c") is None
    assert git.commit(repository) == git.commit(repository, first[:8]) == first
    assert git.commit(repository, "nonsense") is None and git.commit(repository, "--help") is None
    assert first.startswith(git.described(repository))
    checkout.git(repository, "tag", "v1")
    assert git.described(repository) == "v1"


def test_a_change_is_one_in_the_folder_that_was_asked_about(repository):
    first = checkout.commit(repository, "the first one")
    (repository / "beside.txt").write_text("new")
    assert not git.changed(repository / "mine") and git.changed(repository)
    (repository / "mine" / "a.c").write_text("two")
    assert git.changed(repository / "mine") and not git.changed(repository, ["none"])
    second = checkout.commit(repository, "the second one\n\nwith a body")
    assert not git.changed(repository)
    assert git.files(repository, second) == ("beside.txt", "mine/a.c")
    assert git.files(repository, first) == ("mine/a.c",)
    assert git.subject(repository, second) == "the second one"


def test_a_hook_that_calls_us_does_not_lead_git_elsewhere(repository, monkeypatch, tmp_path):
    checkout.commit(repository, "the first one")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    assert git.top(repository, "mine/a.c") == repository


def test_without_git_nothing_is_a_checkout(repository, monkeypatch):
    checkout.commit(repository, "the first one")
    monkeypatch.setenv("PATH", "")
    assert git.top(repository / "mine", "a.c") is None
    with pytest.raises(MissingTool, match="install git"):
        git.commit(repository)
