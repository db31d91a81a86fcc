# SPDX-License-Identifier: Apache-2.0
"""The cache of built files: whole entries or none, verified on use, and who is told of a build."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest

from orchestrator.build import cache
from orchestrator.errors import StorageFailed


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return cache.cache_folder()


class Maker:
    """Makes a file of this content, and counts how often."""

    def __init__(self, content="made"):
        self.content, self.folders = content, []

    def __call__(self, work: Path) -> Path:
        self.folders.append(work)
        assert list(work.iterdir()) == []
        (work / "beside").write_text("not kept")
        (work / "product").write_text(self.content)
        return work / "product"


def test_what_is_built_is_built_once_and_kept_with_its_hash(home):
    make = Maker()
    first, again = (cache.get("kind", "name", make) for _ in range(2))
    assert (
        first
        == again
        == cache.Built(home / "kind" / "name" / "product", hashlib.sha256(b"made").hexdigest(), "name")
    )
    assert len(make.folders) == 1 and not make.folders[0].exists()
    entry = home / "kind" / "name"
    assert sorted(path.name for path in entry.iterdir()) == ["entry.json", "product"]
    assert json.loads((entry / "entry.json").read_text()) == {
        "format": 1,
        "file": "product",
        "sha256": first.sha256,
    }
    assert not list((home / "kind").glob(".tmp-*"))
    cache.get("kind", "another", make)
    cache.get("other", "name", make)
    assert len(make.folders) == 3


@pytest.mark.parametrize(
    "damage",
    [
        lambda entry: (entry / "product").write_text("other"),
        lambda entry: (entry / "product").unlink(),
        lambda entry: (entry / "entry.json").unlink(),
        lambda entry: (entry / "entry.json").write_text("{"),
        lambda entry: (entry / "entry.json").write_text("[]"),
        lambda entry: (entry / "entry.json").write_text('{"file": "product"}'),
        lambda entry: (entry / "entry.json").write_text('{"file": "product", "sha256": "0"}'),
    ],
)
def test_a_damaged_entry_is_built_again(home, damage):
    make = Maker()
    entry = cache.get("kind", "name", make).path.parent
    damage(entry)
    assert cache.get("kind", "name", make).path.read_text() == "made"
    assert len(make.folders) == 2
    cache.get("kind", "name", make)
    assert len(make.folders) == 2


def test_a_build_that_fails_leaves_nothing(home):
    def fails(work):
        (work / "half").write_text("")
        raise KeyError("no")

    with pytest.raises(KeyError):
        cache.get("kind", "name", fails)
    assert [path.name for path in (home / "kind").iterdir()] == ["name.lock"]


def test_in_a_folder_with_blanks_it_is_built_elsewhere(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "a cache"))
    make = Maker()
    built = cache.get("kind", "name", make)
    assert built.path.read_text() == "made" and built.path.is_relative_to(tmp_path / "a cache")
    assert " " not in str(make.folders[0]) and not make.folders[0].exists()


def test_those_who_watch_are_told_of_what_is_built_and_of_nothing_else():
    told = []
    with cache.watched(lambda *said: told.append(said)):
        cache.get("kind", "name", Maker())
        cache.get("kind", "name", Maker())
        with pytest.raises(ZeroDivisionError):
            cache.get("kind", "other", lambda work: 1 / 0)
        cache.tell("files", begun=3)
    cache.get("kind", "third", Maker())
    assert told == [("kind", 1, 0), ("kind", 0, 1)] * 2 + [("files", 3, 0)]


def test_what_is_wanted_anew_is_built_in_its_own_folder_once(home, tmp_path):
    make = Maker()
    kept = cache.get("kind", "name", make)
    with cache.anew("kind", tmp_path / "anew"):
        first, again = (cache.get("kind", "name", make) for _ in range(2))
        cache.get("other", "name", make)
    assert first == again and first.path.parent == tmp_path / "anew" / "name"
    assert len(make.folders) == 3
    assert cache.get("kind", "name", make) == kept and len(make.folders) == 3
    with pytest.raises(KeyError), cache.anew("kind", tmp_path / "anew"):
        raise KeyError
    assert cache.get("kind", "name", make) == kept


def test_a_cache_that_cannot_be_written_is_named(home):
    home.parent.mkdir(parents=True)
    home.write_text("a file")
    with pytest.raises(StorageFailed, match=r"the build cache .*kind.*(?s:.)*XDG_CACHE_HOME"):
        cache.get("kind", "name", Maker())


def test_keys_are_of_all_values_in_any_order():
    assert cache.key({"a": 1, "b": ["é"]}) == cache.key({"b": ["é"], "a": 1})
    assert len({cache.key({"a": value}) for value in (1, "1", None, [1])}) == 4
    assert len(cache.key({})) == 32 and cache.key({}) != cache.key({"a": 1})


def test_of_memories_the_last_used_are_kept(tmp_path):
    folder = tmp_path / "memories"
    for number in range(4):
        cache.keep(folder / str(number), f"{number}".encode(), 3)
        os.utime(folder / str(number), (number, number))
    assert sorted(path.name for path in folder.iterdir()) == ["1", "2", "3"]
    os.utime(folder / "1", (9, 9))
    cache.keep(folder / "4", b"4", 2)
    assert sorted(path.name for path in folder.iterdir()) == ["1", "4"]
    cache.keep(folder / "4", b"new", 2)
    assert (folder / "4").read_bytes() == b"new" and len(list(folder.iterdir())) == 2


def test_a_memory_that_cannot_be_kept_is_left(tmp_path):
    (tmp_path / "file").write_text("")
    cache.keep(tmp_path / "file" / "memory", b"", 3)
    (tmp_path / "memories" / "taken").mkdir(parents=True)
    (tmp_path / "memories" / "taken" / "more").write_text("")
    cache.keep(tmp_path / "memories" / "taken", b"", 3)
    assert [path.name for path in (tmp_path / "memories").iterdir()] == ["taken"]
