# SPDX-License-Identifier: Apache-2.0
"""The meaning of policies: names are bound, expressions have types, and conversions are explicit.

The reference interpreter, the compiler to C and the checks read only this.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from orchestrator.features.policies.extensions import Constant, Function
from orchestrator.features.policies.model import NOWHERE, Conflict, Point, Policy, Position, Timeout
from orchestrator.features.policies.types import BOOL, INT, Scalar, Type


@dataclass(frozen=True)
class Slot:
    """A place for a value.

    `kind`: parameter (of an event), own (of a policy) or shared (global). `owner`: the policy; "" for a
    shared one. `implicit`: whether the source does not declare it.
    """

    name: str
    type: Type
    kind: str
    owner: str
    implicit: bool = False
    first: tuple[int | float, ...] = ()


@dataclass(frozen=True)
class Fixed:
    """A constant."""

    type: Scalar
    value: int | float


@dataclass(frozen=True)
class Read:
    """The value of a slot."""

    slot: Slot

    @property
    def type(self) -> Type:
        return self.slot.type


@dataclass(frozen=True)
class Known:
    """A constant that an extension declares."""

    constant: Constant

    @property
    def type(self) -> Scalar:
        return self.constant.type


@dataclass(frozen=True)
class ThisNode:
    """`this.node_id`: an int, as parameters without a type are."""

    type: Scalar = INT


@dataclass(frozen=True)
class Element:
    """An element of a vector. `index` is a long; an index out of range means the nearest element."""

    of: Term
    index: Term

    @property
    def type(self) -> Type:
        return self.of.type.of


@dataclass(frozen=True)
class FieldOf:
    """A field of a record."""

    of: Term
    name: str

    @property
    def type(self) -> Type:
        return self.of.type.field(self.name)


@dataclass(frozen=True)
class Convert:
    """A number converted to another type; as a bool, it says whether the number is not 0."""

    type: Scalar
    of: Term


@dataclass(frozen=True)
class Compute:
    """The result of + - * / % & | or ^ on two values of the type."""

    type: Scalar
    operator: str
    left: Term
    right: Term


@dataclass(frozen=True)
class Shift:
    """The result of << or >> on a value of the type; `by` is a long."""

    type: Scalar
    operator: str
    left: Term
    by: Term


@dataclass(frozen=True)
class Change:
    """The result of - or ~ on a value of the type."""

    type: Scalar
    operator: str
    of: Term


@dataclass(frozen=True)
class Compare:
    """The result of == != < <= > or >= on two values of one type."""

    operator: str
    left: Term
    right: Term
    type: Scalar = BOOL


@dataclass(frozen=True)
class Logic:
    """The result of && or ||. The right side is evaluated only if the left one does not decide."""

    operator: str
    left: Term
    right: Term
    type: Scalar = BOOL


@dataclass(frozen=True)
class Not:
    """The negation of a condition."""

    of: Term
    type: Scalar = BOOL


@dataclass(frozen=True)
class Choice:
    """One of two values of one type."""

    type: Type
    condition: Term
    then: Term
    otherwise: Term


@dataclass(frozen=True)
class Invoke:
    """A call of a function."""

    function: Function
    arguments: tuple[Term, ...]

    @property
    def type(self) -> Scalar:
        return self.function.result


Term = (
    Fixed
    | Read
    | Known
    | ThisNode
    | Element
    | FieldOf
    | Convert
    | Compute
    | Shift
    | Change
    | Compare
    | Logic
    | Not
    | Choice
    | Invoke
)


@dataclass(frozen=True)
class Set:
    """`place` gets a value of its type."""

    place: Term
    value: Term


@dataclass(frozen=True)
class Do:
    """A call whose result is not used."""

    call: Invoke


@dataclass(frozen=True)
class Perform:
    """A publish/subscribe operation."""

    operation: str
    topic: str
    arguments: tuple[Term, ...]
    extensions: tuple[str, ...]
    at: Position = NOWHERE


@dataclass(frozen=True)
class Decide:
    """The outcome. `arguments`: None if the event's arguments stay as they are."""

    accepts: bool
    arguments: tuple[Term, ...] | None
    extensions: tuple[str, ...]


@dataclass(frozen=True)
class Branch:
    """An if statement."""

    condition: Term
    then: tuple[Step, ...]
    otherwise: tuple[Step, ...]


@dataclass(frozen=True)
class Loop:
    """A while statement, with at most arithmetic.MOST_TURNS turns in an action."""

    condition: Term
    body: tuple[Step, ...]


Step = Set | Do | Perform | Decide | Branch | Loop


@dataclass(frozen=True)
class MeantRule:
    """A rule; states are numbers."""

    state: int
    new_state: int
    condition: Term
    action: tuple[Step, ...]
    number: int
    at: Position

    @property
    def always(self) -> bool:
        """Whether its condition is a constant that holds."""
        return isinstance(self.condition, Fixed) and bool(self.condition.value)

    @property
    def never(self) -> bool:
        """Whether its condition is a constant that doesn't hold."""
        return isinstance(self.condition, Fixed) and not self.condition.value


@dataclass(frozen=True)
class Handler:
    """A policy's rules for one event."""

    trigger: Point | Timeout
    parameters: tuple[Slot, ...]
    rules: tuple[MeantRule, ...]
    at: Position

    @cached_property
    def by_state(self) -> dict[int, list[MeantRule]]:
        """The rules of each state that has any, states and rules in the order of the source."""
        rules: dict[int, list[MeantRule]] = {}
        for rule in self.rules:
            rules.setdefault(rule.state, []).append(rule)
        return rules

    @cached_property
    def used(self) -> frozenset[str]:
        """The parameters that a rule reads or sets; the others need not be passed."""
        return frozenset(
            term.slot.name
            for rule in self.rules
            for term in rule_terms(rule)
            if isinstance(term, Read) and term.slot.kind == "parameter"
        )


@dataclass(frozen=True)
class Meant:
    """A policy. `states`: their names by number; the policy starts in state 0."""

    name: str
    written: Policy
    states: tuple[str, ...]
    variables: tuple[Slot, ...]
    handlers: tuple[Handler, ...]

    @cached_property
    def rules(self) -> tuple[MeantRule, ...]:
        """The rules for all events, in the order of the source."""
        return tuple(rule for handler in self.handlers for rule in handler.rules)


@dataclass(frozen=True)
class Application:
    """Policies that are checked and compiled together.

    `topics`: their names, numbered from 1, in the order of their subjects on air.
    """

    policies: tuple[Meant, ...]
    shared: tuple[Slot, ...]
    topics: tuple[str, ...]
    conflicts: tuple[Conflict, ...] = ()

    @property
    def rules(self) -> Iterator[tuple[Meant, Handler, MeantRule]]:
        """All rules, each with its policy and its event's handler, in the order of the source."""
        for policy in self.policies:
            for handler in policy.handlers:
                for rule in handler.rules:
                    yield policy, handler, rule

    @property
    def operations(self) -> Iterator[tuple[Meant, Perform]]:
        """All publish/subscribe operations that actions ask for, each with its policy."""
        for policy, _, rule in self.rules:
            for step in steps(rule.action):
                if isinstance(step, Perform):
                    yield policy, step

    def topic(self, name: str) -> int:
        return self.topics.index(name) + 1

    def policy(self, name: str) -> Meant:
        return next(policy for policy in self.policies if policy.name == name)


def terms(term: Term) -> Iterator[Term]:
    """Yield a term and all terms in it."""
    yield term
    yield from terms_of(term)


def parts(of: Term | Step) -> Iterator[Term]:
    """Yield the terms of which a term or a statement immediately consists."""
    for name in of.__dataclass_fields__:
        value = getattr(of, name)
        for item in value if isinstance(value, tuple) else (value,):
            if isinstance(item, Term):
                yield item


def steps(action: tuple[Step, ...]) -> Iterator[Step]:
    """Yield all statements of an action, including those inside others."""
    for step in action:
        yield step
        if isinstance(step, Branch):
            yield from steps(step.then)
            yield from steps(step.otherwise)
        elif isinstance(step, Loop):
            yield from steps(step.body)


def terms_of(step: Term | Step) -> Iterator[Term]:
    """Yield the terms of one statement, without those of statements inside it, or those inside a term."""
    for part in parts(step):
        yield from terms(part)


def rule_terms(rule: MeantRule) -> Iterator[Term]:
    """Yield all terms of a rule."""
    yield from terms(rule.condition)
    for step in steps(rule.action):
        yield from terms_of(step)


def called(rule: MeantRule) -> Iterator[Function | Constant]:
    """Yield the functions that a rule calls and the constants that it reads."""
    for term in rule_terms(rule):
        if isinstance(term, Invoke):
            yield term.function
        elif isinstance(term, Known):
            yield term.constant


def first_uses(policies: Iterable[Meant]) -> dict[str, tuple[str, Position]]:
    """Return the topics of policies, each with the file and the place where it comes first."""
    first: dict[str, tuple[str, Position]] = {}
    for policy in policies:
        for handler in policy.handlers:
            if isinstance(handler.trigger, Point):
                first.setdefault(handler.trigger.topic, (policy.written.file, handler.at))
            for rule in handler.rules:
                for step in steps(rule.action):
                    if isinstance(step, Perform):
                        first.setdefault(step.topic, (policy.written.file, step.at))
    return first
