# SPDX-License-Identifier: Apache-2.0
"""Checks policies against the application that is to have them: what it links, and its components' topics.

A function of an extension that isn't linked keeps the firmware from being built, so it is an error. A mote
counts an extension of a `with` list that isn't linked, and its operation goes the channel's own way.
"""

from __future__ import annotations

from dataclasses import dataclass

from orchestrator.features.policies import meaning
from orchestrator.features.policies.extensions import Library
from orchestrator.features.policies.findings import ERROR, WARNING, Findings
from orchestrator.features.policies.meaning import Application, Decide, Perform
from orchestrator.features.policies.model import Position

NAMES = frozenset({"linked", "topic"})  # its findings
_PARTNERS = {"advertise": ("advertises", "advertise"), "subscribe": ("subscribes to", "subscribe to")}


@dataclass(frozen=True)
class Components:
    """The modules and topics of an application's components.

    `modules`: of the middleware, linked into its firmware; None if they are not known: its Makefile computes
    them, or isn't there. `advertised`, `subscribed`: the topics that its C names in calls of the broker.
    """

    modules: frozenset[str] | None
    advertised: frozenset[str]
    subscribed: frozenset[str]


def check(application: Application, library: Library, components: Components, findings: Findings) -> None:
    """Report extensions that aren't linked, and topics that nobody advertises or subscribes to."""
    if components.modules is not None:
        _links(application, library, components.modules, findings)
    done = {
        "advertise": components.advertised | _performed(application, "advertise"),
        "subscribe": components.subscribed | _performed(application, "subscribe"),
    }
    for topic, (file, at) in meaning.first_uses(application.policies).items():
        for operation, (does, do) in _PARTNERS.items():
            if topic not in done[operation]:
                what = f"neither a component nor a policy {does} {topic}"
                remedy = f"{do} it, or correct its name; calls with a computed name are not seen"
                findings.add("topic", WARNING, file, at, what, remedy)


def _links(application: Application, library: Library, modules: frozenset[str], findings: Findings) -> None:
    def tell(severity: str, what: str, module: str, file: str, at: Position) -> None:
        if module and module not in modules:
            remedy = f"add the module to the application's Makefile: MODULES += {module}"
            findings.add("linked", severity, file, at, f"the application does not link {what}", remedy)

    for policy, _, rule in application.rules:
        for used in meaning.called(rule):
            tell(ERROR, used.name, used.module, policy.written.file, rule.at)
        for step in meaning.steps(rule.action):
            if isinstance(step, Perform | Decide):
                at = getattr(step, "at", rule.at)
                for name in step.extensions:
                    tell(WARNING, name, library.modules.get(name, ""), policy.written.file, at)


def _performed(application: Application, operation: str) -> set[str]:
    return {step.topic for _, step in application.operations if step.operation == operation}
