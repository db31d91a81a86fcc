# SPDX-License-Identifier: Apache-2.0
"""Native scripts with all values and at all bounds: the interpreter's log, or an end where it takes over."""

from __future__ import annotations

import json

import pytest

from tests import needs
from tests.engines import program_play
from tests.engines.nashorn_play import play
from tests.engines.program_cases import BEYOND, SCRIPTS, passing
from tests.engines.program_play import program
from tests.engines.program_scripts import EVENTS

needs.a_compiler()


@pytest.fixture(scope="module")
def player(tmp_path_factory):
    return program_play.harness(tmp_path_factory.mktemp("player"))


def ended(log: str) -> str:
    """What the kernel said that only an interpreter does; or the log."""
    return json.loads(log)["message"] if log.startswith(program_play.BEYOND) else log


@pytest.fixture(scope="module")
def logs(player):
    programs = [program(text) for text in SCRIPTS.values()]
    assert None not in programs, [name for name, one in zip(SCRIPTS, programs, strict=True) if one is None]
    return dict(zip(SCRIPTS, program_play.play(player, programs, EVENTS), strict=True))


@pytest.mark.parametrize("name", SCRIPTS)
def test_all_values_and_all_bounds_are_as_in_the_interpreter(logs, name):
    assert ended(logs[name]) == play(SCRIPTS[name], EVENTS)
    assert logs[name].endswith("end\nTEST OK\n")


def test_what_only_an_interpreter_does_ends_the_native_script(player):
    """Otherwise it would go on with what may not be Nashorn's."""
    programs = [program(text) for _, text in BEYOND]
    assert None not in programs, [
        text for (_, text), one in zip(BEYOND, programs, strict=True) if one is None
    ]
    said = [ended(log) for log in program_play.play(player, programs, EVENTS)]
    assert [(what, text) for (what, text), log in zip(BEYOND, said, strict=True) if log != what] == []


def test_a_script_s_memory_is_that_of_the_values_that_it_has(player, monkeypatch):
    """What is released is no longer counted, and nothing else; nothing is lost."""
    monkeypatch.setenv("LEAKS", "looked for")
    for full, said in ((True, "12000end\nTEST OK\n"), (False, "2000end\nTEST OK\n")):
        found = program(passing(full))
        assert found is not None
        assert [ended(log) for log in program_play.play(player, [found], EVENTS)] == [said]
