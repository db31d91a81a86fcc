# SPDX-License-Identifier: Apache-2.0
"""Finds variables without a value, values that nothing reads, and topics whose arguments differ."""

from __future__ import annotations

from collections.abc import Iterable

from orchestrator.features.policies import meaning
from orchestrator.features.policies.findings import WARNING, Findings
from orchestrator.features.policies.meaning import Application, Meant, MeantRule, Read, Set, Slot
from orchestrator.features.policies.model import Point, Position
from orchestrator.words import counted


def check(application: Application, findings: Findings) -> None:
    """Report undefined and unused values.

    Declared variables are never undefined: they begin with 0 or a first value.
    """
    for policy in application.policies:
        if not policy.written.damaged:
            _undefined(policy, findings)
            _unused(policy, findings)
    _arguments(application, findings)


def _undefined(policy: Meant, findings: Findings) -> None:
    for rule in policy.rules:
        for slot in sorted(_read_and_written(rule)[0], key=lambda value: value.name):
            if not slot.implicit:
                continue
            elsewhere = any(slot in _read_and_written(other)[1] for other in policy.rules)
            what = f"{slot.name} is read here, where it has no value" + (
                ": only other rules of the policy give it one" if elsewhere else ""
            )
            remedy = "assign it first; otherwise it is 0, or what an earlier event left"
            findings.add("undefined", WARNING, policy.written.file, rule.at, what, remedy)


def _whole(step: meaning.Step) -> bool:
    """Whether a statement sets all of a slot, whose value before is then not read."""
    return isinstance(step, Set) and isinstance(step.place, Read)


def _slots(terms: Iterable[meaning.Term]) -> set[Slot]:
    return {term.slot for term in terms if isinstance(term, Read)}


def _read_by(step: meaning.Step) -> set[Slot]:
    return _slots(meaning.terms(step.value) if _whole(step) else meaning.terms_of(step))


def _read_and_written(rule: MeantRule) -> tuple[set[Slot], set[Slot]]:
    """Return the slots that a rule reads before it has set them, and the slots that it sets."""
    read, written = _slots(meaning.terms(rule.condition)), set()
    for step in meaning.steps(rule.action):
        read |= _read_by(step) - written
        if _whole(step):
            written.add(step.place.slot)
    return read, written


def _unused(policy: Meant, findings: Findings) -> None:
    steps = [(rule, step) for rule in policy.rules for step in meaning.steps(rule.action)]
    read = set().union(*(_read_by(step) for _, step in steps))
    read.update(*(_slots(meaning.terms(rule.condition)) for rule in policy.rules))
    for slot in policy.variables:
        sets = [rule for rule, step in steps if isinstance(step, Set) and step.place == Read(slot)]
        if sets and slot not in read:
            what = f"{slot.name} of {policy.name} gets a value that nothing reads"
            remedy = "use it, or take the assignment out"
            findings.add("unused", WARNING, policy.written.file, sets[0].at, what, remedy)


def _arguments(application: Application, findings: Findings) -> None:
    """Check that all events and notifications of a topic have the same number of arguments."""
    first: dict[str, tuple[int, str]] = {}

    def see(topic: str, count: int, file: str, at: Position) -> None:
        before, where = first.setdefault(topic, (count, f"{file}:{at.line}"))
        if before != count:
            what = f"{topic} has {counted(count, 'argument')} here and {before} in {where}"
            remedy = "a parameter without an argument is 0, and a fault is counted; give both the same number"
            findings.add("argument", WARNING, file, at, what, remedy)

    for policy in application.policies:
        file = policy.written.file
        for handler in policy.handlers:
            if isinstance(handler.trigger, Point) and handler.trigger.operation == "notify":
                see(handler.trigger.topic, len(handler.parameters), file, handler.at)
            for rule in handler.rules:
                for step in meaning.steps(rule.action):
                    if isinstance(step, meaning.Perform) and step.operation == "notify":
                        see(step.topic, len(step.arguments), file, step.at)
