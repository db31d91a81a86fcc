# SPDX-License-Identifier: Apache-2.0
"""Finds constructs of an accepted policy that the paper's Figure 5 does not allow.

Figure 5 gives no lexical rules and leaves C to C. What it does say is compared with each construct of a
policy. The paper's own figures break it in the places that are found here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from orchestrator.features.policies import model
from orchestrator.features.policies.findings import ERROR, Finding
from orchestrator.features.policies.model import Position
from orchestrator.features.policies.resolve import nodes

NOTES = (
    "Figure 5 defines ECSAlist (line 3) and uses ESCAlist (line 1): they are taken to be one.",
    "Section 4.1 says that parentheses denote repetition; Figure 5 uses braces, which are taken to repeat.",
)


def refused(text: str, source: model.Source) -> list[Finding]:
    """Return a finding for each construct that Figure 5 doesn't allow, with the figure's line."""
    findings: list[Finding] = []

    def tell(at: Position, what: str, remedy: str) -> None:
        findings.append(Finding("syntax", ERROR, source.file, at, what, remedy))

    for match in re.finditer(r"\"[^\"\n]*\"|(//|\\\\)|(/\*)", text):
        if match[1] or match[2]:
            line = text.count("\n", 0, match.start()) + 1
            at = Position(line, match.start() - text.rfind("\n", 0, match.start()))
            remedy = "Figure 5 has no comments" + (
                "; C has no such ones either" if match[1] == "\\\\" else ""
            )
            tell(at, "a comment", remedy)
    for extra in source.policies[1:]:
        tell(extra.at, "a second policy in one text", "line 1: a text is one policy")
    for conflict in source.conflicts:
        tell(conflict.at, "a conflict strategy", "Figure 5 has no place for (event, strategy) pairs")
    for policy in source.policies:
        for at, what, remedy in _of_policy(policy):
            tell(at, what, remedy)
    return sorted(findings, key=lambda finding: finding.at)


def _of_policy(policy: model.Policy) -> Iterable[tuple[Position, str, str]]:
    for variable in policy.variables:
        if variable.shared:
            remedy = (
                "line 25 leaves declarations to C, which has none; 4.1.1 has it name policies, in no form"
            )
            yield variable.at, f"`global` before {variable.name}", remedy
        if variable.type.record:
            yield variable.type.at, "a record", "line 25 leaves declarations to C, which calls it struct"
    for event in policy.events:
        trigger = event.trigger
        if isinstance(trigger, model.Timeout) and trigger.in_state:
            yield event.at, "timer(...)", "lines 7 and 11: an event of time is a timeout"
        elif isinstance(trigger, model.Timeout) and trigger.period is None:
            yield event.at, "timeout() without a value", "line 11: timeout '(' unsignedint ')'"
        for formal in event.formals or ():
            if formal.type:
                remedy = "line 17: a topic has ActualParameters"
                yield formal.at, f"a type before {formal.name}", remedy
        for rule in event.rules:
            yield from _of_rule(rule)


def _of_rule(rule: model.Rule) -> Iterable[tuple[Position, str, str]]:
    if not rule.action or not isinstance(rule.action[-1], model.Outcome):
        yield rule.at, "a rule without an outcome at its end", "line 5: {Action;} Outcome;"
    for node in nodes((rule.condition, rule.action)):
        if isinstance(node, model.Operate) and not node.extensions:
            remedy = "line 21: PubSubOp Topic with Extension"
            yield node.at, f"{node.operation} {node.topic} without `with`", remedy
        elif isinstance(node, model.Outcome):
            if node.extensions:
                yield node.at, "an outcome `with` extensions", "line 19: Outcome has ActualParameters at most"
            if node is not rule.action[-1]:
                yield node.at, "an outcome inside an action", "line 5: it stands at the end of the rule"
        elif isinstance(node, model.Call) and node.function == "abs" and len(node.arguments) == 2:
            remedy = "line 27 leaves expressions to C, whose abs has one argument"
            yield node.at, "abs with two arguments", remedy
