# SPDX-License-Identifier: Apache-2.0
"""A record of what a build read, of files that a test makes, and what is told changed."""

from __future__ import annotations

import json
import os
from dataclasses import replace

import pytest

from orchestrator.build import record
from orchestrator.build.reads import Reads
from orchestrator.build.record import Change
from orchestrator.durable import sha256


@pytest.fixture(autouse=True)
def settled(monkeypatch):
    monkeypatch.setattr(record, "SETTLED_NS", -(1 << 62))  # whatever time a file has, it is long ago


def test_a_change_is_of_objects_or_of_the_whole():
    assert not Change() and not Change(renewed=True)
    assert Change({"a.o"}) and Change(whole=True)
    assert Change() == Change(set(), False, False)


def test_a_record_comes_back_or_is_none(tmp_path):
    assert record.load(tmp_path) is None
    record.store(tmp_path, {"format": 2, "files": {}})
    assert record.load(tmp_path) == {"format": 2, "files": {}}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["record.json"]
    (tmp_path / "record.json").write_text(json.dumps({"format": 1}))
    assert record.load(tmp_path) is None
    (tmp_path / "record.json").write_text("{")
    assert record.load(tmp_path) is None
    record.forget(tmp_path)
    record.forget(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def tree(tmp_path):
    """The original at src, its copy at home/tree + its path; `found`: what a build of it read."""
    source = tmp_path / "src"
    (source / "sub").mkdir(parents=True)
    for name in ("a.c", "b.c", "a.h"):
        (source / name).write_text(name)
    root = tmp_path / "home" / "tree"
    place = root / source.relative_to("/")
    place.mkdir(parents=True)
    (place / "sub").mkdir()
    for name in ("a.c", "b.c", "a.h"):
        (place / name).write_text(name)
    return Tree(source, root, place)


class Tree:
    def __init__(self, source, root, place):
        self.source, self.root, self.place = source, root, place
        copy = lambda name: str(place / name)  # noqa: E731
        self.found = Reads(
            read={copy("a.c"), copy("b.c"), copy("a.h"), copy("build/a.o"), copy("made.c"), "/proc/cpuinfo"},
            written={copy("build/a.o"), copy("made.c")},
            missing={copy("own.h"), copy("build/none"), copy("made.c")},
            listed={copy("sub")},
            objects={copy("build/a.o"): ({copy("a.c"), copy("a.h")}, "gcc -DX a.c")},
            otherwise={copy("b.c")},
        )

    def record(self, began_ns=0, kept=None, found=None):
        asked = self.root.parent / "asked"
        return record.make(found or self.found, asked, self.root, self.place, "build", began_ns, kept)


def test_a_record_names_the_originals(tree):
    made = tree.record()
    source = str(tree.source)
    assert (
        sorted(made) == ["files", "folders", "format", "git", "objects", "otherwise"] and made["format"] == 2
    )
    assert sorted(made["files"]) == [f"{source}/a.c", f"{source}/a.h", f"{source}/b.c"]
    assert made["files"][f"{source}/a.c"][0] == sha256(tree.source / "a.c")
    assert len(made["files"][f"{source}/a.c"]) == 5
    assert made["objects"] == {
        str(tree.place / "build/a.o"): [[f"{source}/a.c", f"{source}/a.h"], "gcc -DX a.c"]
    }
    assert made["otherwise"] == [f"{source}/b.c"] and made["git"] == []
    assert {name: one["missing"] for name, one in made["folders"].items()} == {
        source: ["own.h"],
        f"{source}/sub": [],
    }
    assert "listing" in made["folders"][f"{source}/sub"] and "listing" not in made["folders"][source]


def test_what_changed_while_it_was_built_has_no_record(tree):
    (tree.source / "a.h").write_text("other")  # the copy was compiled
    assert tree.record() is None
    (tree.source / "a.h").write_text("a.h")
    assert tree.record() is not None and tree.record(began_ns=1) is None
    (tree.source / "own.h").write_text("")
    assert tree.record() is None


def test_what_is_outside_of_the_copy_and_gone_has_no_record(tree, tmp_path):
    odd = tmp_path / "pipe"
    os.mkfifo(odd)
    assert tree.record(found=replace(tree.found, read={str(odd)})) is None
    os.mkfifo(tree.place / "pipe")
    assert tree.record(found=replace(tree.found, read={str(tree.place / "pipe")})) is not None


def test_objects_that_an_earlier_build_made_are_taken_over(tree):
    earlier = tree.record()
    other = str(tree.place / "build/b.o")
    earlier["objects"][other] = [[f"{tree.source}/c.c"], "gcc b.c"]
    earlier["files"][f"{tree.source}/c.c"] = ["digest"]
    earlier["folders"] = {
        str(tree.source): {"mark": [1], "missing": ["x.h", "own.h"]},
        "/far": {"missing": ["y"]},
    }
    made = tree.record(kept=earlier)
    assert made["objects"][other] == [[f"{tree.source}/c.c"], "gcc b.c"]
    assert made["files"][f"{tree.source}/c.c"] == ["digest"]
    assert made["folders"][str(tree.source)] == {"mark": [], "missing": ["own.h", "x.h"]}
    assert made["folders"]["/far"] == {"mark": [], "missing": ["y"]}
    assert made["objects"][str(tree.place / "build/a.o")][1] == "gcc -DX a.c"


def test_nothing_changed(tree):
    made = tree.record()
    assert record.change(made) == Change()


@pytest.mark.parametrize(
    ("name", "objects", "whole"),
    [("a.c", True, False), ("a.h", True, False), ("b.c", False, True)],
)
def test_a_changed_file_changes_what_was_made_of_it(tree, name, objects, whole):
    made = tree.record()
    (tree.source / name).write_text("changed")
    assert record.change(made) == Change({str(tree.place / "build/a.o")} if objects else set(), whole)
    (tree.source / name).unlink()
    assert record.change(made).objects == ({str(tree.place / "build/a.o")} if objects else set())
    assert record.change(made).whole is whole


@pytest.mark.parametrize("turned", [False, True])
def test_one_file_that_changes_the_whole_is_enough_whatever_changed_besides(tree, turned):
    made = tree.record()
    made["files"] = dict(sorted(made["files"].items(), reverse=turned))
    for name in ("a.c", "b.c", "a.h"):
        (tree.source / name).write_text("changed")
    assert record.change(made) == Change({str(tree.place / "build/a.o")}, whole=True)
    made["otherwise"] = []
    assert record.change(made) == Change({str(tree.place / "build/a.o")}, whole=True), "nothing names b.c"


def test_a_file_of_which_nobody_knows_what_was_made_changes_the_whole(tree):
    made = tree.record() | {"otherwise": []}
    (tree.source / "b.c").write_text("changed")
    assert record.change(made) == Change(whole=True)


def test_a_file_that_a_program_read_too_changes_the_whole(tree):
    made = tree.record(found=replace(tree.found, otherwise={str(tree.place / "a.c")}))
    (tree.source / "a.c").write_text("changed")
    assert record.change(made) == Change({str(tree.place / "build/a.o")}, True)


def test_a_touched_file_only_renews_its_mark(tree):
    made = tree.record()
    os.utime(tree.source / "a.c", (5, 5))
    assert record.change(made) == Change(renewed=True)
    assert record.change(made) == Change()


@pytest.mark.parametrize(
    ("name", "whole"),
    [
        ("own.h", True),
        ("other.h", False),
        ("sub/x", True),
        ("sub/build", False),
        ("sub/COOJA.testlog", False),
    ],
)
def test_a_new_name_counts_where_it_was_looked_for(tree, name, whole):
    made = tree.record()
    (tree.source / name).write_text("")
    assert record.change(made) == Change(whole=whole, renewed=True)


class Asked:
    def __init__(self, text, returncode=0):
        self.text, self.returncode = text, returncode

    def communicate(self):
        return self.text, None


@pytest.mark.parametrize(
    ("before", "after", "arguments", "objects", "whole"),
    [
        (b"v1", b"v1", "gcc -Dv1", False, False),
        (b"v1", b"v2", "gcc -Dv1", True, False),
        (b"v1", b"v2", "gcc", False, True),
        (b"", b"v2", "gcc", False, True),
    ],
)
def test_another_answer_of_git_changes_what_has_it_in_its_call(
    tree, monkeypatch, before, after, arguments, objects, whole
):
    (tree.root.parent / "asked").write_text("/f\x1fdescribe\x1f--tags\x1f\n" * 2)
    monkeypatch.setattr(record, "_ask", lambda question: Asked(before))
    made = tree.record(found=replace(tree.found, objects={"x.o": (set(), arguments)}))
    assert [(one[0], one[2]) for one in made["git"]] == [(["/f", "describe", "--tags"], before.decode())]
    monkeypatch.setattr(record, "_ask", lambda question: Asked(after))
    assert record.change(made) == Change({"x.o"} if objects else set(), whole)


def test_git_s_answer_is_text_and_exit_code():
    one, other = record._answer(Asked(b" v1 \n")), record._answer(Asked(b" v1 \n", 1))
    assert one[1] == other[1] == "v1" and one[0] != other[0]
    assert record._answer(Asked(b"x" * 300))[1] == "x" * 200
    assert record._answer(None) == ("", "")
    assert record._ask(["/no/such/folder", "status"]) is None


def test_git_is_asked_in_its_folder_without_locks(tmp_path, monkeypatch):
    (tmp_path / "git").write_text('#!/bin/sh\necho "$PWD $GIT_OPTIONAL_LOCKS $@"\n')
    (tmp_path / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert record._answer(record._ask([str(tmp_path), "log", "-1"]))[1] == f"{tmp_path} 0 log -1"


def test_what_changed_just_now_has_no_mark(tmp_path, monkeypatch):
    (tmp_path / "a").write_text("")
    assert len(record._mark(str(tmp_path / "a"), 0)) == 5 and len(record._folder_mark(str(tmp_path))) == 4
    monkeypatch.setattr(record, "SETTLED_NS", 1 << 62)
    assert len(record._mark(str(tmp_path / "a"), 0)) == 1 and record._folder_mark(str(tmp_path)) == []
    assert record._mark(str(tmp_path / "none"), 0) is None and record._folder_mark("/no/such") == []
    assert record._names("/no/such") == set()
