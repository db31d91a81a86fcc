# SPDX-License-Identifier: Apache-2.0
"""The log of what a build's programs read, written by hand, and git's place in a copy."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from orchestrator.build import reads
from orchestrator.build.reads import Reads


def logged(tmp_path, *lines):
    (tmp_path / "log").write_text("".join(f"{line}\n" for line in lines))
    return reads.read(tmp_path / "log")


def started(process, parent, folder, *arguments):
    return f"S {process} {parent}\x1f{folder}" + "".join(f"\x1f{one}" for one in arguments)


def test_each_program_s_files_are_those_of_the_object_that_it_compiles(tmp_path):
    found = logged(
        tmp_path,
        started(1, 0, "/w", "make"),
        "R 1 /w/Makefile",
        started(2, 1, "/w", "gcc", "-c", "a.c", "-o", "out/../a.o"),
        started(3, 2, "/w", "cc1", "a.c", "-o", "/tmp/x.s"),  # the driver's own call
        "R 3 /w/./a.c",
        "R 3 /w/a.c",
        "R 3 /w/Makefile",
        "M 3 /w/own/a.h",
        "W 2 /w/a.o",
        "D 1 /w/sub",
        "R 9 /w/of nobody",
    )
    assert found == Reads(
        read={"/w/Makefile", "/w/a.c", "/w/of nobody"},
        written={"/w/a.o"},
        missing={"/w/own/a.h"},
        listed={"/w/sub"},
        objects={"/w/a.o": ({"/w/a.c", "/w/Makefile"}, "gcc -c a.c -o out/../a.o")},
        otherwise={"/w/Makefile", "/w/of nobody"},
    )


def test_a_process_that_is_another_one_compiles_nothing_of_the_first(tmp_path):
    found = logged(
        tmp_path,
        started(2, 1, "/w", "gcc", "-c", "a.c", "-o", "a.o"),
        started(2, 1, "/w", "cat"),
        "R 2 /w/b",
    )
    assert found.objects["/w/a.o"][0] == set() and found.otherwise == {"/w/b"}


def test_variables_of_a_build():
    assert reads.variables(Path("/r.so"), Path("/log")) == {
        "LD_PRELOAD": "/r.so",
        "ORCHESTRATE_READS": "/log",
    }


def test_without_a_library_nothing_is_preloaded(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(reads.calls, "run", lambda *_: (1, "no dl"))
    assert reads.library() is None


@pytest.fixture
def git(tmp_path, monkeypatch):
    """Calls the program `git` that stands in a copy; what the real one was told and what was asked."""
    real = tmp_path / "bin" / "git"
    real.parent.mkdir()
    real.write_text('#!/bin/sh\necho "$PWD|${GIT_OPTIONAL_LOCKS-}|$*"\n')
    real.chmod(0o755)
    monkeypatch.setenv("PATH", f"{real.parent}:/usr/bin:/bin")
    monkeypatch.delenv("GIT_OPTIONAL_LOCKS", raising=False)
    root = tmp_path / "root"
    copy, original = root / str(tmp_path / "tree")[1:], tmp_path / "tree"
    copy.mkdir(parents=True)
    original.mkdir()
    reads.git_in_place(tmp_path / "ours", root, tmp_path / "asked")

    def call(*words):
        done = subprocess.run(
            [tmp_path / "ours" / "git", *words], cwd=copy, capture_output=True, text=True, check=True
        )
        asked = tmp_path / "asked"
        return done.stdout.strip(), asked.read_text() if asked.exists() else ""

    call.copy, call.original, call.root = copy, original, root
    return call


def test_git_answers_in_a_copy_as_in_the_original(git):
    said, asked = git("--git-dir", f"{git.root}{git.original}/.git", "describe", "--tags")
    assert said == f"{git.original}|0|--git-dir {git.original}/.git describe --tags"
    assert asked == f"{git.original}\x1f--git-dir\x1f{git.original}/.git\x1fdescribe\x1f--tags\x1f\n"
    assert (git.root.parent / "ours" / "git").stat().st_mode & 0o777 == 0o755
    said, asked = git("status")
    assert said == f"{git.original}|0|status" and asked.count("\n") == 2


def test_git_changes_what_it_is_told_to_change(git):
    said, asked = git("-C", "describe", "commit")
    assert said == f"{git.copy}||-C describe commit" and asked == ""


def test_without_git_there_is_none_in_a_copy(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    reads.git_in_place(tmp_path / "ours", tmp_path, tmp_path / "asked")
    assert not (tmp_path / "ours").exists()
