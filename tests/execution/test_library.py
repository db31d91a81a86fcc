# SPDX-License-Identifier: Apache-2.0
"""Which commands run for a mote type's library, and what is announced before; a stand-in takes the build's
place."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from orchestrator.build import sources
from orchestrator.csc.interfaces import STANDARD_INTERFACES
from orchestrator.csc.mote_type import MoteType
from orchestrator.errors import Unsupported
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
