# SPDX-License-Identifier: Apache-2.0
"""Figure 8's procedure, conflicts, time and operations, in the reference."""

from __future__ import annotations

import pytest

from orchestrator.cli.app import main
from orchestrator.features.policies.application import together
from orchestrator.features.policies.interpreter import Event
from orchestrator.features.policies.manager import MOST_OPERATIONS, Manager
from orchestrator.features.policies.model import Point, Timeout
from orchestrator.features.policies.parse import parse

T = Point("C-B", "notify", "T")


def manager(text: str) -> Manager:
    source, faults = parse(text, "x.escape")
    application, found = together([source], faults)
    assert not [str(one) for one in found if one.severity == "error"]
    return Manager(application)


def policy(name: str, outcome: str, more: str = "") -> str:
    return f"{name}\non C-B notify T(x)\n0-0: x > 0 -> {more} {outcome};\n"


@pytest.mark.parametrize(
    ("outcomes", "strategy", "goes_on"),
    [
        ("accept accept", "", True),
        ("discard discard", "", False),
        ("accept discard", "", False),
        ("accept discard", "accept", True),
        ("accept discard", "discard", False),
        ("accept accept discard", "tolerate 34 %", True),
        ("accept accept discard", "tolerate 33 %", False),
        ("accept accept accept discard", "tolerate 25 %", False),
        ("accept discard", "battery 20 %", False),
    ],
)
def test_a_conflict_is_decided_by_the_strategy_of_its_event(outcomes, strategy, goes_on):
    text = "".join(policy(f"p{n}", one) for n, one in enumerate(outcomes.split()))
    of = manager(text + (f"conflict C-B notify T: {strategy};\n" if strategy else ""))
    assert of.event(Event(T, [1])) is goes_on
    assert ("conflict" in [one.what for one in of.told]) == (len(set(outcomes.split())) == 2)


def test_no_policy_and_no_rule_let_an_operation_go_on():
    of = manager(policy("p", "discard"))
    assert of.event(Event(Point("C-B", "notify", "Other"), [1]))
    assert of.event(Event(T, [0]))
    assert not of.event(Event(T, [1]))


def test_the_policy_that_asks_for_an_operation_is_not_asked_about_it():
    of = manager(policy("p", "discard", "notify T(x);") + policy("q", "accept"))
    of.event(Event(T, [1]))
    asked = [one.policy for one in of.told if one.what == "rule"]
    assert asked == ["p", "q", "q"]


def test_a_chain_without_end_is_cut_and_counted():
    of = manager(policy("p", "accept", "notify T(x);") + policy("q", "accept", "notify T(x);"))
    of.event(Event(T, [1]))
    assert sum(one.what == "operation" for one in of.told) == MOST_OPERATIONS
    assert of.node.faults["queue"] > 0


def test_a_timer_counts_from_the_change_of_state_and_a_timeout_from_the_last_event():
    text = """p
      on C-B notify T(x)
        0-1: true -> accept;
        1-1: true -> accept;
      on timer(100) 1-2: true -> accept;
      on timeout(70) 2-3: true -> accept;
    """
    of = manager(text)
    of.advance(1000)
    of.event(Event(T, [1]))
    of.advance(1060)
    of.event(Event(T, [1]))
    of.advance(1099)
    assert of.policies[0].state == 1
    of.advance(1100)
    assert of.policies[0].state == 2
    of.advance(1129)
    assert of.policies[0].state == 2
    of.advance(1130)
    assert of.policies[0].state == 3
    assert [one.where for one in of.told if one.what == "rule" and str(Timeout(100, True)) in one.where] == [
        "timer(100), 1-2: accept"
    ]


def test_a_rule_that_is_switched_off_is_passed_over():
    of = manager("p\non C-B notify T(x)\n0-0: true -> discard;\n0-0: true -> accept;\n")
    assert not of.event(Event(T, [1]))
    of.policies[0].disabled.add(0)
    assert of.event(Event(T, [1]))


def test_policies_share_what_is_global_and_nothing_else():
    text = """a
      global(b) int level = 3; int own;
      on C-B notify T(x) 0-0: true -> level += x; own = x; accept;
    b
      int own;
      on C-B notify U 0-0: true -> notify V(level, own); accept;
    c
      on C-B notify W 0-0: true -> notify V(level); accept;
    """
    of = manager(text)
    of.event(Event(T, [4]))
    of.event(Event(Point("C-B", "notify", "U")))
    of.event(Event(Point("C-B", "notify", "W")))
    assert [one.arguments for one in of.told if one.what == "operation"] == [(7, 0), (0,)]


def test_the_command_checks_formats_compiles_draws_and_runs(tmp_path, capsys):
    path, events = tmp_path / "p.escape", tmp_path / "events"
    path.write_text(policy("p", "discard"))
    events.write_text("C-B notify T(5) // one\nadvance 10\nC-B notify T(0)\n")
    assert main(["policy", "check", str(path)]) == 0
    assert "warning: no rule of state 0 of p holds" in capsys.readouterr().out
    assert main(["policy", "check", "--strict", str(path)]) == 0
    assert main(["policy", "format", "--check", str(path)]) == 1
    assert main(["policy", "format", "--write", str(path)]) == 0
    assert main(["policy", "format", "--check", str(path)]) == 0
    assert main(["policy", "compile", str(path), "--out", str(tmp_path)]) == 0
    assert "p_on_cb_notify_t(struct policy *self" in (tmp_path / "policies-generated.c").read_text()
    assert main(["policy", "draw", str(path), "--out", str(tmp_path)]) == 0
    assert (tmp_path / "p.svg").read_text().startswith("<svg")
    assert main(["policy", "draw", str(path), "--overview", str(tmp_path / "o.html")]) == 0
    assert "component, seen by p" in (tmp_path / "o.html").read_text()
    capsys.readouterr()
    assert main(["policy", "run", str(path), "--events", str(events)]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[2] == "    discard: C-B notify T(5)"
    assert shown[-1] == "    accept: C-B notify T(0)"
    events.write_text("C-B notif T(5)\nadvance x\n")
    assert main(["policy", "run", str(path), "--events", str(events)]) == 3
    assert capsys.readouterr().err.count("events:") == 2
    assert main(["policy", "check", str(tmp_path / "none")]) == 9
    path.write_text("p on")
    assert main(["policy", "compile", str(path), "--out", str(tmp_path)]) == 3
