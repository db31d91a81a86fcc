# SPDX-License-Identifier: Apache-2.0
"""Checks that every state can be entered (4.3), and reports states that nothing leaves."""

from __future__ import annotations

from orchestrator.features.policies.findings import WARNING, Findings
from orchestrator.features.policies.meaning import Application, Meant


def check(application: Application, findings: Findings) -> None:
    """Report states that can't be reached.

    Conditions are assumed to be satisfiable unless they are constants.
    """
    for policy in application.policies:
        if policy.written.damaged:
            continue
        reached = reachable(policy)
        reported = set()
        for rule in policy.rules:
            if rule.state not in reached and rule.state not in reported:
                reported.add(rule.state)
                state, initial = policy.states[rule.state], policy.states[0]
                what = f"{policy.name} never comes to state {state}: no rules lead there from {initial}"
                remedy = (
                    "the policy starts in the state of its first rule; enter the state, or remove its rules"
                )
                findings.add("state", WARNING, policy.written.file, rule.at, what, remedy)
        _ends(policy, reached, findings)


def reachable(policy: Meant) -> set[int]:
    """Return the states that can be reached from the initial one."""
    reached, before = {0}, set()
    while reached != before:
        before = set(reached)
        reached |= {rule.new_state for rule in policy.rules if rule.state in reached and not rule.never}
    return reached


def _ends(policy: Meant, reached: set[int], findings: Findings) -> None:
    """Find states without any rule, in which the policy does nothing from then on."""
    with_rules = {rule.state for rule in policy.rules}
    for rule in policy.rules:
        if rule.new_state in reached - with_rules:
            with_rules.add(rule.new_state)
            what = (
                f"{policy.name} has no rule in state {policy.states[rule.new_state]}: it stays there for ever"
            )
            remedy = "operations go on as without the policy; write a rule that leaves the state"
            at = policy.written.rules[rule.number].new_state_at
            findings.add("end", WARNING, policy.written.file, at, what, remedy)
