# SPDX-License-Identifier: Apache-2.0
"""Finds what policies mean, and the faults of names and types in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from orchestrator.features.policies import meaning, model
from orchestrator.features.policies.extensions import Library
from orchestrator.features.policies.findings import ERROR, WARNING, Findings
from orchestrator.features.policies.meaning import Fixed, Handler, Meant, MeantRule, Slot
from orchestrator.features.policies.model import Policy, Position
from orchestrator.features.policies.shared import Shared
from orchestrator.features.policies.types import (
    INT,
    SEALED,
    VOID,
    WRITTEN,
    Record,
    Type,
    Vector,
    with_article,
)
from orchestrator.features.policies.typing import Scope, Tell, Unknown
from orchestrator.words import nearest

DEFAULT_PERIOD = 5000  # ms, for a time-out without a period; it is that of the paper's Figure 3
MOST_PERIOD = 0x7FFFFFFF  # ms


class Resolving:
    """Finds the meaning of one policy."""

    def __init__(self, policy: Policy, library: Library, shared: Shared, findings: Findings):
        self.policy, self.library, self.shared, self.findings = policy, library, shared, findings
        self.own: dict[str, Slot] = {}
        self.declared: set[str] = set()
        self.parameters: dict[str, Slot] = {}
        self.records: dict[str, Record] = {}
        self.guessing: set[str] = set()
        self.silent = 0
        self.scope = Scope(self._slot, library, self.tell)
        self.states = {name: number for number, name in enumerate(policy.states)}

    def tell(self, name: str, severity: str, at: Position, what: str, remedy: str) -> None:
        """Record a finding, unless a type is only being guessed."""
        if not self.silent:
            self.findings.add(name, severity, self.policy.file, at, what, remedy)

    def meant(self) -> Meant:
        """Return the policy's meaning, as far as it has one."""
        for variable in self.policy.variables:
            if not variable.shared:
                self._declare(variable)
        handlers = [self._handler(event) for event in self.policy.events]
        if len(self.states) > model.MOST_STATES:
            what = f"{self.policy.name} has {len(self.states)} states"
            self.tell("limits", ERROR, self.policy.at, what, f"at most {model.MOST_STATES} fit into a byte")
        if not self.policy.events and not self.policy.damaged:
            what = f"{self.policy.name} has no event"
            self.tell("syntax", ERROR, self.policy.at, what, "write at least one `on`")
        return Meant(
            self.policy.name,
            self.policy,
            tuple(self.policy.states),
            tuple(self.own.values()),
            tuple(handlers),
        )

    # --- variables

    def declare_shared(self) -> None:
        """Declare the global variables, which policies that are read earlier may use."""
        for variable in self.policy.variables:
            if variable.shared:
                self._declare(variable)

    def _declare(self, variable: model.Variable) -> None:
        kind = self._type(variable.type, variable.size, variable.at)
        first = self._first(variable, kind)
        if variable.name in self.declared:
            what = f"{variable.name} is declared twice"
            self.tell("names", ERROR, variable.at, what, "rename one of them, or remove it")
            return
        self.declared.add(variable.name)
        if variable.name in self.library.constants:
            what = f"{variable.name} is a constant of an extension"
            self.tell("names", ERROR, variable.at, what, "rename the variable")
        elif variable.shared:
            self.shared.declare(self.policy, variable, kind, first)
        else:
            self.own[variable.name] = Slot(variable.name, kind, "own", self.policy.name, first=first)

    def _type(self, written: model.WrittenType, size: int | None, at: Position) -> Type:
        if written.fields:
            fields = tuple((name, self._type(kind, count, kind.at)) for kind, name, count in written.fields)
            for name in {name for name, _ in fields if [field for field, _ in fields].count(name) > 1}:
                self.tell("names", ERROR, written.at, f"two fields are called {name}", "rename one of them")
            self.records[written.record] = Record(f"{written.record}", fields)
        if written.record is not None:
            declared, name, what = self.records, written.record, "record"
            remedy = "give its fields in braces where it is first named"
        else:
            declared, name, what = WRITTEN, written.name, "type"
            remedy = f"types are {', '.join(WRITTEN)}"
        kind: Type = declared.get(name, INT)
        if name not in declared:
            self.tell("type", ERROR, written.at, f"there is no {what} {name}", remedy)
        if size is None:
            return kind
        if not 0 < size <= 1000:
            self.tell("limits", ERROR, at, f"a vector of {size} elements", "1 to 1000 are possible")
            size = 1
        return Vector(kind, size)

    def _first(self, variable: model.Variable, kind: Type) -> tuple[int | float, ...]:
        if variable.first is None:
            return ()
        of = kind.of if isinstance(kind, Vector) else kind
        room = kind.size if isinstance(kind, Vector) else 1
        if isinstance(of, Record | Vector) or of is SEALED:
            what = f"{with_article(kind)} cannot have first values here"
            self.tell("type", ERROR, variable.at, what, "assign them in an action")
            return ()
        if len(variable.first) > room:
            what = f"{variable.name} has room for {room} values"
            self.tell("type", ERROR, variable.at, what, f"{len(variable.first)} are given")
        values = []
        for written in variable.first[:room]:
            term = self.scope.converted(self.scope.term(written), of, written.at)
            if isinstance(term, Fixed):
                values.append(term.value)
            else:
                what = f"the first value of {variable.name} is not a constant"
                self.tell("type", ERROR, written.at, what, "assign it in an action")
        return tuple(values)

    def _slot(self, name: str, at: Position) -> Slot:
        variable = self.parameters.get(name) or self.own.get(name) or self.shared.find(self.policy.name, name)
        if variable:
            return variable
        kind = self._guess(name)
        slot = Slot(name, kind, "own", self.policy.name, implicit=True)
        if not self.silent:
            meant = nearest(name, [*self.own, *self.parameters])
            hint = f"; did you mean {meant}?" if meant else ""
            self.tell(
                "undeclared",
                WARNING,
                at,
                f"{name} is not declared",
                f"it is taken as `{kind} {name};` of the policy: declare it{hint}",
            )
            self.own[name] = slot
        return slot

    def _guess(self, name: str) -> Type:
        """Return the type of an undeclared variable: that of the first value that it gets."""
        if name in self.guessing:
            return INT
        self.guessing.add(name)
        self.silent += 1
        before, kind = self.parameters, INT
        for event in self.policy.events:
            set_here = (
                node for node in nodes(event) if isinstance(node, model.Assignment) and node.operator == "="
            )
            first = next((node for node in set_here if node.place == model.Name(name)), None)
            if first is not None:
                self.parameters = self._parameters(event)
                kind = self.scope.term(first.value).type
                break
        self.parameters = before
        self.silent -= 1
        self.guessing.discard(name)
        return kind if kind is not VOID else INT

    # --- events

    def _handler(self, event: model.Event) -> Handler:
        trigger = meant = event.trigger
        if isinstance(trigger, model.Point):
            self.judge_point(trigger, self.tell)
        else:
            meant = self._timeout(trigger)
        for other in self.policy.events:
            if other is event:
                break
            if other.trigger == trigger:
                what = f"{self.policy.name} has the event {trigger} twice"
                self.tell(
                    "names", ERROR, event.at, what, f"move these rules to those of line {other.at.line}"
                )
        if event.formals and len(event.formals) > model.MOST_ARGUMENTS:
            what = f"{trigger} has {len(event.formals)} parameters"
            self.tell("limits", ERROR, event.at, what, f"at most {model.MOST_ARGUMENTS} are possible")
        self.parameters = self._parameters(event)
        if not event.rules and not self.policy.damaged:
            what, remedy = f"{trigger} has no rule", "write one, or remove the event"
            self.tell("syntax", ERROR, event.at, what, remedy)
        rules = tuple(self._rule(rule) for rule in event.rules)
        parameters = tuple(self.parameters.values())
        self.parameters = {}
        return Handler(meant, parameters, rules, event.at)

    @staticmethod
    def judge_point(point: model.Point, tell: Tell) -> None:
        if point.direction not in model.DIRECTIONS:
            meant = nearest(point.direction, model.DIRECTIONS)
            directions = ", ".join(model.DIRECTIONS)
            what = f"there is no direction {point.direction}"
            remedy = f"did you mean {meant}?" if meant else f"directions are {directions}"
            tell("direction", ERROR, point.at, what, remedy)

    def _timeout(self, trigger: model.Timeout) -> model.Timeout:
        if trigger.period is None:
            what = "the time-out has no period"
            taken = f"{DEFAULT_PERIOD} ms are taken"
            remedy = f"{taken}; write timeout({DEFAULT_PERIOD}), or timer(...) for the time in a state"
            self.tell("period", WARNING, trigger.at, what, remedy)
            return model.Timeout(DEFAULT_PERIOD, trigger.in_state, at=trigger.at)
        if not 0 < trigger.period <= MOST_PERIOD:
            what = f"a period of {trigger.period} ms"
            self.tell("limits", ERROR, trigger.at, what, f"1 to {MOST_PERIOD} ms are possible")
        return trigger

    def _parameters(self, event: model.Event) -> dict[str, Slot]:
        slots: dict[str, Slot] = {}
        for formal in event.formals or ():
            kind = SEALED if self._is_sealed(formal.name, event) else INT
            if formal.type is not None:
                kind = self._type(formal.type, None, formal.at)
            if formal.name in slots:
                what = f"two parameters are called {formal.name}"
                self.tell("names", ERROR, formal.at, what, "rename one of them")
            slots[formal.name] = Slot(formal.name, kind, "parameter", self.policy.name)
        return slots

    def _is_sealed(self, name: str, event: model.Event) -> bool:
        """Return whether a parameter without a type is passed to a function that takes an encrypted value."""
        for call in (node for node in nodes(event) if isinstance(node, model.Call)):
            for function in self.library.functions.get(call.function, ()):
                pairs = zip(call.arguments, function.arguments, strict=False)
                if any(given == model.Name(name) and kind is SEALED for given, kind in pairs):
                    return True
        return False

    # --- rules

    def _rule(self, rule: model.Rule) -> MeantRule:
        condition = self.scope.condition(rule.condition)
        action = self._action(rule.action)
        old, new = self.states[rule.state], self.states[rule.new_state]
        return MeantRule(old, new, condition, action, rule.number, rule.at)

    def _action(self, statements: Iterable[model.Statement]) -> tuple[meaning.Step, ...]:
        steps: list[meaning.Step] = []
        for statement in statements:
            if any(isinstance(step, meaning.Decide) for step in steps):
                what = "this is never executed: an outcome ends the action"
                self.tell(
                    "unreachable-code",
                    WARNING,
                    statement.at,
                    what,
                    "remove it, or move it before the outcome",
                )
                break
            steps.append(getattr(self, f"_{type(statement).__name__.lower()}")(statement))
        return tuple(steps)

    def _assignment(self, written: model.Assignment) -> meaning.Step:
        place = self.scope.term(written.place)
        slot = _slot_of(place)
        if isinstance(place, Unknown) or slot is None:
            if not isinstance(place, Unknown):
                self.tell("type", ERROR, written.at, "a constant gets a value", "assign to a variable")
            return meaning.Set(place, self.scope.term(written.value))
        if isinstance(place.type, Vector):
            self.tell("type", ERROR, written.at, "a vector gets a value", "assign its elements one by one")
            return meaning.Set(place, place)
        value = written.value
        if written.operator != "=":
            value = model.Binary(written.operator[:-1], written.place, value, at=written.at)
        term = self.scope.converted(self.scope.term(value), place.type, written.value.at)
        self.scope.in_order((place, term), written.at)
        return meaning.Set(place, term)

    def _calling(self, written: model.Calling) -> meaning.Step:
        term = self.scope.term(written.call)
        return meaning.Do(term) if isinstance(term, meaning.Invoke) else meaning.Set(term, term)

    def _operate(self, written: model.Operate) -> meaning.Perform:
        arguments: tuple = ()
        if written.operation == "notify":
            arguments = self._values(written.arguments or (), written.at)
        return meaning.Perform(
            written.operation, written.topic, arguments, self._extensions(written), at=written.at
        )

    def _outcome(self, written: model.Outcome) -> meaning.Decide:
        arguments = written.arguments
        topics = {
            event.trigger.topic for event in self.policy.events if isinstance(event.trigger, model.Point)
        }
        if arguments and isinstance(arguments[0], model.Name) and arguments[0].name in topics:
            arguments = arguments[1:]  # as in Figure 20, the topic comes first, then its values
        values = None if arguments is None else self._values(arguments, written.at)
        if values is not None and not written.accepts:
            what = "discard has parameters"
            self.tell("argument", WARNING, written.at, what, "they are not used: nothing goes on")
        return meaning.Decide(written.accepts, values, self._extensions(written))

    def _values(self, written: tuple[model.Expression, ...], at: Position) -> tuple[meaning.Term, ...]:
        if len(written) > model.MOST_ARGUMENTS:
            what = f"{len(written)} arguments"
            self.tell("limits", ERROR, at, what, f"an event has at most {model.MOST_ARGUMENTS}")
        terms = []
        for argument in written[: model.MOST_ARGUMENTS]:
            term = self.scope.term(argument)
            if isinstance(term.type, Record | Vector) or term.type is VOID:
                what, remedy = f"{with_article(term.type)} cannot be sent", "send its fields or elements"
                self.tell("type", ERROR, argument.at, what, remedy)
                term = Fixed(INT, 0)
            terms.append(term)
        self.scope.in_order(terms, at)
        return tuple(terms)

    def _extensions(self, written: model.Operate | model.Outcome) -> tuple[str, ...]:
        extensions = self.library.with_bits
        for name in written.extensions:
            if name not in extensions:
                meant = nearest(name, extensions)
                what = f"there is no extension {name}"
                if name in self.library.names:
                    what = f"the extension {name} cannot be used in a `with` list"
                remedy = f"did you mean {meant}?" if meant else f"those are {', '.join(extensions)}"
                self.tell("extension", ERROR, written.at, what, remedy)
        return tuple(name for name in written.extensions if name in extensions)

    def _if(self, written: model.If) -> meaning.Branch:
        condition = self.scope.condition(written.condition)
        return meaning.Branch(condition, self._action(written.then), self._action(written.otherwise))

    def _while(self, written: model.While) -> meaning.Loop:
        return meaning.Loop(self.scope.condition(written.condition), self._action(written.body))


def _slot_of(term: meaning.Term) -> Slot | None:
    while isinstance(term, meaning.Element | meaning.FieldOf):
        term = term.of
    return term.slot if isinstance(term, meaning.Read) else None


def nodes(written: object) -> Iterator[object]:
    """Yield a node of the model and all in it."""
    if isinstance(written, tuple) and not isinstance(written, Position):
        for part in written:
            yield from nodes(part)
    elif hasattr(written, "__dataclass_fields__"):
        yield written
        for name in written.__dataclass_fields__:
            yield from nodes(getattr(written, name))
