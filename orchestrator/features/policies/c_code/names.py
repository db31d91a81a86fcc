# SPDX-License-Identifier: Apache-2.0
"""Chooses names in C: those of the source in C's form, unique, and not used by C or the firmware."""

from __future__ import annotations

import re

from orchestrator.features.policies.extensions import Library
from orchestrator.features.policies.meaning import Application, Handler, Meant
from orchestrator.features.policies.model import Point

_TAKEN = frozenset(
    """auto break case char const continue default do double else enum extern float for goto if inline int
    long register restrict return short signed sizeof static struct switch typedef union unsigned
    void volatile while bool true false asm typeof fortran linux unix vax i386 errno assert self
    event turns policies abs main NULL alignas alignof and bitand bitor catch class compl delete
    export friend mutable namespace new not operator or private protected public template this throw
    try using virtual xor nullptr thread_local constexpr policy""".split()
)
_PREFIXES = (
    "_",
    "policy_",
    "int_",
    "uint_",
    "long_",
    "ulong_",
    "float_",
    "process_",
    "str",
    "mem",
    "uint",
    "int",
)


def snake(name: str) -> str:
    """Return a name in C's form, such as temp_for_fire_alarm for TempForFireAlarm."""
    split = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name)
    return re.sub(r"\W", "_", split).lower()


def _of_others(name: str) -> bool:
    """Return whether C, or a header of ours, has the name or may have it. Names in capitals may be macros."""
    return name in _TAKEN or name.isupper() or name.startswith(_PREFIXES)


def variable(name: str) -> str:
    """Return a variable's name in C: its own, unless others have it. Different names stay different."""
    return name + "_" if _of_others(name) or _of_others(name.rstrip("_")) else name


def unique(wanted: str, taken: set[str]) -> str:
    """Return the name, or the name with a number if it is taken."""
    if not wanted.isupper():
        wanted = variable(wanted)
    name, number = wanted, 2
    while name in taken:
        name, number = f"{wanted}_{number}", number + 1
    taken.add(name)
    return name


class Names:
    """The names of an application in C."""

    def __init__(self, application: Application, library: Library):
        taken = {function.c for functions in library.functions.values() for function in functions}
        taken |= {constant.c for constant in library.constants.values()}
        self._functions = frozenset(taken)
        self.policies = {policy.name: unique(snake(policy.name), taken) for policy in application.policies}
        upper: set[str] = set()
        self.topics = {
            topic: unique(f"POLICY_TOPIC_{snake(topic).upper()}", upper) for topic in application.topics
        }
        self.shared = {slot.name: unique(variable(slot.name), taken) for slot in application.shared}
        self.handlers: dict[tuple[str, object], str] = {}
        for policy in application.policies:
            for handler in policy.handlers:
                wanted = f"{self.policies[policy.name]}_{_on(handler)}"
                self.handlers[policy.name, handler.trigger] = unique(wanted, taken)
        self._parameters = {policy.name: self._of_parameters(policy) for policy in application.policies}

    def parameter(self, policy: str, name: str) -> str:
        """Return a parameter's name; one that is named like a function or its policy in C gets another."""
        return self._parameters[policy][name]

    def _of_parameters(self, policy: Meant) -> dict[str, str]:
        taken = {*self._functions, self.policies[policy.name], *self.shared.values()}
        names: dict[str, str] = {}
        for name in dict.fromkeys(slot.name for handler in policy.handlers for slot in handler.parameters):
            names[name] = variable(name)
            while names[name] in taken:
                names[name] += "_"
            taken.add(names[name])
        return names

    def states(self, policy: Meant) -> list[str]:
        """Return how C writes the states: as numbers if their names are numbers, else as an enum's names."""
        if numbered(policy):
            return list(policy.states)
        taken: set[str] = set()
        prefix = self.policies[policy.name].upper()
        return [unique(f"{prefix}_{snake(name).upper()}", taken) for name in policy.states]


def numbered(policy: Meant) -> bool:
    """Whether a mote's states have the numbers that are their names; else they are counted from 0."""
    return all(name.isdigit() and int(name) < 256 for name in policy.states)


def _on(handler: Handler) -> str:
    trigger = handler.trigger
    if isinstance(trigger, Point):
        direction = trigger.direction.replace("-", "").lower()
        return f"on_{direction}_{trigger.operation}_{snake(trigger.topic)}"
    return f"on_{'timer' if trigger.in_state else 'timeout'}_{trigger.period}"
