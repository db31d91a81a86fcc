# SPDX-License-Identifier: Apache-2.0
"""Which commands run for a mote type's library, and what is announced before; a stand-in takes the build's
place."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from orchestrator.build import commands, host, sources
from orchestrator.csc.interfaces import STANDARD_INTERFACES
from orchestrator.csc.mote_type import MoteType
from orchestrator.errors import NoSuchThing, Unsupported
from orchestrator.execution.library import BuildOptions, library
from orchestrator.resources import contiki_apps

WITHOUT_LEDS = tuple(name for name in STANDARD_INTERFACES if name != "ContikiLED")
LINE = "$(MAKE) -j$(CPUS) hello-nullnet.cooja TARGET=cooja{}"
OURS = contiki_apps() / "apps" / "hello-nullnet"


class Builder:
    def firmware(self, folder, variant, **_):
        self.built = folder, variant
        return SimpleNamespace(path=Path("built"))


def asked(source, more="", **options):
    """(what is built, with which variables, what is said)"""
    one, builder, said = MoteType("m", "m", str(source), LINE.format(more), WITHOUT_LEDS), Builder(), []
    assert library(
        one,
        Path(),
        BuildOptions(builder=builder, **options),
        said.append,
    ) == Path("built")
    return *builder.built, said


@pytest.mark.parametrize("run_commands", [True, False])
def test_our_own_application_runs_nobody_else_s_code(run_commands):
    assert asked(OURS / "hello-nullnet.c", run_commands=run_commands) == (OURS, {"COOJA_LED": "0"}, [])


def test_what_is_not_as_installed_is_told_and_not_run_without_commands(tmp_path, monkeypatch):
    copied = tmp_path / "apps" / "hello-nullnet"
    shutil.copytree(OURS, copied, ignore=shutil.ignore_patterns("build"))
    (copied / "hello-nullnet.c").write_text("int theirs;\n")
    monkeypatch.setattr(sources, "is_ours", lambda folder: True)
    monkeypatch.setattr(sources, "is_installed", lambda folder: False)
    folder, variant, said = asked(copied / "hello-nullnet.c")
    assert (folder, variant) == (copied, {"COOJA_LED": "0"})
    assert said == [f"> make hello-nullnet.cooja TARGET=cooja COOJA_LED=0   (a copy of {copied})"]
    with pytest.raises(Unsupported, match="may not run"):
        asked(copied / "hello-nullnet.c", run_commands=False)


def test_a_variable_that_no_application_has_is_told():
    assert asked(OURS / "hello-nullnet.c", " MINE=1")[2] == [
        f"> make hello-nullnet.cooja TARGET=cooja MINE=1 COOJA_LED=0   (a copy of {OURS})"
    ]


def test_a_source_that_is_not_named_as_its_folder_is_no_application_of_ours():
    """Its folder's application has a name of its own, and would be built in its place."""
    other = MoteType("m", "m", str(OURS / "other.c"), "$(MAKE) other.cooja TARGET=cooja", WITHOUT_LEDS)
    with pytest.raises(Unsupported, match="may not run"):
        library(other, Path(), BuildOptions(builder=Builder(), run_commands=False))


def test_a_variable_that_the_application_declares_is_built_without_a_word(monkeypatch):
    described = SimpleNamespace(build={"mac": {"csma": {"MAC": "csma"}, "radio": {"MINE": "1", "MAC": "r"}}})
    monkeypatch.setattr("orchestrator.applications.descriptor.load", lambda name: described)
    assert asked(OURS / "hello-nullnet.c", " MINE=1 MAC=x")[2] == []
    assert len(asked(OURS / "hello-nullnet.c", " MINE=1 OTHER=x")[2]) == 1


def test_without_a_builder_the_host_builds_with_the_user_s_compiler_and_flags(monkeypatch):
    heard = []

    def firmware(folder, variant, *, cc, cflags):
        heard.append((folder, variant, cc, cflags))
        return SimpleNamespace(path=Path("built"))

    monkeypatch.setattr(host, "firmware", firmware)
    one = MoteType("m", "m", str(OURS / "hello-nullnet.c"), LINE.format(""), STANDARD_INTERFACES)
    assert library(one, Path(), BuildOptions(cc="clang", cflags="-O1")) == Path("built")
    assert heard == [(OURS, {}, "clang", "-O1")]


def test_a_folder_that_is_not_there_is_named_as_the_file_and_this_machine_have_it(tmp_path):
    lost = MoteType("m", "m", "[CONTIKI_DIR]/gone/a.c", "make", ())
    with pytest.raises(NoSuchThing) as raised:
        library(lost, tmp_path, BuildOptions(contiki=tmp_path / "ng"))
    assert f"no folder {tmp_path / 'ng' / 'gone'}" in str(raised.value) and "--contiki" in str(raised.value)


THEIRS = "first command\nsecond command"


def test_without_commands_what_cooja_has_built_already_is_taken(tmp_path):
    theirs = MoteType("mtype1", "m", "[CONFIG_DIR]/a.c", THEIRS, ())
    options = BuildOptions(run_commands=False)
    there = commands.library(tmp_path / "a.c", "mtype1")
    with pytest.raises(Unsupported) as raised:
        library(theirs, tmp_path, options)
    assert str(raised.value) == (
        f"mote type mtype1: its build commands may not run (--no-commands) and {there} is not there:\n"
        "    first command\n    second command"
    )
    there.parent.mkdir(parents=True)
    there.touch()
    assert library(theirs, tmp_path, options) == there


@pytest.mark.parametrize(
    ("given", "compilation", "of_sanitizers"),
    [
        ({}, (None, "", False), []),
        ({"cc": "clang", "cflags": "-O1", "fast": True}, ("clang", "-O1", True), []),
        ({"cflags": "-fsanitize=address", "fast": True}, (None, "-fsanitize=address", False), None),
    ],
)
def test_a_file_s_own_commands_are_run_as_cooja_runs_them(
    tmp_path, monkeypatch, given, compilation, of_sanitizers
):
    """With the flags of a sanitizer they compile as they would: ours would leave out what it needs."""
    heard = []
    monkeypatch.setattr(commands, "build", lambda *asked: heard.append(asked) or Path("built"))
    theirs = MoteType("mtype1", "m", "[CONFIG_DIR]/a.c", THEIRS, WITHOUT_LEDS)
    assert library(theirs, tmp_path, BuildOptions(**given), print) == Path("built")
    ((source, identifier, line, flags, how, say),) = heard
    assert (source, identifier, line, say) == (tmp_path / "a.c", "mtype1", THEIRS, print)
    assert flags[0] == "COOJA_LED=0" and how == commands.Compilation(*compilation)
    assert bool(flags[1:]) == (of_sanitizers is None)
