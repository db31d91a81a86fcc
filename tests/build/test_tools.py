# SPDX-License-Identifier: Apache-2.0
"""Calls of a build's tools: their environment, their errors, and the flags of sanitizers."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.build import compiler, sanitizers, tools
from orchestrator.build.compiler import Compiler
from orchestrator.errors import BuildFailed, Unsupported, WrongUsage


def test_a_build_s_environment(monkeypatch):
    monkeypatch.setattr(
        tools.os, "environ", {"PATH": "/bin", "HOME": "/h", "MAKEFLAGS": "-k", "CFLAGS": "x", "LC_ALL": "de"}
    )
    assert tools.clean_environment() == {"PATH": "/bin", "HOME": "/h", "LC_ALL": "C"}


@pytest.mark.parametrize(
    ("output", "shown"),
    [
        ("", ""),
        ("one\n\n  \ntwo  \n", "    one\n    two"),
        ("\n".join(map(str, range(12))), "\n".join(f"    {n}" for n in range(2, 12))),
        ("a\nx.c:1: error: bad\nb\n", "    x.c:1: error: bad"),
        (
            "a\nundefined reference to `x'\nNo rule to make\nb",
            "    undefined reference to `x'\n    No rule to make",
        ),
        ("\n".join(f"error: {n}" for n in range(7)), "\n".join(f"    error: {n}" for n in range(5))),
    ],
)
def test_the_lines_that_say_what_is_wrong(output, shown):
    assert tools.first_errors(output) == shown


def test_a_call_that_fails_says_what_was_called():
    called = []

    def run(*given, code=0, output=""):
        called.append(given)
        return code, output

    assert tools.call(["make", "x"], Path("/f"), {"A": "b"}, "what", run) is None
    assert called == [(["make", "x"], Path("/f"), {"A": "b"})]
    with pytest.raises(BuildFailed) as raised:
        tools.call(["make", "a b", "c", "d", "e"], Path("/f"), {}, "what", lambda *_: (2, "bad"))
    assert (str(raised.value), raised.value.output) == ("what: make 'a b' c d ... failed\n    bad", "bad")

    def missing(*_):
        raise FileNotFoundError(2, "No such file", "make")

    with pytest.raises(BuildFailed, match="^what: No such file: make$"):
        tools.call(["make"], Path("/f"), {}, "what", missing)


ALWAYS = "-fno-sanitize-recover=all -fno-lto -g"


@pytest.fixture
def chosen(monkeypatch):
    def choose(version="gcc 12", machine="x86_64-linux-gnu"):
        monkeypatch.setattr(compiler, "find", lambda cc=None: Compiler((cc or "cc",), version, machine))

    choose()
    return choose


def test_flags_of_sanitizers(chosen):
    assert sanitizers.flags("") == ""
    assert sanitizers.flags("undefined") == f"-fsanitize=undefined {ALWAYS}"
    both = f"{sanitizers.KINDS['address']} -fsanitize=undefined {ALWAYS}"
    assert sanitizers.flags("undefined, address") == sanitizers.flags("address,undefined") == both
    assert "-fasan-shadow-offset=0x7fff8000" in both and "--param=asan-globals=1" in both
    with pytest.raises(WrongUsage) as raised:
        sanitizers.flags("address,adress")
    assert str(raised.value) == (
        "--sanitize address,adress: no kind 'adress'; did you mean address? there are: address, undefined"
    )


@pytest.mark.parametrize(
    ("version", "machine"),
    [("clang 14", "x86_64-linux-gnu"), ("gcc 12", "aarch64-linux-gnu"), ("gcc 12", "x86_64-w64-mingw32")],
)
def test_other_compilers_have_no_sanitizers_for_firmware(chosen, version, machine):
    chosen(version, machine)
    with pytest.raises(Unsupported) as raised:
        sanitizers.flags("address")
    assert str(raised.value) == (
        f"firmware with sanitizers needs gcc for x86-64 Linux, not {version}\n    set CC=gcc, or --cc gcc"
    )


def test_make_is_told_to_link_without_what_sanitizers_call():
    assert sanitizers.make_flags("-O1 -fsanitize=undefined") == ["TARGET_STARTFILES=-Wl,-z,undefs"]
    assert sanitizers.make_flags("-O1") == []
