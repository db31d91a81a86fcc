# SPDX-License-Identifier: Apache-2.0
"""How the bytes of the three storages are told apart, summed, kept and asked of compilers."""

from __future__ import annotations

import struct
from types import SimpleNamespace

import pytest

from orchestrator.build.sizes import Part
from orchestrator.errors import MissingTool
from orchestrator.features.blackboard.paper import measured
from orchestrator.features.blackboard.paper.measured import Bytes, Setting
from tests import needs

EIGHT_OF_SIX = Setting("dynamic", 8, 6)


def part(*symbols: tuple[int, str, str]) -> Part:
    return Part("blackboard", {}, (0, ""), symbols=symbols)


def test_variables_of_ram_are_stored_but_for_those_that_no_definition_has():
    """Letters are nm's: b, d and C are in RAM, r is constant and t is code; .0 is the compiler's."""
    found = measured._bytes(
        EIGHT_OF_SIX,
        part(
            (700, "b", "blackboard_array"),
            (40, "D", "blackboard_containers.0"),
            (3, "C", "blackboard_flags"),
            (96, "B", "blackboard_deadlines"),
            (16, "d", "marks"),
            (2, "b", "nowhere"),
            (12, "r", "layout"),
            (11, "R", "table.3"),
            (500, "t", "publish"),
            (3, "b", measured.PROBE),
        ),
    )
    assert found.stored == {"blackboard_array": 700, "blackboard_containers": 40, "blackboard_flags": 3}
    assert found.total == 743
    assert found.apart == {
        "blackboard_deadlines": 96,
        "marks": 16,
        "nowhere": 2,
        "layout, constant": 12,
        "table, constant": 11,
    }


@pytest.mark.parametrize(("words", "deadlines"), [(2, None), (3, None), (4, 4 * 48), (5, 8 * 48)])
def test_deadlines_behind_a_place_s_three_words_are_apart(words, deadlines):
    found = measured._bytes(EIGHT_OF_SIX, part((words, "b", measured.PROBE), (1000, "b", "blackboard_array")))
    assert found.stored == {"blackboard_array": 1000 - (deadlines or 0)}
    assert found.apart == ({} if deadlines is None else {"blackboard_array, deadlines in it": deadlines})


@pytest.mark.parametrize(
    ("concept", "many", "few", "eight", "an_event", "once"),
    [
        ("static", 1700, 900, 900, 100.0, 100.0),
        ("dynamic", 1650, 842, 842, 101.0, 34.0),
        ("mixed", 700, 374, 700, 81.5, 48.0),
    ],
)
def test_an_event_is_the_difference_to_half_as_many(concept, many, few, eight, an_event, once):
    """Eight of them and what there is once are what was measured."""
    most = {"static": 16, "dynamic": 16, "mixed": 8}[concept]
    of = {
        Setting(concept, most, 7, 2): Bytes({"a": many - 5, "b": 5}, {"apart": 3}),
        Setting(concept, most // 2, 7, 2): Bytes({"a": few}, {"apart": 4}),
    }
    of[Setting(concept, 8, 7, 2)] = Bytes({"a": eight}, {})
    assert measured.an_event(of, concept, 7, 2) == an_event
    assert measured.once(of, concept, 7, 2) == once == eight - 8 * an_event


def test_every_setting_that_a_table_or_figure_asks_for_is_compiled_once():
    every = measured.settings()
    assert len(every) == len(set(every)) == len({one.name for one in every}) == 3 * 2 * (16 + 2)
    wanted = {(n, 1) for n in measured.SUBSCRIBERS} | {(6, 2), (6, 4)}
    for concept, counts in (("static", {8, 16}), ("dynamic", {8, 16}), ("mixed", {4, 8})):
        of = [one for one in every if one.concept == concept]
        assert {one.events for one in of} == counts
        assert {(one.subscribers, one.values) for one in of} == wanted
    two = Setting("mixed", 2, 7, 4)
    assert two.name == "mixed-2-7-4"
    assert two.lines == (
        "#define BLACKBOARD_CONF_CONCEPT BLACKBOARD_COMBINED\n"
        "#define BLACKBOARD_CONF_EVENTS(X) X(0, UNSIGNED, 4, 7) X(1, UNSIGNED, 4, 7)"
    )


class Known:
    """A machine whose compiler is known by a name."""

    name, title, flags = "known", "a known machine", ("-Os",)

    def __init__(self, identity: str = "1.0"):
        self.identity = identity

    def compiler(self):
        return SimpleNamespace(identity=lambda: self.identity)


def test_what_was_compiled_is_kept_as_long_as_the_compiler_is_the_same(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    compiled = []

    def made(machine, wanted):
        compiled.append(machine.identity)
        return {
            setting: Bytes({"array": place, "flags": 7}, {"marks": place + 1})
            for place, setting in enumerate(wanted)
        }

    monkeypatch.setattr(measured, "_compile", made)
    first, again, other = (measured.measured(Known(name)) for name in ("1.0", "1.0", "2.0"))
    assert first == again == other == made(Known(), measured.settings())
    assert compiled[:-1] == ["1.0", "2.0"]
    said = capsys.readouterr().err.splitlines()
    assert said == ["compiling the three storages with 108 settings for a known machine"] * 2


def test_a_machine_without_a_compiler_is_said_in_a_line(monkeypatch):
    def of(machine):
        if machine is measured.EVERY[1]:
            raise MissingTool("no arm-none-eabi-gcc\n    install it")
        return {EIGHT_OF_SIX: Bytes({}, {})}

    monkeypatch.setattr(measured, "measured", of)
    found, missing = measured.available()
    assert list(found) == ["avr", "host"] and missing == ["no arm-none-eabi-gcc"]


def test_a_pointer_of_this_machine():
    needs.a_compiler()
    assert measured.pointer_size(measured.HOST) == struct.calcsize("P")
