# SPDX-License-Identifier: Apache-2.0
"""Finds overlapping and missing conditions in each state for each event, by a solver or by trying values."""

from __future__ import annotations

from orchestrator.features.policies.checks import solving
from orchestrator.features.policies.findings import NOTE, WARNING, Findings
from orchestrator.features.policies.meaning import (
    Application,
    Fixed,
    Handler,
    Meant,
    MeantRule,
    Not,
    Term,
    terms,
)
from orchestrator.features.policies.typing import Unknown


def check(application: Application, findings: Findings) -> None:
    """Report rules that hold together, rules that can never be taken, and states in which none is taken."""
    for policy in application.policies:
        if policy.written.damaged:
            continue
        for handler in policy.handlers:
            for rules in handler.by_state.values():
                if not any(isinstance(t, Unknown) for rule in rules for t in terms(rule.condition)):
                    _judge(policy, handler, rules, findings)


def _judge(policy: Meant, handler: Handler, rules: list[MeantRule], findings: Findings) -> None:
    file, state = policy.written.file, policy.states[rules[0].state]
    before: list[Term] = []
    for place, rule in enumerate(rules):
        example = solving.example([*map(Not, before), rule.condition])
        if example.never:
            reason = "its condition never holds" if not before else "rules before it take all cases"
            if solving.example([rule.condition]).never:
                reason = "its condition never holds"
            what = f"this rule of state {state} is never taken: {reason}"
            findings.add("dead-rule", WARNING, file, rule.at, what, "remove it, or put it before the others")
        before.append(rule.condition)
        for other in rules[:place]:
            if isinstance(rule.condition, Fixed) or isinstance(other.condition, Fixed):
                continue  # a last rule with the condition `true` stands for `else`
            both = solving.example([other.condition, rule.condition])
            if both.values is not None:
                line = f"line {other.at.line}"
                what = f"this rule and that of {line} hold together{_example_in_words(both)}"
                findings.add(
                    "overlap", WARNING, file, rule.at, what, "the first one is taken; narrow one of them"
                )
    example = solving.example(list(map(Not, before)))
    if example.values is not None:
        what = f"no rule of state {state} of {policy.name} holds{_example_in_words(example)}"
        remedy = "the operation then goes on as without the policy; write a rule for these cases"
        findings.add("gap", WARNING, file, rules[-1].at, what, remedy)
    elif not example.never:
        open_ = f"whether the rules of state {state} take all cases is open"
        if example.tried:
            what, remedy = (
                f"{open_}: {example.tried} values were tried",
                "install z3-solver to have it proved",
            )
        else:
            what, remedy = (
                f"{open_}: the solver gave up",
                "simplify the conditions, or write a last rule of `true`",
            )
        findings.add("gap", NOTE, file, rules[-1].at, what, remedy)


def _example_in_words(example: solving.Example) -> str:
    values = ", ".join(f"{name} = {value}" for name, value in sorted((example.values or {}).items()))
    return f", as with {values}" if values else ""
