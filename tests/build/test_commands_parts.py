# SPDX-License-Identifier: Apache-2.0
"""Parts of a .csc's build commands: their environment, what their end becomes, which copies stay."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from types import SimpleNamespace

import pytest

from orchestrator.build import calls, commands, compiler, reads
from orchestrator.build import fast as our_way
from orchestrator.build.target import COOJA_VERSION
from orchestrator.durable import alone
from orchestrator.errors import BuildFailed, MissingTool, StorageFailed
from tests import needs

needs.a_compiler()


@pytest.mark.parametrize(
    ("given", "cflags", "fast", "extra"),
    [
        (None, "", False, None),
        ("-g", "", False, "-g"),
        (None, "-O1", False, "-O1"),
        ("-g", "-O1", False, "-g -O1"),
        (None, "", True, our_way.CFLAGS),
        ("-g", "-O1", True, f"{our_way.CFLAGS} -g -O1"),
    ],
)
def test_the_environment_of_commands(monkeypatch, given, cflags, fast, extra):
    monkeypatch.delenv("EXTRA_CC_ARGS", raising=False)
    if given is not None:
        monkeypatch.setenv("EXTRA_CC_ARGS", given)
    monkeypatch.setenv("MAKEFLAGS", "-k")
    made = commands._environment("mtype1", None, cflags, fast)
    assert made["LIBNAME"] == "$(BUILD_DIR_BOARD)/mtype1.cooja" and made["COOJA_VERSION"] == COOJA_VERSION
    assert made["CC"] == compiler.find().shell and made["PATH"] == os.environ["PATH"]
    assert made.get("EXTRA_CC_ARGS") == extra and "MAKEFLAGS" not in made
    ours = our_way.variables(str(our_way.file())) if fast else {}
    assert {name: made[name] for name in ours} == ours


@pytest.mark.parametrize("preloaded", [None, Path("/c/reads.so")])
def test_in_a_copy_paths_are_the_users_own_and_what_is_read_is_noted(monkeypatch, preloaded):
    monkeypatch.setattr(reads, "library", lambda: preloaded)
    copy, log = SimpleNamespace(root=Path("/copy of/root")), Path("/home/log")
    made = commands._variables({"CC": "gcc -m32", "PATH": "/bin", "X": "1"}, copy, Path("/home"), log)
    assert shlex.split(made["CC"]) == ["gcc", "-m32", "-ffile-prefix-map=/copy of/root="]
    assert made["PATH"] == "/home/bin:/bin" and made["X"] == "1"
    assert made.get("LD_PRELOAD") == (None if preloaded is None else "/c/reads.so")
    assert made.get("ORCHESTRATE_READS") == (None if preloaded is None else "/home/log")


COPY = SimpleNamespace(place="/place", plain=lambda text: text.replace("/place", "theirs"))


@pytest.mark.parametrize(
    ("ends", "kind", "said"),
    [
        (FileNotFoundError(), MissingTool, "cmake: no such program; the .csc's build commands need it"),
        (PermissionError("no"), BuildFailed, "cmake: no"),
        (ValueError("a byte 0"), BuildFailed, "cmake: a byte 0"),
        (
            (2, "/place/a.c:1: error: odd\nmore\n"),
            BuildFailed,
            "the .csc's build command failed: cmake all\n    theirs/a.c:1: error: odd",
        ),
        ((0, "fine"), None, ""),
    ],
)
def test_how_a_command_ends(monkeypatch, ends, kind, said):
    asked = []

    def run(*given):
        asked.append(given)
        if isinstance(ends, Exception):
            raise ends
        return ends

    monkeypatch.setattr(calls, "run", run)
    if kind is None:
        commands._run(["cmake", "all"], COPY, {"A": "1"})
    else:
        with pytest.raises(kind) as raised:
            commands._run(["cmake", "all"], COPY, {"A": "1"})
        assert str(raised.value) == said
    assert asked == [(["cmake", "all"], "/place", {"A": "1"})]


def test_each_command_is_shown_before_it_runs(monkeypatch):
    happened = []

    def run(words, *_):
        happened.append(words)
        return int(words == ["fails"]), ""

    monkeypatch.setattr(calls, "run", run)
    with pytest.raises(BuildFailed):
        commands._run_all([["make", "a"], ["fails"], ["never"]], COPY, {}, happened.append)
    assert happened == ["> make a", ["make", "a"], "> fails", ["fails"]]


def test_of_many_copies_the_last_used_stay_and_one_in_use(tmp_path, monkeypatch):
    monkeypatch.setattr(commands, "_MOST_COPIES", 2)
    for number in range(5):
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / "file").write_text("")
        os.utime(tmp_path / str(number), (number, number))

    def alone_(folder, *given):
        if folder.name == "1":
            raise BlockingIOError("in use")
        return alone(folder, *given)

    monkeypatch.setattr(commands, "alone", alone_)
    commands._make_room(tmp_path / "4")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["1", "3", "4"]
    assert commands._last_used(tmp_path / "3") == 3.0 and commands._last_used(tmp_path / "none") == 0.0


def test_a_cache_that_cannot_be_written_is_named(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    (tmp_path / "a.c").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(StorageFailed, match=r"foreign(?s:.)*free space there, or set XDG_CACHE_HOME"):
        commands.build(tmp_path / "a.c", "mtype1", "make", [])
