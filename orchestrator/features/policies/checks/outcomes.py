# SPDX-License-Identifier: Apache-2.0
"""Checks that policies are well formed (4.3): every action ends in accept or discard, and loops can end."""

from __future__ import annotations

from orchestrator.features.policies import meaning
from orchestrator.features.policies.arithmetic import MOST_TURNS
from orchestrator.features.policies.findings import ERROR, WARNING, Findings
from orchestrator.features.policies.meaning import Application, Decide, Fixed, Loop, Step
from orchestrator.features.policies.model import Point


def check(application: Application, findings: Findings) -> None:
    """Report paths through actions without an outcome. It is not known whether a loop's body is executed."""
    for policy, handler, rule in application.rules:
        file = policy.written.file
        if isinstance(handler.trigger, Point):
            if not ends(rule.action) and not policy.written.damaged:
                what = f"the action of this rule of {policy.name} can end without accept or discard"
                remedy = "write the outcome at its end; without one the operation goes on"
                findings.add("outcome", ERROR, file, rule.at, what, remedy)
        elif not ends(rule.action):
            what = "the action of a time-out has no outcome, which section 4.1.2 asks of every action"
            remedy = "nothing depends on it, as a time-out stops no operation; write accept or discard"
            findings.add("timeout-outcome", WARNING, file, rule.at, what, remedy)
        if any(map(_endless, meaning.steps(rule.action))):
            what = "a loop in this action never ends by itself"
            remedy = f"it is left after {MOST_TURNS} turns, and a fault is counted; give it a condition"
            findings.add("loop", WARNING, file, rule.at, what, remedy)


def _endless(step: Step) -> bool:
    if not isinstance(step, Loop) or not isinstance(step.condition, Fixed) or not step.condition.value:
        return False
    return not any(isinstance(inner, Decide) for inner in meaning.steps(step.body))


def ends(action: tuple[Step, ...]) -> bool:
    """Return whether every path through an action comes to an outcome."""
    for step in action:
        if isinstance(step, Decide):
            return True
        if isinstance(step, meaning.Branch) and ends(step.then) and ends(step.otherwise):
            return True
    return False
