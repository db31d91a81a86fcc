# SPDX-License-Identifier: Apache-2.0
"""Writes policies in one form, for `orchestrate policy format` and for labels of pictures and of C."""

from __future__ import annotations

import re
from collections.abc import Iterable

from orchestrator.features.policies import model
from orchestrator.features.policies.meaning import Slot

_BINDS = {
    **dict.fromkeys(("||",), 2),
    **dict.fromkeys(("&&",), 3),
    "|": 4,
    "^": 5,
    "&": 6,
    **dict.fromkeys(("==", "!="), 7),
    **dict.fromkeys(("<", "<=", ">", ">="), 8),
    **dict.fromkeys(("<<", ">>"), 9),
    **dict.fromkeys(("+", "-"), 10),
    **dict.fromkeys(("*", "/", "%"), 11),
}
_CHOICE, _UNARY, _CALL = 1, 12, 13


def expression(written: model.Expression, around: int = 0) -> str:
    """Return an expression, with the parentheses that it needs."""
    text, binds = _expression(written)
    return f"({text})" if binds < around else text


def _expression(written: model.Expression) -> tuple[str, int]:
    match written:
        case model.Literal():
            return written.text, _CALL
        case model.Name():
            return written.name, _CALL
        case model.Member():
            return f"{expression(written.of, _CALL)}.{written.name}", _CALL
        case model.Index():
            return f"{expression(written.of, _CALL)}[{expression(written.index)}]", _CALL
        case model.Call():
            return f"{written.function}({', '.join(map(expression, written.arguments))})", _CALL
        case model.Unary():
            inner = expression(written.operand, _UNARY)
            space = " " if inner[:1] == written.operator and inner[:1] in "+-" else ""
            return f"{written.operator}{space}{inner}", _UNARY
        case model.Binary():
            binds = _BINDS[written.operator]
            left, right = expression(written.left, binds), expression(written.right, binds + 1)
            return f"{left} {written.operator} {right}", binds
        case model.Conditional():
            condition = expression(written.condition, _CHOICE + 1)
            parts = f"{expression(written.then, _CHOICE)} : {expression(written.otherwise, _CHOICE)}"
            return f"{condition} ? {parts}", _CHOICE
    raise AssertionError(written)


def trigger(of: model.Point | model.Timeout, parameters: Iterable[Slot | model.Formal] | None) -> str:
    """Return an event's head."""
    if isinstance(of, model.Timeout):
        return f"on {of}"
    names = [_formal(formal) for formal in parameters or ()]
    return f"on {of.direction} {of.operation} {of.topic}" + (f"({', '.join(names)})" if names else "")


def _formal(formal: Slot | model.Formal) -> str:
    kind = formal.type if isinstance(formal, model.Formal) else None
    return f"{kind.name} {formal.name}" if kind else formal.name


def state(name: str) -> str:
    """Return a state's name, in quotation marks if it is no word."""
    return name if re.fullmatch(r"\w+", name) else f'"{name}"'


def rule_head(rule: model.Rule) -> str:
    """Return the states and the condition of a rule."""
    return f"{state(rule.state)}-{state(rule.new_state)}: {expression(rule.condition)}"


def formatted(text: str, source: model.Source) -> str:
    """Return a file's text in one form.

    A comment stays before what it precedes, or at the end of its line. `source`: what the text was read to,
    without faults.
    """
    return _Writer(text, source).text()


class _Writer:
    """Writes items in the order of the file, with the comments before them."""

    def __init__(self, text: str, source: model.Source):
        self.source = source
        self.comments = [
            (text.count("\n", 0, match.start()) + 1, _alone(text, match.start()), match.group().rstrip())
            for match in _COMMENT.finditer(text)
            if match.group()[0] != '"'
        ]
        self.lines: list[str] = []

    def text(self) -> str:
        items = [*self.source.policies, *self.source.conflicts]
        for item in sorted(items, key=lambda item: item.at):
            if self.lines:
                self.lines.append("")
            self._before(item.at.line, "")
            if isinstance(item, model.Policy):
                self._policy(item)
            else:
                self._conflict(item)
        if self.comments:
            self.lines.append("")
        self._before(1 << 30, "")
        return "\n".join(self.lines) + "\n"

    def _before(self, line: int, indent: str) -> None:
        """Write the comments that stand above a line."""
        while self.comments and (
            self.comments[0][0] < line or (self.comments[0][0] == line and self.comments[0][1])
        ):
            at, alone, comment = self.comments.pop(0)
            if not alone and self.lines and self.lines[-1]:
                self.lines[-1] += f" {comment}"
            else:
                self.lines += [indent + line.strip() if line.strip() else "" for line in comment.split("\n")]

    def _line(self, at: model.Position, indent: str, text: str) -> None:
        self._before(at.line, indent)
        self.lines.append(indent + text)
        self._behind(at.line)

    def _behind(self, line: int) -> None:
        """Write a comment at the end of a line."""
        if self.comments and self.comments[0][0] == line and not self.comments[0][1]:
            self.lines[-1] += f" {self.comments.pop(0)[2]}"

    def _policy(self, policy: model.Policy) -> None:
        self._line(policy.at, "", policy.name)
        for variables in _declarations(policy.variables):
            self._line(variables[0].at, "  ", declaration(variables))
        for event in policy.events:
            if event is not policy.events[0] or policy.variables:
                self.lines.append("")
            self._line(event.at, "  ", trigger(event.trigger, event.formals))
            for rule in event.rules:
                self._rule(rule)

    def _rule(self, rule: model.Rule) -> None:
        self._before(rule.at.line, "    ")
        last = rule.action[-1] if rule.action else None
        self.lines.append(f"    {rule_head(rule)} ->")
        if len(rule.action) == 1 and isinstance(last, model.Outcome):
            if not any(rule.at.line <= line < last.at.line for line, _, _ in self.comments):
                self.lines[-1] += f" {statement(last)[0]}"
                self._behind(last.at.line)
                return
        if last is None or rule.at.line < rule.action[0].at.line:
            self._behind(rule.at.line)
        for step in rule.action:
            self._statement(step, "      ")

    def _statement(self, written: model.Statement, indent: str) -> None:
        for text in statement(written):
            self._line(written.at, indent, text)

    def _conflict(self, conflict: model.Conflict) -> None:
        strategy = (
            conflict.strategy
            if conflict.strategy in ("accept", "discard")
            else f"{conflict.strategy} {conflict.percent} %"
        )
        self.lines.append(f"conflict {conflict.point}: {strategy};")


_COMMENT = re.compile(r"(?://|\\\\)[^\n]*|/\*(?s:.*?)(?:\*/|\Z)|\"[^\"\n]*\"")


def _alone(text: str, start: int) -> bool:
    return not text[text.rfind("\n", 0, start) + 1 : start].strip()


def _declarations(variables: tuple[model.Variable, ...]) -> list[list[model.Variable]]:
    """Group variables that were declared together."""
    groups: list[list[model.Variable]] = []
    for variable in variables:
        if groups and groups[-1][0].type.at == variable.type.at:
            groups[-1].append(variable)
        else:
            groups.append([variable])
    return groups


def declaration(variables: list[model.Variable]) -> str:
    """Return the declaration of variables of one type."""
    first = variables[0]
    head = ""
    if first.shared:
        head = f"global({', '.join(first.shared_with)}) " if first.shared_with else "global "
    return f"{head}{_type(first.type)} {', '.join(map(_declarator, variables))};"


def _type(written: model.WrittenType) -> str:
    if not written.fields:
        return f"record {written.record}" if written.record else written.name
    fields = " ".join(f"{_type(kind)} {name}{_size(size)};" for kind, name, size in written.fields)
    return f"record {written.record} {{ {fields} }}"


def _size(size: int | None) -> str:
    return "" if size is None else f"[{size}]"


def _declarator(variable: model.Variable) -> str:
    first = ""
    if variable.first is not None:
        values = ", ".join(map(expression, variable.first))
        first = f" = {{{values}}}" if variable.size is not None else f" = {values}"
    return f"{variable.name}{_size(variable.size)}{first}"


def statement(written: model.Statement) -> list[str]:
    """Return a statement's lines."""
    match written:
        case model.Assignment():
            return [f"{expression(written.place)} {written.operator} {expression(written.value)};"]
        case model.Calling():
            return [f"{expression(written.call)};"]
        case model.Operate():
            return [
                f"{written.operation} {written.topic}{_values(written.arguments, '')}"
                f"{_with(written.extensions)};"
            ]
        case model.Outcome():
            word = "accept" if written.accepts else "discard"
            return [f"{word}{_values(written.arguments, ' ')}{_with(written.extensions)};"]
        case model.While():
            return [f"while ({expression(written.condition)}) {{", *_inside(written.body), "}"]
        case model.If():
            lines = [f"if ({expression(written.condition)}) {{", *_inside(written.then)]
            if written.otherwise:
                lines += ["} else {", *_inside(written.otherwise)]
            return [*lines, "}"]
    raise AssertionError(written)


def _inside(statements: tuple[model.Statement, ...]) -> list[str]:
    return [f"  {line}" for inner in statements for line in statement(inner)]


def _values(arguments: tuple[model.Expression, ...] | None, space: str) -> str:
    return "" if not arguments else f"{space}({', '.join(map(expression, arguments))})"


def _with(extensions: tuple[str, ...]) -> str:
    return f" with {', '.join(extensions)}" if extensions else ""
