# SPDX-License-Identifier: Apache-2.0
"""What builds are made of has the same hash on every machine: stores and caches go by it."""

from __future__ import annotations

import hashlib

import pytest

from orchestrator.build import cache
from orchestrator.build.cache_folder import cache_folder, cache_path
from orchestrator.build.content import Sources


def test_a_hash_is_of_paths_and_contents_alone(tmp_path):
    (tmp_path / "one").write_bytes(b"first")
    (tmp_path / "two").write_bytes(b"second")
    files = {"b/two.c": tmp_path / "two", "a.c": tmp_path / "one"}
    made = Sources("name", files, {"c.h": b"third", "a.c": b"made"})
    assert made.contents() == {
        "a.c": hashlib.sha256(b"made").hexdigest(),
        "b/two.c": hashlib.sha256(b"second").hexdigest(),
        "c.h": hashlib.sha256(b"third").hexdigest(),
    }
    assert list(made.contents()) == ["a.c", "b/two.c", "c.h"]
    said = "".join(f"{path}\0{content}\n" for path, content in made.contents().items())
    assert made.digest() == hashlib.sha256(said.encode()).hexdigest()[:32]
    assert Sources("other", dict(reversed(files.items())), made.made).digest() == made.digest()
    assert Sources("name", files).digest() != made.digest()
    made.copy(tmp_path / "copy")
    assert {path.relative_to(tmp_path / "copy").as_posix(): path.read_bytes() for path in
            (tmp_path / "copy").rglob("*") if path.is_file()} == {
        "a.c": b"made", "b/two.c": b"second", "c.h": b"third"
    }  # fmt: skip


def test_the_key_of_what_is_built_stays_what_it_was():
    assert (
        cache.key({"kind": "kernel", "flags": ["-O3"]})
        == hashlib.sha256(b'{"flags": ["-O3"], "format": 1, "kind": "kernel"}').hexdigest()[:32]
    )


@pytest.mark.parametrize(
    ("named", "folder"),
    [("/x/y", "/x/y/orchestrate"), ("", "HOME/.cache/orchestrate"), ("x/y", "HOME/.cache/orchestrate")],
)
def test_where_the_cache_is(monkeypatch, tmp_path, named, folder):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", named)
    assert cache_path() == folder.replace("HOME", str(tmp_path)) == str(cache_folder())
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_path() == f"{tmp_path}/.cache/orchestrate"
