# SPDX-License-Identifier: Apache-2.0
"""The C compiler's identity is kept for a plain compiler as long as its file is the same; all others are
asked."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import pytest

from orchestrator.build import compiler
from orchestrator.errors import MissingTool
from tests import needs

needs.a_compiler()


@pytest.fixture
def asked(monkeypatch, tmp_path) -> list[str]:
    """The options with which compilers are called; the time is an hour on, so that no file is new."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    now = time.time_ns()
    monkeypatch.setattr(compiler.time, "time_ns", lambda: now + 3600 * 10**9)
    calls: list[str] = []
    ask = compiler._ask
    monkeypatch.setattr(
        compiler, "_ask", lambda command, option: calls.append(option) or ask(command, option)
    )
    return calls


def find(command: str) -> compiler.Compiler:
    compiler._find.cache_clear()
    return compiler.find(command)


def a_compiler(folder: Path) -> Path:
    """A plain compiler's file of our own."""
    folder.mkdir()
    real = os.path.realpath(shutil.which("gcc") or shutil.which("clang"))
    return Path(shutil.copy(real, folder / ("clang" if "clang" in real else "gcc")))


def test_a_plain_compiler_is_asked_once(asked, tmp_path):
    own = a_compiler(tmp_path / "bin")
    first = find(str(own))
    assert asked == ["--version", "-dumpmachine"]
    assert find(str(own)) == first and len(asked) == 2
    assert first.version and first.machine and first.command == (str(own),)


def test_a_file_that_changed_is_asked_again(asked, tmp_path):
    own = a_compiler(tmp_path / "bin")
    find(str(own))
    os.utime(own, ns=(1, 1))
    find(str(own))
    assert len(asked) == 4
    own.write_bytes(b"\x7fELF, but no program")
    with pytest.raises(MissingTool):
        find(str(own))


def test_what_changed_just_now_is_not_trusted(asked, tmp_path, monkeypatch):
    own = a_compiler(tmp_path / "bin")
    now = own.stat().st_ctime_ns + 10**9
    monkeypatch.setattr(compiler.time, "time_ns", lambda: now)
    find(str(own))
    find(str(own))
    assert len(asked) == 4


def test_what_may_call_another_compiler_is_asked_every_time(asked, tmp_path):
    own = a_compiler(tmp_path / "bin")
    script = tmp_path / "cc"
    script.write_text(f'#!/bin/sh\nexec {own} "$@"\n')
    script.chmod(0o755)
    as_ccache = own.with_name("ccache")  # as a link named gcc to ccache has it
    shutil.copy(own, as_ccache)
    (tmp_path / "gcc").symlink_to(as_ccache)
    for command in (str(script), f"{own} -m64", str(tmp_path / "gcc")):
        asked.clear()
        find(command)
        find(command)
        assert len(asked) == 4, command


def test_a_cache_that_can_t_be_written_only_costs_time(asked, tmp_path, monkeypatch):
    own = a_compiler(tmp_path / "bin")
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert find(str(own)).version
    assert len(asked) == 2
