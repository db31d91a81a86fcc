# SPDX-License-Identifier: Apache-2.0
"""One checked policy as bytecode. What a mote's machine can't hold is refused, all of it at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from orchestrator.errors import Fault, FaultyInput
from orchestrator.features.policies import meaning
from orchestrator.features.policies.arithmetic import wrapped
from orchestrator.features.policies.bytecode import instructions
from orchestrator.features.policies.bytecode.firmware import Firmware
from orchestrator.features.policies.bytecode.instructions import Code, Handler, Label, TooLarge
from orchestrator.features.policies.bytecode.terms import Refused, Terms
from orchestrator.features.policies.c_code.names import numbered
from orchestrator.features.policies.extensions import Library
from orchestrator.features.policies.meaning import Meant, MeantRule, Slot
from orchestrator.features.policies.model import DIRECTIONS, OPERATIONS, Point, Position
from orchestrator.features.policies.types import LONG, Record, Type, Vector


@dataclass(frozen=True)
class Limits:
    """Of a mote's firmware: bytes of a program, and cells (POLICY_BYTECODE_CONF_SIZE, _CELLS)."""

    size: int = instructions.SIZE
    cells: int = instructions.CELLS


def compiled(policy: Meant, firmware: Firmware, library: Library, limits: Limits | None = None) -> bytes:
    """Return a program for a firmware. Raises FaultyInput with everything that bytecode can't hold."""
    return _Compiling(policy, firmware, library, limits or Limits()).program()


def _scalars(kind: Type) -> set[str]:
    """Return the types of numbers in a type that bytecode doesn't have."""
    if isinstance(kind, Vector):
        return _scalars(kind.of)
    if isinstance(kind, Record):
        return {name for _, of in kind.fields for name in _scalars(of)}
    return set() if kind.is_integer else {kind.name}


class _Compiling:
    def __init__(self, policy: Meant, firmware: Firmware, library: Library, limits: Limits):
        self.policy, self.firmware, self.library, self.limits = policy, firmware, library, limits
        self.faults: list[Fault] = []
        self.place: dict[Slot, int] = {}
        self.used = 0  # cells
        self.states = [int(name) if numbered(policy) else number for number, name in enumerate(policy.states)]
        self.code = Code()
        self.terms = Terms(self.code, self.place, firmware)

    def program(self) -> bytes:
        for slot in self.policy.variables:
            self._give_cells(slot, self.policy.written.at)
        base, most = self.used, self.used
        begins = self.states[0] != 0 or any(slot.first for slot in self.policy.variables)
        handlers = [self._start()] if begins else []
        for handler in self.policy.handlers:
            self.used = base
            handlers += self._handler(handler)
            most = max(most, self.used)
        if most > self.limits.cells:
            what = f"{self.policy.name} keeps {most} numbers"
            self._refuse(what, f"a mote has room for {self.limits.cells}", self.policy.written.at)
        whole = instructions.program(self.firmware.fingerprint, most & 0xFF, handlers)
        if not self.faults and len(whole) > self.limits.size:
            what = f"{self.policy.name} takes {len(whole)} bytes"
            self._refuse(what, f"a mote has room for {self.limits.size}", self.policy.written.at)
        if self.faults:
            raise FaultyInput(self.faults)
        return whole

    def _refuse(self, what: str, remedy: str, at: Position) -> None:
        where = f"{self.policy.written.file}:{at.line}:{at.column}"
        self.faults.append(Fault(where, 0, f"bytecode: {what}", remedy))

    def _give_cells(self, slot: Slot, at: Position) -> None:
        if others := _scalars(slot.type):
            what = f"{slot.name} holds a {' and a '.join(sorted(others))}"
            self._refuse(what, "bytecode has whole numbers only", at)
        self.place[slot] = self.used
        self.used += instructions.cells(slot.type)

    def _begin(self) -> None:
        self.code = self.terms.code = Code()

    def _start(self) -> Handler:
        """First values; the machine has set all cells to 0."""
        self._begin()
        for slot in self.policy.variables:
            for place, value in enumerate(slot.first):
                if isinstance(value, int) and value != 0:
                    self.code.push(wrapped(LONG, value))
                    self.code.emit("store", self.place[slot] + place)
        self.code.emit("accept", self.states[0])
        return Handler((instructions.START, 0), bytes(self.code.data))

    def _handler(self, handler: meaning.Handler) -> list[Handler]:
        trigger = handler.trigger
        if isinstance(trigger, Point):
            if trigger.topic not in self.firmware.topics:
                what = f"the firmware has no topic {trigger.topic}"
                self._refuse(what, "only topics of the application's own policies are there", handler.at)
                return []
            point = DIRECTIONS.index(trigger.direction) << 3 | OPERATIONS.index(trigger.operation)
            key, period = (point, self.firmware.topics.index(trigger.topic) + 1), None
        else:
            key, period = (instructions.TIME, int(trigger.in_state)), trigger.period
            same = [
                handler.trigger for handler in self.policy.handlers if not isinstance(handler.trigger, Point)
            ]
            if any(handler.in_state == trigger.in_state for handler in same[: same.index(trigger)]):
                what = f"{trigger} is the second of its kind"
                self._refuse(what, "a policy in bytecode has one timeout and one timer", handler.at)
                return []
        self._begin()
        try:
            self._parameters(handler)
            self._rules(handler)
        except TooLarge as far:
            what = f"a jump in the rules for {trigger} spans {far} bytes"
            remedy = f"at most {instructions.FORWARD} are possible: split a rule"
            self._refuse(what, remedy, handler.at)
        return [Handler(key, bytes(self.code.data), period)]

    def _parameters(self, handler: meaning.Handler) -> None:
        for place, slot in enumerate(handler.parameters):
            if slot.name in handler.used:
                self._give_cells(slot, handler.at)
                self.code.emit("argument", place | instructions.TYPES.get(slot.type.name, 0) << 5)
                self.code.emit("store", self.place[slot])

    def _rules(self, handler: meaning.Handler) -> None:
        for state, rules in handler.by_state.items():
            other = Label()
            alone = len(self.policy.states) == 1
            if not alone:
                self.code.forward("unless_state", other, self.states[state])
            if not self._of_state(rules) and not alone:
                self.code.emit("no_rule")
            self.code.here(other)
        if len(self.policy.states) > 1 or not any(rule.always for rule in handler.rules):
            self.code.emit("no_rule")

    def _of_state(self, rules: Sequence[MeantRule]) -> bool:
        """Write the rules of a state; return whether one of them is always taken."""
        for rule in rules:
            following = Label()
            try:
                if not rule.always:
                    self.terms.value(rule.condition)
                    self.code.forward("unless", following)
                if not self._action(rule.action, rule):
                    self.code.emit("accept", self.states[rule.new_state])
            except Refused as refused:
                self._refuse(refused.what, refused.remedy, rule.at)
            self.code.here(following)
            if rule.always:
                return True
        return False

    def _action(self, steps: Sequence[meaning.Step], rule: MeantRule) -> bool:
        """Write an action; return whether it certainly ends the run."""
        for step in steps:
            match step:
                case meaning.Decide():
                    self._decide(step, rule)
                    return True
                case meaning.Branch():
                    if self._branch(step, rule):
                        return True
                case meaning.Loop():
                    self._loop(step, rule)
                case meaning.Set():
                    self.terms.value(step.value)
                    self.terms.store(step.place)
                case meaning.Do():
                    self.terms.value(step.call)
                    self.code.emit("pop")
                case meaning.Perform():
                    self._perform(step)
        return False

    def _branch(self, step: meaning.Branch, rule: MeantRule) -> bool:
        otherwise, end = Label(), Label()
        self.terms.value(step.condition)
        self.code.forward("unless", otherwise)
        then_ends = self._action(step.then, rule)
        if step.otherwise and not then_ends:
            self.code.forward("jump", end)
        self.code.here(otherwise)
        both = self._action(step.otherwise, rule) and then_ends
        self.code.here(end)
        return both

    def _loop(self, step: meaning.Loop, rule: MeantRule) -> None:
        """Write a loop.

        The condition stands behind the body, so that the only jump back is the one that is counted.
        """
        asked, body = Label(), Label()
        self.code.forward("jump", asked)
        self.code.here(body)
        self._action(step.body, rule)
        self.code.here(asked)
        self.terms.value(step.condition)
        self.code.again(body)

    def _sent(self, arguments: Sequence[meaning.Term]) -> None:
        for term in arguments:
            self.terms.value(term)

    def _bits(self, extensions: Sequence[str]) -> int:
        return sum({self.library.with_bits[name] for name in extensions})

    def _perform(self, step: meaning.Perform) -> None:
        if step.topic not in self.firmware.topics:
            remedy = "only topics of the application's own policies are there"
            raise Refused(f"the firmware has no topic {step.topic}", remedy)
        self._sent(step.arguments)
        what = OPERATIONS.index(step.operation) | len(step.arguments) << 4
        topic = self.firmware.topics.index(step.topic) + 1
        self.code.emit("operate", what, topic, self._bits(step.extensions))

    def _decide(self, step: meaning.Decide, rule: MeantRule) -> None:
        if step.accepts and step.arguments is not None:
            self._sent(step.arguments)
            self.code.emit("arguments", len(step.arguments))
        if step.extensions:
            self.code.emit("with", self._bits(step.extensions))
        self.code.emit("accept" if step.accepts else "discard", self.states[rule.new_state])
