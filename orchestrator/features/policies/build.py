# SPDX-License-Identifier: Apache-2.0
"""Makes the model of the parser's tree."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import count

from lark import Token, Transformer, v_args

from orchestrator.features.policies import model
from orchestrator.features.policies.model import Position

_CALLED = {"++": "+=", "--": "-="}


def at(meta: object) -> Position:
    """Return the place of a node or token."""
    return Position(getattr(meta, "line", 0), getattr(meta, "column", 0))


def dotted(place: model.Expression) -> str:
    """Return the name in a call of a function; a dot separates an extension from its function."""
    if isinstance(place, model.Member):
        return f"{dotted(place.of)}.{place.name}"
    return place.name if isinstance(place, model.Name) else "?"


def number(token: Token) -> int:
    """Return the value of an integer, whatever its suffix."""
    return int(token.rstrip("uUlL"), 0 if token[:2] in ("0x", "0X") else 10)


def _integer(token: Token | None) -> int | None:
    return None if token is None else number(token)


def _flat(statements: list) -> tuple:
    """Return statements, with the content of blocks in the blocks' places."""
    flat: list = []
    for statement in statements:
        flat.extend(statement if isinstance(statement, tuple) else [statement])
    return tuple(flat)


def _rest(items: list) -> list:
    return [item for item in items if item is not None]


def _of_parts(kind: type[model.Node]) -> Callable[..., model.Node]:
    """Return the method of a rule whose parts are those of its node, tokens as texts."""

    def build(self: Build, meta: object, items: list) -> model.Node:
        return kind(*(str(item) if isinstance(item, Token) else item for item in items), at=at(meta))

    return build


@v_args(meta=True)
class Build(Transformer):
    """One method for each rule of the grammar; `file` is named in the policies."""

    def __init__(self, file: str) -> None:
        super().__init__(visit_tokens=False)
        self.file = file

    def _literal(self, kind: str, meta: object, items: list) -> model.Literal:
        return model.Literal(kind, str(items[0]), at=at(meta))

    integer = lambda self, meta, items: self._literal("integer", meta, items)  # noqa: E731
    real = lambda self, meta, items: self._literal("real", meta, items)  # noqa: E731
    character = lambda self, meta, items: self._literal("character", meta, items)  # noqa: E731
    true = lambda self, meta, items: self._literal("bool", meta, items)  # noqa: E731
    false = true

    name = _of_parts(model.Name)
    member = _of_parts(model.Member)
    index = _of_parts(model.Index)
    unary = _of_parts(model.Unary)
    conditional = _of_parts(model.Conditional)
    assignment = _of_parts(model.Assignment)
    calling = _of_parts(model.Calling)

    def call(self, meta: object, items: list) -> model.Call:
        return model.Call(dotted(items[0]), tuple(_rest(items[1:])), at=at(meta))

    def binary(self, meta: object, items: list) -> model.Binary:
        return model.Binary(str(items[1]), items[0], items[2], at=at(meta))

    def step(self, meta: object, items: list) -> model.Assignment:
        step_size = model.Literal("integer", "1", at=at(meta))
        return model.Assignment(items[0], _CALLED[items[1]], step_size, at=at(meta))

    def extensions(self, meta: object, items: list) -> tuple[str, ...]:
        return tuple(map(str, items))

    def operate(self, meta: object, items: list) -> model.Operate:
        *arguments, extensions = items[2:]
        given = None if arguments == [None] else tuple(_rest(arguments))
        return model.Operate(str(items[0]), str(items[1]), given, extensions or (), at=at(meta))

    def outcome(self, meta: object, items: list) -> model.Outcome:
        *arguments, extensions = items[1:]
        given = None if arguments == [None] else tuple(_rest(arguments))
        return model.Outcome(items[0] == "accept", given, extensions or (), at=at(meta))

    def if_(self, meta: object, items: list) -> model.If:
        condition, then, otherwise = items
        return model.If(condition, _flat([then]), _flat(_rest([otherwise])), at=at(meta))

    def while_(self, meta: object, items: list) -> model.While:
        return model.While(items[0], _flat([items[1]]), at=at(meta))

    def block(self, meta: object, items: list) -> tuple:
        return _flat(items)

    def nothing(self, meta: object, items: list) -> tuple:
        return ()

    def state(self, meta: object, items: list) -> tuple[str, Position]:
        token = items[0]
        if token.type == "STRING":
            return token[1:-1], at(token)
        return str(number(token)) if token.type == "INTEGER" else str(token), at(token)

    def rule(self, meta: object, items: list) -> partial:
        """Return a rule that still lacks its number."""
        (old, old_at), (new, new_at), condition, _arrow, *action = items
        return partial(model.Rule, old, new, condition, _flat(action), at=old_at, new_state_at=new_at)

    def point(self, meta: object, items: list) -> model.Point:
        where, to, operation, topic = map(str, items)
        return model.Point(f"{where}-{to}", operation, topic, at=at(meta))

    def formal(self, meta: object, items: list) -> model.Formal:
        *words, name = _rest(items)
        return model.Formal(str(name), self.scalar(meta, words) if words else None, at=at(name))

    def operated(self, meta: object, items: list) -> tuple:
        point, *formals = items
        return point, None if formals == [None] else tuple(_rest(formals))

    def timeout(self, meta: object, items: list) -> tuple:
        return model.Timeout(_integer(items[0]), in_state=False, at=at(meta)), None

    def timer(self, meta: object, items: list) -> tuple:
        return model.Timeout(_integer(items[0]), in_state=True, at=at(meta)), None

    def event(self, meta: object, items: list) -> tuple:
        """Return an event whose rules still lack their numbers."""
        (trigger, formals), *rules = items
        return trigger, formals, rules, at(meta)

    def scalar(self, meta: object, items: list) -> model.WrittenType:
        return model.WrittenType(" ".join(items), at=at(items[0]))

    def record(self, meta: object, items: list) -> model.WrittenType:
        return model.WrittenType("record", str(items[1]), at=at(items[0]))

    def new_record(self, meta: object, items: list) -> model.WrittenType:
        return model.WrittenType("record", str(items[1]), tuple(items[2:]), at=at(items[0]))

    def field(self, meta: object, items: list) -> tuple:
        *words, name, size = items
        return self.scalar(meta, words), str(name), _integer(size)

    def shared(self, meta: object, items: list) -> tuple[str, ...]:
        return tuple(map(str, _rest(items)))

    def declarator(self, meta: object, items: list) -> tuple:
        name, size, *first = items
        given = tuple(_rest(first)) or None
        return str(name), _integer(size), given, at(name)

    def declaration(self, meta: object, items: list) -> list[model.Variable]:
        shared_with, kind, *declared = items
        return [
            model.Variable(name, kind, size, first, shared_with is not None, shared_with or (), at=where)
            for name, size, first, where in declared
        ]

    def policy(self, meta: object, items: list) -> model.Policy:
        name, *rest = items
        variables = [variable for group in rest if isinstance(group, list) for variable in group]
        numbers, events = count(), []
        for trigger, formals, rules, where in (node for node in rest if isinstance(node, tuple)):
            numbered = tuple(rule(next(numbers)) for rule in rules)
            events.append(model.Event(trigger, formals, numbered, at=where))
        return model.Policy(str(name), tuple(variables), tuple(events), self.file, at=at(name))

    def table(self, meta: object, items: list) -> tuple[str, int]:
        return str(items[0]), 0

    def tolerate(self, meta: object, items: list) -> tuple[str, int]:
        return "tolerate", number(items[0])

    def battery(self, meta: object, items: list) -> tuple[str, int]:
        return "battery", number(items[0])

    def conflict(self, meta: object, items: list) -> model.Conflict:
        point, (strategy, percent) = items
        return model.Conflict(point, strategy, percent, at=at(meta))

    def start(self, meta: object, items: list) -> list:
        return items
