# SPDX-License-Identifier: Apache-2.0
"""The reference: it executes the rules of a policy for an event. Compiled C computes the same values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from enum import Enum

from orchestrator.features.policies import arithmetic, meaning
from orchestrator.features.policies.extensions import Function
from orchestrator.features.policies.meaning import Meant, Slot
from orchestrator.features.policies.types import BOOL, FLOAT, LONG, SEALED, ULONG, Record, Type, Vector

Value = int | float | bytes  # a sealed value is bytes


class Outcome(Enum):
    """The result of one policy's rules for one event."""

    NO_RULE = "no rule"
    ACCEPT = "accept"
    DISCARD = "discard"


@dataclass
class Event:
    """An operation at an enforcement point, or a time-out. `extensions`: those that a policy chose for it."""

    trigger: object  # model.Point or model.Timeout
    arguments: list[Value] = field(default_factory=list)
    extensions: tuple[str, ...] = ()


@dataclass(frozen=True)
class Operation:
    """A publish/subscribe operation that an action asks for. `by`: the policy's name."""

    operation: str
    topic: str
    arguments: tuple[Value, ...]
    extensions: tuple[str, ...]
    by: str


# It calls a function of an extension with the values of its arguments.
Caller = Callable[[Function, Sequence[Value]], Value]


def nothing(function: Function, _arguments: Sequence[Value]) -> Value:
    """Return an extension whose functions all return zero."""
    return bytes(arithmetic.SEALED_SIZE) if function.result is SEALED else 0


def zero(kind: Type) -> object:
    """Return the value of a variable that has not got one yet."""
    if isinstance(kind, Vector):
        return [zero(kind.of) for _ in range(kind.size)]
    if isinstance(kind, Record):
        return {name: zero(of) for name, of in kind.fields}
    return bytes(arithmetic.SEALED_SIZE) if kind is SEALED else (0.0 if kind is FLOAT else 0)


def first_value(slot: Slot) -> object:
    """Return a variable's first value."""
    if not slot.first:
        return zero(slot.type)
    if isinstance(slot.type, Vector):
        return [*slot.first, *[zero(slot.type.of)] * (slot.type.size - len(slot.first))]
    return slot.first[0]


class _Left(Exception):  # noqa: N818 - it is no error
    """An action has ended with an outcome."""

    def __init__(self, step: meaning.Decide):
        self.step = step


@dataclass
class Node:
    """The state that a mote's policies share."""

    shared: dict[str, object] = field(default_factory=dict)
    number: int = 1
    call: Caller = nothing
    constants: dict[str, Value] = field(default_factory=dict)
    faults: Counter = field(default_factory=Counter)
    operations: list[Operation] = field(default_factory=list)

    def fault(self, what: str) -> None:
        """Count a fault."""
        self.faults[what] += 1


class Running:
    """A policy that is loaded on a node."""

    def __init__(self, policy: Meant, node: Node):
        self.policy, self.node = policy, node
        self.handlers = {handler.trigger: handler for handler in policy.handlers}
        self.disabled: set[int] = set()
        self.start()

    def start(self) -> None:
        """Take the initial state and the first values."""
        self.state = 0
        self.own = {slot.name: first_value(slot) for slot in self.policy.variables}
        self.locals: dict[str, object] = {}
        self.turns = 0

    def on(self, event: Event) -> Outcome:
        """Take the first rule of the present state whose condition holds (Figure 8, lines 8 to 13)."""
        handler = self.handlers.get(event.trigger)
        if handler is None:
            return Outcome.NO_RULE
        self.locals = {
            slot.name: arithmetic.argument(
                slot.type, event.arguments[place] if place < len(event.arguments) else None, self.node.fault
            )
            for place, slot in enumerate(handler.parameters)
            if slot.name in handler.used
        }
        self.turns = 0
        for rule in handler.rules:
            if rule.state != self.state or rule.number in self.disabled:
                continue
            if self.value(rule.condition):
                outcome = self._execute(rule, event)
                self.state = rule.new_state
                return outcome
        return Outcome.NO_RULE

    def _execute(self, rule: meaning.MeantRule, event: Event) -> Outcome:
        try:
            self._steps(rule.action)
        except _Left as left:
            step = left.step
            if step.accepts and step.arguments is not None:
                event.arguments = [self._sent(term) for term in step.arguments]
            if step.extensions:
                event.extensions = step.extensions
            return Outcome.ACCEPT if step.accepts else Outcome.DISCARD
        return Outcome.ACCEPT  # an action without an outcome lets the operation go on

    # --- statements

    def _steps(self, steps: Sequence[meaning.Step]) -> None:
        for step in steps:
            self._STEPS[type(step)](self, step)

    def _set(self, step: meaning.Set) -> None:
        value = self.value(step.value)
        holder, key = self._holder(step.place)
        holder[key] = deepcopy(value) if isinstance(value, list | dict) else value

    def _do(self, step: meaning.Do) -> None:
        self.value(step.call)

    def _perform(self, step: meaning.Perform) -> None:
        arguments = tuple(self._sent(term) for term in step.arguments)
        done = Operation(step.operation, step.topic, arguments, step.extensions, self.policy.name)
        self.node.operations.append(done)

    def _sent(self, term: meaning.Term) -> Value:
        """Return a term as a value of an event; a uint32 travels in two's complement."""
        value = self.value(term)
        return arithmetic.wrapped(LONG, value) if term.type is ULONG else value

    def _decide(self, step: meaning.Decide) -> None:
        raise _Left(step)

    def _branch(self, step: meaning.Branch) -> None:
        self._steps(step.then if self.value(step.condition) else step.otherwise)

    def _loop(self, step: meaning.Loop) -> None:
        while self.value(step.condition):
            if self.turns >= arithmetic.MOST_TURNS:
                self.node.fault(arithmetic.TURNS)
                return
            self.turns += 1
            self._steps(step.body)

    _STEPS = {
        meaning.Set: _set,
        meaning.Do: _do,
        meaning.Perform: _perform,
        meaning.Decide: _decide,
        meaning.Branch: _branch,
        meaning.Loop: _loop,
    }

    # --- values

    def value(self, term: meaning.Term) -> object:
        """Return the value of a term."""
        return self._TERMS[type(term)](self, term)

    def _holder(self, term: meaning.Term) -> tuple:
        """Return the dictionary or list that holds a variable, and its key there."""
        if isinstance(term, meaning.Element):
            holder, key = self._holder(term.of)
            return holder[key], arithmetic.index(self.value(term.index), term.of.type.size, self.node.fault)
        if isinstance(term, meaning.FieldOf):
            holder, key = self._holder(term.of)
            return holder[key], term.name
        stores = {"parameter": self.locals, "own": self.own, "shared": self.node.shared}
        return stores[term.slot.kind], term.slot.name

    def _held(self, term: meaning.Term) -> object:
        holder, key = self._holder(term)
        return holder[key]

    def _known(self, term: meaning.Known) -> object:
        return self.node.constants.get(term.constant.name, zero(term.type))

    def _convert(self, term: meaning.Convert) -> object:
        return arithmetic.convert(term.type, term.of.type, self.value(term.of), self.node.fault)

    def _compute(self, term: meaning.Compute) -> object:
        left = self.value(term.left)
        return arithmetic.compute(term.type, term.operator, left, self.value(term.right), self.node.fault)

    def _shift(self, term: meaning.Shift) -> object:
        left = self.value(term.left)
        return arithmetic.shift(term.type, term.operator, left, self.value(term.by))

    def _compare(self, term: meaning.Compare) -> int:
        left = self.value(term.left)
        return int(arithmetic.COMPARE[term.operator](left, self.value(term.right)))

    def _logic(self, term: meaning.Logic) -> object:
        left = self.value(term.left)
        return left if bool(left) == (term.operator == "||") else self.value(term.right)

    def _choice(self, term: meaning.Choice) -> object:
        return self.value(term.then if self.value(term.condition) else term.otherwise)

    def _invoke(self, term: meaning.Invoke) -> object:
        arguments = [self.value(argument) for argument in term.arguments]
        if term.function.name == "abs":
            return arithmetic.distance(term.type, arguments[0], arguments[1] if arguments[1:] else 0)
        value = self.node.call(term.function, arguments)
        return int(bool(value)) if term.type is BOOL else value

    _TERMS = {
        meaning.Fixed: lambda self, term: term.value,
        meaning.Read: _held,
        meaning.Known: _known,
        meaning.ThisNode: lambda self, term: arithmetic.wrapped(term.type, self.node.number),
        meaning.Element: _held,
        meaning.FieldOf: _held,
        meaning.Convert: _convert,
        meaning.Compute: _compute,
        meaning.Shift: _shift,
        meaning.Change: lambda self, term: arithmetic.change(term.type, term.operator, self.value(term.of)),
        meaning.Compare: _compare,
        meaning.Logic: _logic,
        meaning.Not: lambda self, term: int(not self.value(term.of)),
        meaning.Choice: _choice,
        meaning.Invoke: _invoke,
    }
