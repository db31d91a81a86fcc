# SPDX-License-Identifier: Apache-2.0
"""The engine's version: the hash of its sources, kept by their sizes and times once they have settled."""

from __future__ import annotations

import pytest

from orchestrator.build import content, kernel


@pytest.fixture
def sources(tmp_path, build_cache, monkeypatch):
    """A kernel of one file; and whose content is read."""
    monkeypatch.setattr(kernel, "KERNEL", tmp_path / "kernel")
    (tmp_path / "kernel" / "run").mkdir(parents=True)
    (tmp_path / "kernel" / "run" / "main.c").write_text("one")
    (tmp_path / "kernel" / "notes.txt").write_text("no source")
    read, digest = [], content.Sources.digest
    monkeypatch.setattr(content.Sources, "digest", lambda of: read.append(of.name) or digest(of))
    return tmp_path / "kernel", read


def test_settled_sources_are_read_once(sources, monkeypatch):
    folder, read = sources
    monkeypatch.setattr(kernel, "SETTLED_NS", 0)
    first = kernel.version()
    assert first == kernel.version() == kernel.sources().digest()
    assert len(read) == 2, "once by version, once here"
    (folder / "run" / "main.c").write_text("two, longer")
    assert kernel.version() != first
    (folder / "run" / "main.c").write_text("one")
    assert kernel.version() == first


def test_sources_that_change_just_now_are_read_each_time(sources, monkeypatch):
    _, read = sources
    monkeypatch.setattr(kernel, "SETTLED_NS", 1 << 62)
    assert kernel.version() == kernel.version()
    assert len(read) == 2


def test_without_room_in_the_cache_they_are_read(sources, build_cache, monkeypatch):
    _, read = sources
    monkeypatch.setattr(kernel, "SETTLED_NS", 0)
    build_cache.parent.mkdir()
    build_cache.write_text("a file where the cache would be")
    assert kernel.version() == kernel.version()
    assert len(read) == 2
