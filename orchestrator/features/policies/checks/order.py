# SPDX-License-Identifier: Apache-2.0
"""Checks the order of operations (4.3): notify and unadvertise need an advertise, unsubscribe a subscribe.

All policies of the application are looked at together, and what components are seen to do counts: an event
`C-B advertise T` says that a component advertises T. The order in which components call is not known; so an
operation is reported only if nothing in the application precedes it.
"""

from __future__ import annotations

from orchestrator.features.policies import meaning
from orchestrator.features.policies.findings import WARNING, Findings
from orchestrator.features.policies.meaning import Application, Perform
from orchestrator.features.policies.model import Point

NEEDS = {"notify": "advertise", "unadvertise": "advertise", "unsubscribe": "subscribe"}


def check(application: Application, findings: Findings) -> None:
    """Report operations in actions without a counterpart before them."""
    by_components = {
        (handler.trigger.operation, handler.trigger.topic)
        for policy in application.policies
        for handler in policy.handlers
        if isinstance(handler.trigger, Point) and handler.trigger.direction == "C-B"
    }
    performed = {(step.operation, step.topic) for _, step in application.operations}
    for policy, _, rule in application.rules:
        before: set[tuple[str, str]] = set()
        for step in meaning.steps(rule.action):
            if not isinstance(step, Perform):
                continue
            needed = NEEDS.get(step.operation)
            if needed and (needed, step.topic) not in by_components | performed:
                what = f"{policy.name} does {step.operation} {step.topic}, which nothing {needed}s"
                remedy = f"{needed} {step.topic} in an action, or in a component whose call a policy sees"
                findings.add("order", WARNING, policy.written.file, step.at, what, remedy)
            later = {(event.operation, event.topic) for event in _after(rule.action, step)}
            if needed and (needed, step.topic) in later - before:
                what = f"{step.operation} {step.topic} comes before its {needed} in the same action"
                findings.add("order", WARNING, policy.written.file, step.at, what, "exchange them")
            before.add((step.operation, step.topic))


def _after(action: tuple[meaning.Step, ...], step: Perform) -> list[Perform]:
    performs = [other for other in meaning.steps(action) if isinstance(other, Perform)]
    return performs[performs.index(step) + 1 :]
