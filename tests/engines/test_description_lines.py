# SPDX-License-Identifier: Apache-2.0
"""A simulation as the kernel reads it, line by line."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator.csc.model import (
    DirectedGraph,
    Edge,
    EndScript,
    JavaScript,
    LogDistance,
    LogisticLoss,
    Mote,
    Move,
    OwnSignal,
    Silent,
    Simulation,
    Udgm,
    UdgmConstantLoss,
)
from orchestrator.csc.mote_type import MoteType
from orchestrator.engines.embedded import description
from orchestrator.engines.embedded.description import Driven, describe, described
from orchestrator.errors import Unsupported

TYPES = tuple(MoteType(name, name, f"{name}.c", "make", ("Leds",)) for name in "ab")
MOTES = (Mote("a", 4, 1.0, 2.5), Mote("b", 2, 0.1, -3.0, 4.0, b"\x00\xfe", 100.0))
SCRIPT = JavaScript("text", "code", 77, "", ())
SIMULATION = Simulation("title", 5, 1000, Silent(), TYPES, MOTES, SCRIPT)
PLACES = ["mote 0 4 1.0 2.5 0.0 -", "mote 1 2 0.1 -3.0 4.0 00fe 100.0", "end", ""]


def lines(text: bytes) -> list[str]:
    return text.decode().split("\n")


def test_a_whole_run():
    text = describe(SIMULATION, 9, {"a": Path("/a"), "b": Path("/b")}, "5.0")
    assert lines(text) == [
        *("simulation 1", "rules 5.0", "seed 9", "start-delay 1000", "medium silent"),
        *("timeout 77", "spare 0", "javascript"),
        *("type /a", "interface Leds", "type /b", "interface Leds"),
        *PLACES,
    ]


@pytest.mark.parametrize(
    ("medium", "setting", "behind"),
    [
        (Silent(), ["medium silent"], []),
        (
            Udgm(1.0, 2.0, 0.5, 0.25, (OwnSignal(2, -5.5), OwnSignal(4, -6.0, True))),
            ["medium udgm", "ranges 1.0 2.0", "ratios 0.5 0.25"],
            ["quiet 1 -5.5", "sending 0 -6.0"],
        ),
        (
            UdgmConstantLoss(1.0, 2.0, 0.5, 0.25),
            ["medium udgm-constant-loss", "ranges 1.0 2.0", "ratios 0.5 0.25"],
            [],
        ),
        (
            DirectedGraph((Edge(2, 4), Edge(4, 2, 0.5, -20.0, 90, 7, 26), Edge(2, 2)), (OwnSignal(2, 1.5),)),
            ["medium directed-graph"],
            [
                "quiet 1 1.5",
                "edge 0 1 0.5 -20.0 90 7 26",
                "edge 1 0 1.0 -10.0 105 0 -1",
                "edge 1 1 1.0 -10.0 105 0 -1",
            ],
        ),
        (
            LogisticLoss(1.5, 0.5, -2.5, -3.5, 4.5, 5.5, True, -6.5, 7.5),
            [
                *("medium logistic-loss", "ranges 1.5 1.5", "ratios 0.5 1"),
                *("loss -2.5 -3.5 4.5 5.5", "varies yes -6.5 7.5"),
            ],
            [],
        ),
        (
            LogisticLoss(),
            [
                *("medium logistic-loss", "ranges 20.0 20.0", "ratios 1.0 1"),
                *("loss -100.0 -92.0 3.0 3.0", "varies no -10.0 10.0"),
            ],
            [],
        ),
        (
            LogDistance(-1.5, 2.5, 3.5, 4.5, -5.5, 6.5, 7.5),
            [
                "medium log-distance",
                *("ranges {0!r} {0!r}", "ratios 1 1", "distance -1.5 2.5 3.5 4.5 -5.5 6.5 7.5"),
            ],
            [],
        ),
    ],
)
def test_media(medium, setting, behind):
    made = described(replace(SIMULATION, medium=medium))
    told = [line.format(getattr(medium, "horizon", None)) for line in setting]
    assert lines(made.setting) == ["start-delay 1000", *told, "timeout 77", "spare 0", "javascript"]
    assert lines(made.motes) == [*PLACES[:2], *behind, *PLACES[2:]]


def test_a_mote_s_id_there_twice_is_the_first_one():
    twice = (*MOTES, replace(MOTES[0], type_identifier="b"))
    made = described(replace(SIMULATION, motes=twice, medium=DirectedGraph((Edge(4, 2),))))
    assert "edge 0 1 1.0 -10.0 105 0 -1" in lines(made.motes)


def test_moves():
    moves = (Move(0, 5, 1.5, 2.5), Move(1, 6, -1.0, 0.0))
    made = described(replace(SIMULATION, mobility=(moves, ())))
    assert lines(made.motes)[2:] == [
        "mobility",
        "move 0 5 1.5 2.5",
        "move 1 6 -1.0 0.0",
        "mobility",
        "end",
        "",
    ]


@pytest.mark.parametrize(
    ("script", "program", "driven", "told", "javascript", "interpreted"),
    [
        (SCRIPT, None, None, ["timeout 77", "spare 0", "javascript"], True, True),
        (SCRIPT, ["one", "two"], None, ["timeout 77", "spare 0", "one", "two"], True, False),
        (
            replace(SCRIPT, adds_motes=True),
            None,
            None,
            ["timeout 77", "spare 1000", "javascript"],
            True,
            True,
        ),
        (SCRIPT, None, Driven(3, 4), ["timeout 1", "spare 3", "driven 4"], True, True),
    ],
)
def test_scripts(script, program, driven, told, javascript, interpreted):
    made = described(replace(SIMULATION, script=script), program, driven)
    assert lines(made.setting)[2:] == told
    assert (made.javascript, made.interpreted) == (javascript, interpreted)
    assert (made.seed, made.mote_types, made.simulation().script) == (5, TYPES, script)


def test_a_script_of_ours_always_runs_in_the_kernel():
    made = described(replace(SIMULATION, script=EndScript(88_000, "ok")))
    told = lines(made.setting)[2:]
    assert told[:2] == ["timeout 88000", "spare 0"] and len(told) > 2 and "javascript" not in told
    assert (made.javascript, made.interpreted) == (False, False)


def test_a_javascript_is_compiled_unless_it_is_not_to_be(monkeypatch):
    monkeypatch.setattr(description, "compiled", lambda script: ["program"])
    assert lines(description.of(SIMULATION).setting)[-1] == "program"
    assert lines(description.of(SIMULATION, native=False).setting)[-1] == "javascript"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"motes": (Mote("c", 7, 0.0, 0.0),)},
            "mote 7 is of the type 'c', which the simulation doesn't have",
        ),
        (
            {"medium": DirectedGraph(tuple(Edge(4, far) for far in range(30, 18, -1)))},
            f"the directed graph has edges of motes that are not there: {[*range(19, 29)]}",
        ),
        (
            {"medium": DirectedGraph((Edge(9, 4),))},
            "the directed graph has edges of motes that are not there: [9]",
        ),
        (
            {"script": EndScript(1_000, "\ud800")},
            "the script's line has half of a pair of surrogates, or more than 7,000 bytes; give another",
        ),
    ],
)
def test_what_the_format_can_t_express(changes, said):
    with pytest.raises(Unsupported, match=f"^{re.escape(said)}$"):
        described(replace(SIMULATION, **changes))
