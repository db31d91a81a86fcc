# SPDX-License-Identifier: Apache-2.0
"""Which folders are installed applications, whose build commands are trusted; and what trees can't build."""

from __future__ import annotations

import shutil
from types import SimpleNamespace

import pytest

from orchestrator.build import recipe, sources
from orchestrator.errors import NoSuchThing, Unsupported
from orchestrator.resources import contiki_apps

INSTALLED = contiki_apps() / "apps" / "pubsub-hello"


def test_an_installed_application_and_an_unchanged_copy_are_installed(tmp_path):
    copy = tmp_path / "pubsub-hello"
    shutil.copytree(INSTALLED, copy)
    assert sources.is_installed(INSTALLED) and sources.is_installed(copy)


def test_a_changed_copy_and_a_folder_of_the_same_name_are_not(tmp_path):
    changed, other = tmp_path / "a" / "pubsub-hello", tmp_path / "b" / "pubsub-hello"
    shutil.copytree(INSTALLED, changed)
    source = changed / "pubsub-hello.c"
    source.write_text(source.read_text() + "\n")
    other.mkdir(parents=True)
    (other / "Makefile").write_text("all:\n\trm -rf everything\n")  # nothing that firmware can be built from
    assert not sources.is_installed(changed) and not sources.is_installed(other)


def test_the_folder_of_an_application_by_its_name_its_path_or_its_description(tmp_path, monkeypatch):
    copy = tmp_path / "mine" / "hello"
    shutil.copytree(INSTALLED, copy)
    monkeypatch.chdir(tmp_path / "mine")
    described = SimpleNamespace(file=copy / "application.yaml")
    for named, folder in (
        ("pubsub-hello", INSTALLED),
        (INSTALLED, INSTALLED),
        ("hello", copy),
        (copy, copy),
        ("../mine/hello", copy),
        (described, copy),
    ):
        assert sources.application_folder(named) == folder.resolve()
    (tmp_path / "mine" / "aggregation").mkdir()
    assert sources.application_folder("aggregation").parent == INSTALLED.parent, (
        "the installed one comes first"
    )
    monkeypatch.chdir(copy)
    assert sources.application_folder(".") == copy
    for named in ("..", "pubsub-helo", tmp_path / "none", str(tmp_path)):
        with pytest.raises(NoSuchThing, match="no application .* \\(a folder with a Makefile\\); "):
            sources.application_folder(named)
    with pytest.raises(NoSuchThing, match="did you mean pubsub-hello"):
        sources.application_folder("pubsub-helo")


def test_what_builds_with_our_recipe(tmp_path):
    assert sources.is_ours(INSTALLED) and not sources.is_ours(INSTALLED.parent)
    copy = tmp_path / "apps" / "mine"
    shutil.copytree(INSTALLED, copy)
    assert sources.is_ours(copy), "it has a description"
    (copy / "application.yaml").unlink()
    assert not sources.is_ours(copy)
    (tmp_path / sources.MARKER).write_text("")
    assert sources.is_ours(copy), "it is in a tree of ours"
    (copy / "Makefile").unlink()
    assert not sources.is_ours(copy)


def test_what_only_the_embedded_contiki_has_is_refused_for_a_tree():
    with pytest.raises(Unsupported, match="MAC=radio-csma exists only in the embedded Contiki"):
        recipe.recipe("pubsub-hello", {"MAC": "radio-csma"}, from_image="sha256:1")
    assert recipe.recipe("pubsub-hello", {"MAC": "nullmac"}, from_image="sha256:1").on_contiki_ng
