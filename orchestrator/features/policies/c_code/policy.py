# SPDX-License-Identifier: Apache-2.0
"""Writes one policy in C: its variables, and one function for each of its events."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable
from pathlib import Path

from orchestrator.features.policies import formatter, meaning
from orchestrator.features.policies.c_code.names import Names, variable
from orchestrator.features.policies.c_code.terms import Terms, constant
from orchestrator.features.policies.extensions import Library
from orchestrator.features.policies.meaning import Handler, Meant, MeantRule, Slot
from orchestrator.features.policies.types import FLOAT, Record, Type, Vector

Lines = Generator[str, None, bool]  # lines, and whether the last of them certainly returns
RULER = f"/*{'-' * 75}*/"
_READERS = {
    "bool": "policy_bool",
    "int8": "policy_int8",
    "uint8": "policy_uint8",
    "int": "policy_int",
    "uint16": "policy_uint16",
    "long": "policy_long",
    "uint32": "policy_uint32",
    "float": "policy_float",
    "sealed": "policy_sealed",
}
_BITS = {
    0x01: "POLICY_WITH_PUSH_DPC",
    0x02: "POLICY_WITH_PULL_DPC",
    0x04: "POLICY_WITH_RELIABLE_CPC",
    0x08: "POLICY_WITH_UNRELIABLE_CPC",
}


class PolicyCode:
    """Writes one policy. `switched`: whether single rules can be switched off at run time."""

    def __init__(self, policy: Meant, names: Names, library: Library, switched: bool = False):
        self.policy, self.names, self.library, self.switched = policy, names, library, switched
        self.name = names.policies[policy.name]
        self.states = names.states(policy)
        self.terms = Terms(self._slot)

    def lines(self) -> Iterable[str]:
        """Return its part of the file."""
        yield RULER
        yield f"/* {self.policy.name} */"
        if not self.states[0].isdigit():
            yield f"enum {{ {', '.join(self.states)} }};"
        yield from self._variables()
        for handler in self.policy.handlers:
            yield from self._handler(handler)

    def _slot(self, slot: Slot) -> str:
        if slot.kind == "own":
            return f"{self.name}.{variable(slot.name)}"
        if slot.kind == "shared":
            return self.names.shared[slot.name]
        return self.names.parameter(self.policy.name, slot.name)

    def _variables(self) -> Iterable[str]:
        yield ""
        if not self.policy.variables:
            return
        yield f"static struct {self.name} {{"
        for slot in self.policy.variables:
            for line in declaration(slot.type, variable(slot.name)).split("\n"):
                yield f"  {line}"
        yield f"}} {self.name};"
        yield ""
        yield "static void"
        yield f"{self.name}_start(void)"
        yield "{"
        first = [
            f".{variable(slot.name)} = {first_values(slot)}" for slot in self.policy.variables if slot.first
        ]
        if first:
            yield f"  {self.name} = (struct {self.name}) {{ {', '.join(first)} }};"
        else:
            yield f"  memset(&{self.name}, 0, sizeof({self.name}));"
        yield "}"

    def _handler(self, handler: Handler) -> Iterable[str]:
        function = self.names.handlers[self.policy.name, handler.trigger]
        body = list(self._rules(handler))
        text = "\n".join(body)
        where = f"{Path(self.policy.written.file).name}:{handler.at.line}"
        yield f"/* {formatter.trigger(handler.trigger, handler.parameters)} ({where}) */"
        yield "static enum policy_outcome"
        yield f"{function}(struct policy *self, struct policy_event *event)"
        yield "{"
        head = []
        for place, slot in enumerate(handler.parameters):
            if slot.name in handler.used:
                reader = _READERS[slot.type.name]
                head.append(f"{slot.type.c} {self._slot(slot)} = {reader}(event, {place});")
        if "policy_turn(&turns)" in text:
            head.append("uint16_t turns = 0;")
        for line in head:
            yield f"  {line}"
        if head:
            yield ""
        yield from self._unused(handler, text, "\n".join(head))
        yield from body
        yield "}"
        yield RULER

    def _unused(self, handler: Handler, text: str, head: str) -> Iterable[str]:
        if "self->" not in text:
            yield "  (void)self;"
        if not re.search(r"\bevent\b", text + head):
            yield "  (void)event;"
        for slot in handler.parameters:
            name = self._slot(slot)
            assigned = re.search(rf"^ *{re.escape(name)} = ", text, re.M)
            if (
                assigned
                or slot.name in handler.used
                and not re.search(rf"\b{name}\b", re.sub(r"/\*.*?\*/", "", text))
            ):
                yield f"  (void){name};"

    def _rules(self, handler: Handler) -> Iterable[str]:
        if len(self.states) == 1:
            ends = yield from self._of_state(handler.rules, "  ")
            if not ends:
                yield "  return POLICY_NO_RULE;"
            return
        yield "  switch(self->state) {"
        for state, rules in sorted(handler.by_state.items()):
            yield f"  case {self.states[state]}:"
            ends = yield from self._of_state(rules, "    ")
            if not ends:
                yield "    break;"
        yield "  }"
        yield "  return POLICY_NO_RULE;"

    def _of_state(self, rules: Iterable[MeantRule], indent: str) -> Lines:
        """Yield the lines of a state's rules in their order. Returns whether one of them is always taken."""
        for rule in rules:
            yield f"{indent}/* {formatter.rule_head(self.policy.written.rules[rule.number])} */"
            asked = [f"POLICY_RULE(self, {rule.number})"] if self.switched else []
            if not rule.always:
                asked.append(self.terms.text(rule.condition, 4 if asked else 0))
            inner = indent + "  " if asked else indent
            if asked:
                yield f"{indent}if({' && '.join(asked)}) {{"
            ended = yield from self._action(rule.action, rule, inner)
            if not ended:
                yield from self._leave(rule, inner)
                yield f"{inner}return POLICY_ACCEPT;"
            if not asked:
                return True
            yield f"{indent}}}"
        return False

    def _leave(self, rule: MeantRule, indent: str) -> Iterable[str]:
        if rule.new_state != rule.state:
            yield f"{indent}self->state = {self.states[rule.new_state]};"

    def _action(self, steps: tuple[meaning.Step, ...], rule: MeantRule, indent: str) -> Lines:
        """Return whether it certainly ends with a return."""
        for step in steps:
            match step:
                case meaning.Decide():
                    yield from self._decide(step, rule, indent)
                    return True
                case meaning.Branch():
                    if (yield from self._branch(step, rule, indent)):
                        return True
                case meaning.Loop():
                    condition = self.terms.text(step.condition, 4)
                    yield f"{indent}while({condition} && policy_turn(&turns)) {{"
                    yield from self._action(step.body, rule, indent + "  ")
                    yield f"{indent}}}"
                case _:
                    yield f"{indent}{self._plain(step)}"
        return False

    def _branch(self, step: meaning.Branch, rule: MeantRule, indent: str) -> Lines:
        yield f"{indent}if({self.terms.text(step.condition)}) {{"
        then = yield from self._action(step.then, rule, indent + "  ")
        otherwise = False
        if step.otherwise:
            yield f"{indent}}} else {{"
            otherwise = yield from self._action(step.otherwise, rule, indent + "  ")
        yield f"{indent}}}"
        return then and otherwise

    def _decide(self, step: meaning.Decide, rule: MeantRule, indent: str) -> Iterable[str]:
        if step.accepts and step.arguments is not None:
            for place, term in enumerate(step.arguments):
                yield f"{indent}event->arguments[{place}] = {self.terms.value(term)};"
            yield f"{indent}event->count = {len(step.arguments)};"
            yield f"{indent}event->changed = true;"
        if step.extensions:
            yield f"{indent}event->with = {self._with(step.extensions)};"
        yield from self._leave(rule, indent)
        yield f"{indent}return {'POLICY_ACCEPT' if step.accepts else 'POLICY_DISCARD'};"

    def _plain(self, step: meaning.Step) -> str:
        if isinstance(step, meaning.Set):
            return f"{self.terms.text(step.place)} = {self.terms.text(step.value)};"
        if isinstance(step, meaning.Do):
            text = self.terms.text(step.call)
            return f"{text};" if step.call.type.name == "void" else f"(void){text};"
        operation = f"POLICY_{step.operation.upper()}"
        head = f"policy_operate({operation}, {self.names.topics[step.topic]}, {self._with(step.extensions)}"
        if not step.arguments:
            return f"{head}, 0, NULL);"
        values = ", ".join(self.terms.value(term) for term in step.arguments)
        return f"{head}, {len(step.arguments)},\n    (const struct policy_value[]) {{ {values} }});"

    def _with(self, extensions: tuple[str, ...]) -> str:
        bits = dict.fromkeys(self.library.with_bits[name] for name in extensions)
        return " | ".join(_BITS.get(bit, f"0x{bit:02x}") for bit in bits) or "0"


def declaration(kind: Type, name: str) -> str:
    """Return a variable's declaration; that of a record has lines of its own."""
    sizes = ""
    while isinstance(kind, Vector):
        sizes += f"[{kind.size}]"
        kind = kind.of
    if isinstance(kind, Record):
        return f"struct policy_record_{kind.name} {name}{sizes};"
    return f"{kind.c} {name}{sizes};"


def first_values(slot: Slot) -> str:
    """Return a variable's first values as C writes them."""
    of = slot.type.of if isinstance(slot.type, Vector) else slot.type
    values = ", ".join(constant(of, float(value) if of is FLOAT else value) for value in slot.first)
    return f"{{ {values} }}" if isinstance(slot.type, Vector) else values
